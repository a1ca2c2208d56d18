//! What a surface is painted with: one colour, or a simple gradient.

use serde_json::{Map, Value as Json};

use super::colour::Colour;
use super::props::{Props, number};

/// The most stops of a gradient that are drawn.
const STOPS_MAX: usize = 16;
/// How many paints may lie on each other; only the first that can be read is drawn.
const LAYERS_MAX: usize = 8;
/// Where a gradient of CSS leads without an angle: down.
const DOWN: f64 = 180.0;

/// What a surface is painted with.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Paint {
    /// One colour.
    Flat(Colour),
    /// From colour to colour.
    Gradient(Gradient),
}

/// From colour to colour: along a line, or from the middle outwards.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Gradient {
    /// The line's direction in degrees as in CSS: 0 leads up, 90 to the right; `None` leads from the middle outwards.
    pub(super) degrees: Option<f64>,
    /// The places, from 0 to 1 and rising, with their colours; two at least.
    pub(super) stops: Vec<(f64, Colour)>,
}

impl Paint {
    /// Reads a colour, a gradient as in CSS, an object that is either, or a list of such.
    pub(super) fn of(json: &Json) -> Option<Self> {
        match json {
            Json::String(text) => Self::parse(text),
            Json::Array(layers) => layers.iter().take(LAYERS_MAX).find_map(|layer| match layer {
                Json::Array(_) => None,
                layer => Self::of(layer),
            }),
            Json::Object(map) => Self::of_map(map),
            _ => None,
        }
    }

    /// Whether nothing of it is seen.
    pub(super) fn is_clear(&self) -> bool {
        match self {
            Self::Flat(colour) => colour.is_clear(),
            Self::Gradient(gradient) => gradient.stops.iter().all(|(_, colour)| colour.is_clear()),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Colour::parse(text)
            .map(Self::Flat)
            .or_else(|| Gradient::parse(text).map(Self::Gradient))
    }

    fn of_map(map: &Map<String, Json>) -> Option<Self> {
        if let Some(gradient) = Gradient::of_map(map) {
            return Some(Self::Gradient(gradient));
        }
        let colour = Colour::of(&Json::Object(map.clone())).or_else(|| Colour::of(map.get("color")?))?;
        let covers = Props(map).number(&["opacity"]).unwrap_or(1.0).clamp(0.0, 1.0);
        Some(Self::Flat(colour.thinned(covers)))
    }
}

impl Gradient {
    /// Reads `linear-gradient(45deg, red 10%, blue)` or `radial-gradient(red, blue)`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (name, inner) = text.trim().strip_suffix(')')?.split_once('(')?;
        let mut parts = split(inner).into_iter().peekable();
        let mut degrees = match name.trim() {
            "linear-gradient" => Some(DOWN),
            "radial-gradient" => None,
            _ => return None,
        };
        let first = *parts.peek()?;
        if stop(first).is_none() {
            // An angle, or the shape of a radial one.
            degrees = degrees.map(|down| direction(first).unwrap_or(down));
            parts.next();
        }
        Self::through(degrees, parts.take(STOPS_MAX).map(stop).collect::<Option<Vec<_>>>()?)
    }

    /// Reads `{type, angle, stops: [{color, offset}]}`.
    pub(super) fn of_map(map: &Map<String, Json>) -> Option<Self> {
        if let Some(Json::Object(inner)) = map.get("gradient") {
            let stops = inner.get("stops").or_else(|| inner.get("colors"))?;
            return Self::of_stops(inner, stops);
        }
        Self::of_stops(map, map.get("stops").or_else(|| map.get("colorStops"))?)
    }

    fn of_stops(map: &Map<String, Json>, stops: &Json) -> Option<Self> {
        let props = Props(map);
        let radial = ["type", "kind", "gradientType"].iter().any(|name| {
            props
                .text(&[*name])
                .is_some_and(|kind| kind.to_ascii_lowercase().contains("radial"))
        });
        let degrees = props.number(&["angle", "rotation", "degrees"]).unwrap_or(DOWN);
        let stops = stops.as_array()?.iter().take(STOPS_MAX).map(|json| match json {
            Json::Object(map) => {
                let at = Props(map).number(&["offset", "position", "stop", "at"]);
                Some((at, Colour::of(map.get("color").or_else(|| map.get("colour"))?)?))
            }
            other => Some((None, Colour::of(other)?)),
        });
        Self::through((!radial).then_some(degrees), stops.collect::<Option<Vec<_>>>()?)
    }

    /// Gives places to the stops that have none: the same distance from one to the next.
    fn through(degrees: Option<f64>, stops: Vec<(Option<f64>, Colour)>) -> Option<Self> {
        let last = u32::try_from(stops.len().checked_sub(1).filter(|last| *last > 0)?).ok()?;
        // Some programs count in percent.
        let percent = stops.iter().any(|(at, _)| at.is_some_and(|at| at > 1.0));
        let mut reached = 0.0_f64;
        let places = stops.into_iter().zip(0_u32..).map(|((at, colour), index)| {
            let at = at.map_or(f64::from(index) / f64::from(last), |at| {
                if percent { at / 100.0 } else { at }
            });
            reached = reached.max(at.clamp(0.0, 1.0));
            (reached, colour)
        });
        Some(Self {
            degrees,
            stops: places.collect(),
        })
    }
}

/// The parts between the commas that stand in no bracket.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// A colour, perhaps with its place.
fn stop(text: &str) -> Option<(Option<f64>, Colour)> {
    if let Some(colour) = Colour::parse(text) {
        return Some((None, colour));
    }
    let (colour, at) = text.rsplit_once(' ')?;
    let at: f64 = at.strip_suffix('%')?.parse().ok()?;
    at.is_finite().then_some(())?;
    Some((Some(at / 100.0), Colour::parse(colour)?))
}

/// An angle, or a side.
fn direction(text: &str) -> Option<f64> {
    if let Some(sides) = text.strip_prefix("to ") {
        let mut sides: Vec<_> = sides.split_whitespace().collect();
        sides.sort_unstable();
        return match sides[..] {
            ["top"] => Some(0.0),
            ["right", "top"] => Some(45.0),
            ["right"] => Some(90.0),
            ["bottom", "right"] => Some(135.0),
            ["bottom"] => Some(180.0),
            ["bottom", "left"] => Some(225.0),
            ["left"] => Some(270.0),
            ["left", "top"] => Some(315.0),
            _ => None,
        };
    }
    number(&Json::from(text.strip_suffix("deg")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(json: Json) -> String {
        match Paint::of(&json) {
            None => "none".to_owned(),
            Some(Paint::Flat(colour)) => format!("{colour} {}", colour.alpha),
            Some(Paint::Gradient(gradient)) => {
                let stops = gradient.stops.iter().map(|(at, colour)| format!("{at} {colour}"));
                format!("{:?}: {}", gradient.degrees, stops.collect::<Vec<_>>().join(", "))
            }
        }
    }

    #[test]
    fn paints_are_read_in_their_usual_forms() {
        assert_eq!(told(json!("red")), "#ff0000 1");
        assert_eq!(
            told(json!([{"type": "solid", "color": {"r": 0, "g": 0, "b": 1}, "opacity": 0.5}])),
            "#0000ff 0.5"
        );
        assert_eq!(
            told(json!("linear-gradient(to right, rgb(255, 0, 0) 10%, blue)")),
            "Some(90.0): 0.1 #ff0000, 1 #0000ff"
        );
        assert_eq!(
            told(json!("linear-gradient(red, lime, blue)")),
            "Some(180.0): 0 #ff0000, 0.5 #00ff00, 1 #0000ff"
        );
        assert_eq!(
            told(json!("radial-gradient(circle, red, blue)")),
            "None: 0 #ff0000, 1 #0000ff"
        );
        assert_eq!(
            told(
                json!({"type": "linear", "angle": 30, "stops": [{"color": "red", "offset": 0}, {"color": "blue", "offset": 100}]})
            ),
            "Some(30.0): 0 #ff0000, 1 #0000ff"
        );
        assert_eq!(
            told(json!({"gradient": {"type": "radial", "colors": ["red", "blue"]}})),
            "None: 0 #ff0000, 1 #0000ff"
        );
    }

    #[test]
    fn what_is_no_paint_is_none() {
        for json in [
            json!("url(#x)"),
            json!("linear-gradient(red)"),
            json!("linear-gradient("),
            json!("linear-gradient(red NaN%, blue)"),
            json!({"stops": []}),
            json!([[["red"]]]),
            json!(7),
        ] {
            assert_eq!(told(json.clone()), "none", "{json}");
        }
    }
}
