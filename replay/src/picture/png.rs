//! A drawing in pixels.

use std::sync::{Arc, LazyLock};

use recto_projections::DesignValue;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use super::drawing::{PIXELS_MAX, Style, draw};
use crate::failure::Failure;

/// Fonts that are taken for those that a page does not name, the best first; else whichever is there.
const USUAL_SANS: [&str; 6] = [
    "Inter",
    "Helvetica",
    "Arial",
    "DejaVu Sans",
    "Liberation Sans",
    "Noto Sans",
];
const USUAL_MONO: [&str; 4] = ["DejaVu Sans Mono", "Liberation Mono", "Noto Sans Mono", "Courier New"];

/// The system's fonts are looked for once.
static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| Arc::new(fonts()));

/// Draws a page in pixels, at most [`PIXELS_MAX`] a side. Where the system has no fonts, bars stand for text.
///
/// # Errors
/// [`Failure::Picture`].
pub(super) fn png(page: &DesignValue) -> Result<Vec<u8>, Failure> {
    render(page, Arc::clone(&FONTS))
}

fn render(page: &DesignValue, fonts: Arc<Database>) -> Result<Vec<u8>, Failure> {
    let svg = draw(
        page,
        Style {
            has_fonts: !fonts.is_empty(),
            ..Style::ALONE
        },
    );
    let options = Options {
        fontdb: fonts,
        ..Options::default()
    };
    let tree = Tree::from_str(&svg, &options).map_err(|fault| Failure::Picture(fault.to_string()))?;
    let (width, height) = (pixels(tree.size().width()), pixels(tree.size().height()));
    let mut pixmap = Pixmap::new(width, height)
        .ok_or_else(|| Failure::Picture(format!("there is no memory for {width}×{height} pixels")))?;
    resvg::render(&tree, Transform::default(), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|fault| Failure::Picture(fault.to_string()))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is rounded and within the bounds of a picture"
)]
fn pixels(side: f32) -> u32 {
    f64::from(side).ceil().clamp(1.0, PIXELS_MAX) as u32
}

fn fonts() -> Database {
    let mut fonts = Database::new();
    fonts.load_system_fonts();
    let families: Vec<String> = fonts
        .faces()
        .filter_map(|face| Some(face.families.first()?.0.clone()))
        .collect();
    let usual = |names: &[&str]| {
        let known = names.iter().find(|name| families.iter().any(|family| family == *name));
        known
            .map(|name| (*name).to_owned())
            .or_else(|| families.first().cloned())
    };
    if let (Some(sans), Some(mono)) = (usual(&USUAL_SANS), usual(&USUAL_MONO)) {
        // A font that a page names and the system has not is drawn in these too.
        fonts.set_serif_family(&sans);
        fonts.set_sans_serif_family(&sans);
        fonts.set_monospace_family(&mono);
    }
    fonts
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use serde_json::json;

    #[test]
    fn without_fonts_bars_stand_for_text() {
        let page = DesignValue::from_json(&json!({ "attributes": { "dimensions": { "width": 200, "height": 40 } },
            "nodes": { "t": { "type": "text", "geometry": { "x": 10, "y": 10, "width": 180, "height": 20 },
                "props": { "text": "Hello there", "color": "#ff0000" } } } }))
        .unwrap();
        let drawn = Pixmap::decode_png(&render(&page, Arc::new(Database::new())).unwrap()).unwrap();
        let red = drawn
            .pixels()
            .iter()
            .filter(|pixel| pixel.red() > pixel.green())
            .count();
        assert!(red > 200, "{red}");
    }
}
