//! Text in a box: broken into lines by what letters take about, and cut where the box ends. No font is asked, so that
//! the same page gives the same picture everywhere.

use super::colour::Colour;
use super::escape::cut;
use super::look::{Look, Shape};
use super::paint::Paint;
use super::plane::Rect;
use super::props::{Props, number};

/// The most characters of a text that are drawn.
pub(super) const CHARS_MAX: usize = 4_000;
/// The most lines of a text that are drawn.
const LINES_MAX: usize = 200;
/// The size of letters that nothing is said about, in px.
const SIZE: f64 = 16.0;
const SIZE_MIN: f64 = 0.5;
const SIZE_MAX: f64 = 20_000.0;
/// The distance from line to line, as a part of the size.
const LEADING: f64 = 1.25;
/// How far below the top of a line its letters stand, as a part of the size.
const ASCENT: f64 = 0.93;
/// How much of a line may stick out below its box.
const SLACK: f64 = 0.35;
/// How much wider than its box a line may be.
const WIDTH_SLACK: f64 = 1.12;
/// The most characters of a font's name.
const FAMILY_CHARS: usize = 60;
const INK: Colour = Colour::rgb(0x1f_23_28);

const COLOUR: [&str; 5] = ["color", "textColor", "fontColor", "strokeColor", "labelColor"];
const TEXT_FILL: [&str; 2] = ["fill", "fills"];

/// Where lines stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Start,
    Middle,
    End,
}

/// A text laid out.
#[derive(Clone, Debug)]
pub(super) struct Letters {
    pub(super) lines: Vec<Line>,
    pub(super) size: f64,
    pub(super) colour: Colour,
    pub(super) align: Align,
    pub(super) family: Option<String>,
    pub(super) is_bold: bool,
    pub(super) is_italic: bool,
    /// Under or through the letters, as SVG names it.
    pub(super) decoration: Option<&'static str>,
}

/// A line, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) x: f64,
    pub(super) y: f64,
    /// About how wide it is, in px.
    pub(super) width: f64,
}

impl Letters {
    /// Lays out what is written on a node, in its box.
    pub(super) fn of(text: &str, props: Props<'_>, look: &Look, rect: Rect) -> Self {
        let is_text = look.shape == Shape::Text;
        let size = props
            .number(&["fontSize", "font-size", "textSize", "size"])
            .filter(|size| *size > 0.0)
            .unwrap_or(SIZE)
            .clamp(SIZE_MIN, SIZE_MAX);
        let mut letters = Self {
            lines: Vec::new(),
            size,
            colour: colour(props, is_text),
            align: align(props, is_text),
            family: props.text(&["fontFamily", "font-family", "font"]).and_then(family),
            is_bold: is_bold(props),
            is_italic: props
                .text(&["fontStyle", "font-style"])
                .is_some_and(|style| style.contains("italic")),
            decoration: decoration(props),
        };
        letters.lay(text, rect, leading(props, size), is_text);
        letters
    }

    /// One line, cut to a width; `y` is where the letters stand.
    pub(super) fn label(text: &str, (x, y): (f64, f64), size: f64, width: f64, align: Align, colour: Colour) -> Self {
        let text = fitted(text, width / size);
        Self {
            lines: vec![Line {
                width: width_of(&text) * size,
                text,
                x,
                y,
            }],
            size,
            colour,
            align,
            family: None,
            is_bold: false,
            is_italic: false,
            decoration: None,
        }
    }

    fn lay(&mut self, text: &str, rect: Rect, leading: f64, is_text: bool) {
        let wide = if rect.w > 0.0 {
            rect.w / self.size
        } else {
            f64::INFINITY
        };
        // Real letters differ from what is assumed, and a break too much is worse than a line too long.
        let mut lines = broken(&cut(text, CHARS_MAX), wide * WIDTH_SLACK + 0.5);
        let high = if rect.h > 0.0 { rect.h } else { f64::INFINITY };
        let fitting = lines_within(high + SLACK * self.size, leading);
        if lines.len() > fitting {
            lines.truncate(fitting);
            if let Some(last) = lines.last_mut() {
                last.push('…');
            }
        }
        let mut y = rect.y + self.size * ASCENT + (leading - self.size * LEADING) / 2.0;
        if !is_text {
            let total = lines.iter().fold(0.0, |total, _| total + leading);
            y += ((rect.h - total) / 2.0).max(0.0);
        }
        let x = match self.align {
            Align::Start => rect.x,
            Align::Middle => rect.x + rect.w / 2.0,
            Align::End => rect.x + rect.w,
        };
        for text in lines {
            let width = width_of(&text) * self.size;
            if !text.trim().is_empty() {
                self.lines.push(Line { text, x, y, width });
            }
            y += leading;
        }
    }
}

/// About how wide a text is, in sizes of its letters.
pub(super) fn width_of(text: &str) -> f64 {
    text.chars().map(letter_width).sum()
}

/// About how wide a letter is: between the common fonts without serifs.
fn letter_width(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.3,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '\\' | ' ' | '-' | '"' => 0.37,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.9,
        'A'..='Z' => 0.68,
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0.0,
        letter if letter >= '\u{1100}' => 1.0,
        _ => 0.56,
    }
}

/// As many whole lines as fit, one at least.
fn lines_within(height: f64, leading: f64) -> usize {
    (1..LINES_MAX)
        .take_while(|lines| u32::try_from(*lines + 1).is_ok_and(|lines| f64::from(lines) * leading <= height))
        .count()
        + 1
}

/// The lines of a text, each no wider than it may be: broken at spaces where there are some.
fn broken(text: &str, wide: f64) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let (mut start, mut space, mut width) = (0, None, 0.0);
        for (at, letter) in line.char_indices() {
            let next = letter_width(letter);
            if width + next > wide && at > start && letter != ' ' {
                let end = space.filter(|space| *space > start).unwrap_or(at);
                lines.push(line[start..end].trim_end().to_owned());
                start = end;
                width = width_of(line[start..at].trim_start());
                start += line[start..at].len() - line[start..at].trim_start().len();
                space = None;
            }
            if letter == ' ' {
                space = Some(at);
            }
            width += next;
        }
        lines.push(line[start..].trim_end().to_owned());
        // One more than are drawn, so that it is seen that there are more.
        if lines.len() > LINES_MAX {
            lines.truncate(LINES_MAX + 1);
            break;
        }
    }
    lines
}

/// A text in one line, cut to a width.
fn fitted(text: &str, wide: f64) -> String {
    let mut width = 0.0;
    let text = text.trim();
    for (at, letter) in text.char_indices() {
        width += letter_width(letter);
        if width > wide {
            return match text[..at].char_indices().next_back() {
                Some((last, _)) => format!("{}…", &text[..last]),
                None => String::new(),
            };
        }
    }
    text.to_owned()
}

fn colour(props: Props<'_>, is_text: bool) -> Colour {
    let fill = || match props.get(&TEXT_FILL).filter(|_| is_text).and_then(Paint::of) {
        Some(Paint::Flat(colour)) => Some(colour),
        Some(Paint::Gradient(gradient)) => gradient.stops.first().map(|(_, colour)| *colour),
        None => None,
    };
    props.get(&COLOUR).and_then(Colour::of).or_else(fill).unwrap_or(INK)
}

fn align(props: Props<'_>, is_text: bool) -> Align {
    match props.text(&["textAlign", "text-align", "align"]) {
        Some("center" | "middle") => Align::Middle,
        Some("right" | "end") => Align::End,
        Some(_) => Align::Start,
        None if is_text => Align::Start,
        None => Align::Middle,
    }
}

/// A number up to 4 is in sizes, else in px.
fn leading(props: Props<'_>, size: f64) -> f64 {
    let said = props.get(&["lineHeight", "line-height"]).and_then(number);
    match said.filter(|said| *said > 0.0) {
        Some(factor) if factor <= 4.0 => factor * size,
        Some(px) => px.clamp(size / 2.0, size * 4.0),
        None => size * LEADING,
    }
}

/// A font's name, where it is one and nothing else.
fn family(name: &str) -> Option<String> {
    let first = name.split(',').next()?.trim().trim_matches(['"', '\'']);
    let plain = |letter: char| letter.is_alphanumeric() || letter == ' ' || letter == '-';
    (!first.is_empty() && first.chars().count() <= FAMILY_CHARS && first.chars().all(plain)).then(|| first.to_owned())
}

fn is_bold(props: Props<'_>) -> bool {
    let names = ["fontWeight", "font-weight"];
    props.text(&names).is_some_and(|weight| weight.contains("bold"))
        || props.number(&names).is_some_and(|weight| weight >= 600.0)
}

fn decoration(props: Props<'_>) -> Option<&'static str> {
    let said = props.text(&["textDecoration", "text-decoration"])?;
    ["underline", "line-through"]
        .into_iter()
        .find(|known| said.contains(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_long_words_anywhere() {
        assert_eq!(broken("one two three", 4.5), ["one two", "three"]);
        assert_eq!(broken("a\n\nb", 9.0), ["a", "", "b"]);
        assert_eq!(broken("mmmmmm", 2.0), ["mm", "mm", "mm"]);
        assert_eq!(broken("日本語日本語", 2.0), ["日本", "語日", "本語"]);
        assert_eq!(broken("x", 0.0), ["x"]);
    }

    #[test]
    fn nothing_of_a_text_is_lost_between_its_lines() {
        let text = "The quick brown  fox jumps over the lazy dog, ünd wéiter";
        for wide in 1..40 {
            let together: String = broken(text, f64::from(wide)).concat();
            let letters = |text: &str| text.replace(' ', "");
            assert_eq!(letters(&together), letters(text), "{wide}");
        }
    }

    #[test]
    fn a_label_fits() {
        assert_eq!(fitted("asset-123", 100.0), "asset-123");
        assert!(fitted("asset-1234567", 4.0).ends_with('…'));
        assert_eq!(fitted("x", 0.1), "");
    }
}
