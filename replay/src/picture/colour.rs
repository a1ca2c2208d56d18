//! Colours as pages name them, read strictly: what is none is not drawn.

mod names;

use std::fmt;

use serde_json::{Map, Value as Json};

/// A colour with how much it covers, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Colour {
    red: u8,
    green: u8,
    blue: u8,
    pub(super) alpha: f64,
}

impl Colour {
    /// A colour that covers.
    pub(super) const fn rgb(rgb: u32) -> Self {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Self {
            red,
            green,
            blue,
            alpha: 1.0,
        }
    }

    /// Reads a colour: a text as in CSS, or an object with red, green and blue.
    pub(super) fn of(json: &Json) -> Option<Self> {
        match json {
            Json::String(text) => Self::parse(text),
            Json::Object(map) => Self::of_map(map),
            _ => None,
        }
    }

    /// Reads a colour as in CSS: `#rgb`, `#rrggbbaa`, `rgb()`, `hsl()`, a name, `transparent`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > 64 {
            return None;
        }
        let text = text.to_ascii_lowercase();
        if let Some(digits) = text.strip_prefix('#') {
            return hex(digits);
        }
        if text == "transparent" || text == "none" {
            return Some(Self {
                alpha: 0.0,
                ..Self::rgb(0)
            });
        }
        if let Some((name, inner)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            return function(name, inner);
        }
        names::named(&text).map(Self::rgb)
    }

    /// `{r, g, b, a}`, each up to 255, or up to 1 where none is more.
    fn of_map(map: &Map<String, Json>) -> Option<Self> {
        let part = |names: [&str; 2]| names.iter().find_map(|name| map.get(*name)).and_then(Json::as_f64);
        let parts = [part(["r", "red"])?, part(["g", "green"])?, part(["b", "blue"])?];
        let scale = if parts.iter().all(|part| *part <= 1.0) {
            255.0
        } else {
            1.0
        };
        let [red, green, blue] = parts.map(|part| byte(part * scale));
        let alpha = part(["a", "alpha"]).unwrap_or(1.0).clamp(0.0, 1.0);
        Some(Self {
            red,
            green,
            blue,
            alpha,
        })
    }

    /// The same where only a part of it covers.
    pub(super) fn thinned(self, part: f64) -> Self {
        Self {
            alpha: self.alpha * part,
            ..self
        }
    }

    /// Whether nothing of it is seen.
    pub(super) fn is_clear(self) -> bool {
        self.alpha <= 0.0
    }
}

impl fmt::Display for Colour {
    /// Without how much it covers.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }
}

fn hex(digits: &str) -> Option<Colour> {
    let number = u32::from_str_radix(digits, 16)
        .ok()
        .filter(|_| !digits.starts_with('+'))?;
    // A short digit stands for itself twice.
    let wide = |number: u32, at: u32| ((number >> (4 * at)) & 0xf) * 0x11;
    let [red, green, blue, alpha] = match digits.len() {
        3 => [wide(number, 2), wide(number, 1), wide(number, 0), 255],
        4 => [wide(number, 3), wide(number, 2), wide(number, 1), wide(number, 0)],
        6 => [number >> 16, number >> 8 & 0xff, number & 0xff, 255],
        8 => [number >> 24, number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff],
        _ => return None,
    };
    let alpha = (f64::from(alpha) / 255.0 * 1000.0).round() / 1000.0;
    Some(Colour {
        alpha,
        ..Colour::rgb(red << 16 | green << 8 | blue)
    })
}

fn function(name: &str, inner: &str) -> Option<Colour> {
    let parts: Vec<&str> = inner.split([',', '/', ' ']).filter(|part| !part.is_empty()).collect();
    let [first, second, third, rest @ ..] = &parts[..] else {
        return None;
    };
    let alpha = match rest {
        [] => 1.0,
        [alpha] => number(alpha, 1.0)?.clamp(0.0, 1.0),
        _ => return None,
    };
    let [red, green, blue] = match name {
        "rgb" | "rgba" => [number(first, 255.0)?, number(second, 255.0)?, number(third, 255.0)?].map(byte),
        "hsl" | "hsla" => {
            let turn = number(first.strip_suffix("deg").unwrap_or(first), 360.0)?;
            hsl(turn, number(second, 1.0)?, number(third, 1.0)?)
        }
        _ => return None,
    };
    Some(Colour {
        red,
        green,
        blue,
        alpha,
    })
}

/// A finite number; a percentage is a part of `whole`.
fn number(text: &str, whole: f64) -> Option<f64> {
    let number: f64 = match text.strip_suffix('%') {
        Some(percent) => percent.parse::<f64>().ok()? / 100.0 * whole,
        None => text.parse().ok()?,
    };
    number.is_finite().then_some(number)
}

fn hsl(turn: f64, saturation: f64, light: f64) -> [u8; 3] {
    let (saturation, light) = (saturation.clamp(0.0, 1.0), light.clamp(0.0, 1.0));
    let strength = saturation * light.min(1.0 - light);
    [0.0, 8.0, 4.0].map(|offset| {
        let at = (offset + turn.rem_euclid(360.0) / 30.0) % 12.0;
        byte(255.0 * (light - strength * (at - 3.0).min(9.0 - at).clamp(-1.0, 1.0)))
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is rounded and within the bounds of a byte"
)]
fn byte(number: f64) -> u8 {
    number.round().clamp(0.0, 255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn colours_are_read_as_in_css() {
        let read = |text: &str| Colour::parse(text).map(|colour| format!("{colour} {}", colour.alpha));
        for (text, colour) in [
            ("#f5c518", "#f5c518 1"),
            (" #FFF ", "#ffffff 1"),
            ("#0008", "#000000 0.533"),
            ("#11223380", "#112233 0.502"),
            ("rgb(255, 0, 300)", "#ff00ff 1"),
            ("rgba(0 50% 0 / 50%)", "#008000 0.5"),
            ("hsl(120deg, 100%, 25%)", "#008000 1"),
            ("Tomato", "#ff6347 1"),
            ("transparent", "#000000 0"),
        ] {
            assert_eq!(read(text).as_deref(), Some(colour), "{text}");
        }
        for text in [
            "",
            "#ggg",
            "#+fff",
            "#12345",
            "rgb(1,2)",
            "rgb(NaN,0,0)",
            "url(#x)",
            "red;x",
            "javascript:1",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn colours_are_read_from_parts() {
        assert_eq!(
            Colour::of(&json!({"r": 1, "g": 0.5, "b": 0}))
                .map(|colour| colour.to_string())
                .as_deref(),
            Some("#ff8000")
        );
        assert_eq!(
            Colour::of(&json!({"r": 10, "g": 1, "b": 0}))
                .map(|colour| colour.to_string())
                .as_deref(),
            Some("#0a0100")
        );
        assert_eq!(Colour::of(&json!({"r": 10})), None);
    }
}
