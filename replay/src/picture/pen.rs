//! Writing elements of SVG with their paint, and text.

use std::fmt::Write;

use super::colour::Colour;
use super::escape::{Num, Text};
use super::letters::{Align, Letters};
use super::look::Stroke;
use super::paint::{Gradient, Paint};
use super::plane::Rect;

/// Writes elements one after the other.
pub(super) struct Pen<'a> {
    pub(super) out: String,
    /// Gradients, to stand before all else.
    pub(super) defs: String,
    prefix: &'a str,
    gradients: usize,
    has_fonts: bool,
    /// What a px is on a page of the usual size.
    pub(super) unit: f64,
}

impl<'a> Pen<'a> {
    pub(super) fn new(prefix: &'a str, has_fonts: bool, unit: f64) -> Self {
        Self {
            out: String::new(),
            defs: String::new(),
            prefix,
            gradients: 0,
            has_fonts,
            unit,
        }
    }

    pub(super) fn dashed(&mut self, rect: Rect, colour: &str, dash: f64) {
        let (dash, width) = (Num(dash * self.unit), Num(self.unit));
        let _ = write!(
            self.out,
            "<rect {rect} fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-dasharray=\"{dash} {dash}\"/>"
        );
    }

    pub(super) fn letters(&mut self, letters: &Letters) {
        let (size, colour) = (Num(letters.size), letters.colour);
        if letters.lines.is_empty() {
            return;
        }
        if !self.has_fonts {
            return self.bars(letters);
        }
        let _ = write!(
            self.out,
            "<text font-size=\"{size}\" fill=\"{colour}\" xml:space=\"preserve\""
        );
        self.alpha("fill-opacity", letters.colour);
        if let Some(family) = &letters.family {
            let _ = write!(self.out, " font-family=\"{}, sans-serif\"", Text(family));
        }
        for (is_so, attribute) in [
            (letters.is_bold, " font-weight=\"bold\""),
            (letters.is_italic, " font-style=\"italic\""),
            (letters.align == Align::Middle, " text-anchor=\"middle\""),
            (letters.align == Align::End, " text-anchor=\"end\""),
        ] {
            self.out.push_str(if is_so { attribute } else { "" });
        }
        if let Some(decoration) = letters.decoration {
            let _ = write!(self.out, " text-decoration=\"{decoration}\"");
        }
        self.out.push('>');
        for line in &letters.lines {
            let (x, y) = (Num(line.x), Num(line.y));
            let _ = write!(self.out, "<tspan x=\"{x}\" y=\"{y}\">{}</tspan>", Text(&line.text));
        }
        self.out.push_str("</text>");
    }

    /// Without fonts a bar stands for each line.
    fn bars(&mut self, letters: &Letters) {
        for line in &letters.lines {
            let x = match letters.align {
                Align::Start => line.x,
                Align::Middle => line.x - line.width / 2.0,
                Align::End => line.x - line.width,
            };
            let bar = Rect::new(x, line.y - letters.size * 0.6, line.width, letters.size * 0.5);
            let _ = write!(
                self.out,
                "<rect {bar} fill=\"{}\" fill-opacity=\"0.4\"/>",
                letters.colour
            );
        }
    }

    /// Ends an element with its paint.
    pub(super) fn painted(&mut self, element: &str, fill: Option<&Paint>, stroke: Option<Stroke>, rect: Rect) {
        self.out.push_str(element);
        match fill.filter(|fill| !fill.is_clear()) {
            Some(fill) => self.fill(fill, rect),
            None => self.out.push_str(" fill=\"none\""),
        }
        if let Some(stroke) = stroke.filter(Stroke::is_seen) {
            let (colour, width) = (stroke.colour, Num(stroke.width));
            let _ = write!(self.out, " stroke=\"{colour}\" stroke-width=\"{width}\"");
            self.alpha("stroke-opacity", stroke.colour);
            if stroke.is_dashed {
                let dash = Num(stroke.width * 3.0);
                let _ = write!(self.out, " stroke-dasharray=\"{dash} {dash}\"");
            }
        }
        self.out.push_str("/>");
    }

    pub(super) fn fill_box(&mut self, element: &str, paint: &Paint, rect: Rect) {
        self.painted(element, Some(paint), None, rect);
    }

    fn fill(&mut self, paint: &Paint, rect: Rect) {
        match paint {
            Paint::Flat(colour) => {
                let _ = write!(self.out, " fill=\"{colour}\"");
                self.alpha("fill-opacity", *colour);
            }
            Paint::Gradient(gradient) => {
                let id = self.gradient(gradient, rect);
                let _ = write!(self.out, " fill=\"url(#{id})\"");
            }
        }
    }

    /// Adds a gradient over a box; gives its id.
    fn gradient(&mut self, gradient: &Gradient, rect: Rect) -> String {
        self.gradients += 1;
        let id = format!("{}g{}", self.prefix, self.gradients);
        let (x, y) = rect.middle();
        let name = match gradient.degrees {
            Some(degrees) => {
                // As in CSS: a line through the middle, so long that its ends reach the corners.
                let (sin, cos) = degrees.to_radians().sin_cos();
                let half = ((rect.w * sin).abs() + (rect.h * cos).abs()) / 2.0;
                let (dx, dy) = (sin * half, -cos * half);
                let [x1, y1, x2, y2] = [x - dx, y - dy, x + dx, y + dy].map(Num);
                let _ = write!(
                    self.defs,
                    "<linearGradient id=\"{id}\" gradientUnits=\"userSpaceOnUse\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\">"
                );
                "linearGradient"
            }
            None => {
                let (x, y, r) = (Num(x), Num(y), Num(rect.w.hypot(rect.h) / 2.0));
                let _ = write!(
                    self.defs,
                    "<radialGradient id=\"{id}\" gradientUnits=\"userSpaceOnUse\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\">"
                );
                "radialGradient"
            }
        };
        for (at, colour) in &gradient.stops {
            let _ = write!(
                self.defs,
                "<stop offset=\"{}\" stop-color=\"{colour}\" stop-opacity=\"{}\"/>",
                Num(*at),
                Num(colour.alpha)
            );
        }
        let _ = write!(self.defs, "</{name}>");
        id
    }

    pub(super) fn opacity(&mut self, opacity: f64) {
        if opacity < 1.0 {
            let _ = write!(self.out, " opacity=\"{}\"", Num(opacity));
        }
    }

    pub(super) fn alpha(&mut self, name: &str, colour: Colour) {
        if colour.alpha < 1.0 {
            let _ = write!(self.out, " {name}=\"{}\"", Num(colour.alpha));
        }
    }
}
