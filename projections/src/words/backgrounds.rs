//! Backgrounds in words.

use super::phrase::{on_one_line, quoted};
use crate::design::Background;
use crate::json::Json;

/// `background "b1"`.
pub(super) fn called(id: &str) -> String {
    format!("background {}", quoted(id))
}

pub(super) fn added(background: &Background) -> String {
    let kind = background
        .as_map()
        .get("type")
        .and_then(Json::as_str)
        .unwrap_or_default();
    let kind = on_one_line(kind);
    let space = if kind.is_empty() { "" } else { " " };
    format!("added {kind}{space}{}", called(background.id()))
}

pub(super) fn removed(id: &str) -> String {
    format!("removed {}", called(id))
}

pub(super) fn moved(id: &str) -> String {
    format!("moved {} to another place among the backgrounds", called(id))
}
