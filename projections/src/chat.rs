//! The creation mode of a chat: what the composer says, what holds now, what is kept.
//!
//! One pure function for what a composer says, and one for a switch in the middle of a turn.

use crate::json::{Json, JsonMap};

/// The most characters of a preset, a ratio or a resolution.
pub const PARTICULAR_CHARS_MAX: usize = 128;

/// What a chat makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Designs.
    Design {
        /// The preset, which is for one turn only.
        preset: Option<String>,
    },
    /// Images.
    Image {
        /// The ratio of width to height, for instance `16:9`.
        ratio: Option<String>,
        /// The resolution, for instance `2k`.
        resolution: Option<String>,
    },
    /// Documents.
    Document,
}

/// A mode without its particulars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeKind {
    /// Designs.
    Design,
    /// Images.
    Image,
    /// Documents.
    Document,
}

/// What the composer said with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Nothing about the mode.
    Nothing,
    /// That there is none.
    NoMode,
    /// This mode.
    Mode(Mode),
}

/// What holds for a turn, and what is kept after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The mode that holds now.
    pub effective: Option<Mode>,
    /// Whether it was declared with this message.
    pub declared: bool,
    /// The mode that the chat keeps.
    pub stored: Option<Mode>,
}

/// What a switch does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switched {
    /// The chat is in this mode already.
    Same,
    /// The mode that holds from now on, in this turn too, and is kept.
    To(Mode),
}

/// Why a switch is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("documents are not available in this chat; stay in the mode that it has")]
pub struct DocumentsUnavailable;

impl ModeKind {
    const ALL: [Self; 3] = [Self::Design, Self::Image, Self::Document];

    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Design => "design",
            Self::Image => "image",
            Self::Document => "document",
        }
    }

    /// From the name on the wire.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The mode with no particulars.
    #[must_use]
    pub fn plain(self) -> Mode {
        match self {
            Self::Design => Mode::Design { preset: None },
            Self::Image => Mode::Image {
                ratio: None,
                resolution: None,
            },
            Self::Document => Mode::Document,
        }
    }
}

impl Mode {
    /// The mode without its particulars.
    #[must_use]
    pub fn kind(&self) -> ModeKind {
        match self {
            Self::Design { .. } => ModeKind::Design,
            Self::Image { .. } => ModeKind::Image,
            Self::Document => ModeKind::Document,
        }
    }

    /// Without what is for one turn only: a design keeps no preset, an image keeps ratio and resolution.
    #[must_use]
    pub fn kept(&self) -> Self {
        match self {
            Self::Design { .. } => Self::Design { preset: None },
            other => other.clone(),
        }
    }

    /// On the wire: `{"kind": "image", "ratio": "16:9", "resolution": "2k"}`.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut map = JsonMap::new();
        map.insert("kind".to_owned(), self.kind().as_str().into());
        let mut add = |name: &str, value: &Option<String>| {
            if let Some(value) = value {
                map.insert(name.to_owned(), value.as_str().into());
            }
        };
        match self {
            Self::Design { preset } => add("preset", preset),
            Self::Image { ratio, resolution } => {
                add("ratio", ratio);
                add("resolution", resolution);
            }
            Self::Document => {}
        }
        Json::Object(map)
    }

    /// From the wire; nothing where a field is of another mode, no string, or longer than [`PARTICULAR_CHARS_MAX`].
    #[must_use]
    pub fn from_json(json: &Json) -> Option<Self> {
        let map = json.as_object()?;
        let kind = ModeKind::from_name(map.get("kind")?.as_str()?)?;
        let known: &[&str] = match kind {
            ModeKind::Design => &["preset"],
            ModeKind::Image => &["ratio", "resolution"],
            ModeKind::Document => &[],
        };
        let is_text = |value: &Json| {
            let text = value.as_str();
            text.is_some_and(|text| text.chars().nth(PARTICULAR_CHARS_MAX).is_none())
        };
        let is_known =
            |(name, value): (&String, &Json)| name == "kind" || (known.contains(&name.as_str()) && is_text(value));
        if !map.iter().all(is_known) {
            return None;
        }
        let text = |name: &str| map.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(match kind {
            ModeKind::Design => Self::Design { preset: text("preset") },
            ModeKind::Image => Self::Image {
                ratio: text("ratio"),
                resolution: text("resolution"),
            },
            ModeKind::Document => Self::Document,
        })
    }
}

/// What holds for a turn whose message said something, or nothing, about the mode.
#[must_use]
pub fn turn(stored: Option<&Mode>, said: Said) -> Turn {
    match said {
        Said::Nothing => Turn {
            effective: stored.cloned(),
            declared: false,
            stored: stored.cloned(),
        },
        Said::NoMode => Turn {
            effective: None,
            declared: false,
            stored: None,
        },
        Said::Mode(mode) => Turn {
            stored: Some(mode.kept()),
            effective: Some(mode),
            declared: true,
        },
    }
}

/// What a switch to a kind of mode does in the middle of a turn.
///
/// # Errors
/// [`DocumentsUnavailable`].
pub fn switch(stored: Option<&Mode>, to: ModeKind, documents: bool) -> Result<Switched, DocumentsUnavailable> {
    if stored.is_some_and(|mode| mode.kind() == to) {
        return Ok(Switched::Same);
    }
    if to == ModeKind::Document && !documents {
        return Err(DocumentsUnavailable);
    }
    Ok(Switched::To(to.plain()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn modes() -> [Option<Mode>; 4] {
        let preset = Some("poster".to_owned());
        let image = Mode::Image {
            ratio: Some("16:9".to_owned()),
            resolution: Some("2k".to_owned()),
        };
        [None, Some(Mode::Design { preset }), Some(image), Some(Mode::Document)]
    }

    #[test]
    fn nothing_said_changes_nothing_and_none_clears() {
        for stored in modes() {
            let same = turn(stored.as_ref(), Said::Nothing);
            assert_eq!(
                (&same.effective, same.declared, &same.stored),
                (&stored, false, &stored)
            );
            let cleared = turn(stored.as_ref(), Said::NoMode);
            assert_eq!(
                (cleared.effective, cleared.declared, cleared.stored),
                (None, false, None)
            );
        }
    }

    #[test]
    fn a_declared_mode_holds_whole_and_is_kept_without_its_preset() {
        for (stored, said) in modes()
            .into_iter()
            .flat_map(|stored| modes().map(|said| (stored.clone(), said)))
        {
            let Some(said) = said else { continue };
            let now = turn(stored.as_ref(), Said::Mode(said.clone()));
            assert!(now.declared && now.effective.as_ref() == Some(&said));
            let kept = now.stored.unwrap();
            match (&kept, &said) {
                (Mode::Design { preset }, _) => assert_eq!(*preset, None),
                (kept, said) => assert_eq!(kept, said),
            }
        }
    }

    #[test]
    fn a_switch_is_nothing_new_refused_or_plain() {
        for stored in modes() {
            for to in ModeKind::ALL {
                let same = stored.as_ref().is_some_and(|mode| mode.kind() == to);
                let expected = if same {
                    Ok(Switched::Same)
                } else {
                    Ok(Switched::To(to.plain()))
                };
                assert_eq!(switch(stored.as_ref(), to, true), expected);
                if to == ModeKind::Document && !same {
                    assert_eq!(switch(stored.as_ref(), to, false), Err(DocumentsUnavailable));
                }
            }
        }
    }

    #[test]
    fn a_mode_reads_back_and_nothing_else_is_one() {
        for mode in modes().into_iter().flatten() {
            assert_eq!(Mode::from_json(&mode.to_json()), Some(mode));
        }
        for bad in [
            serde_json::json!({"kind": "video"}),
            serde_json::json!({"kind": "design", "ratio": "1:1"}),
            serde_json::json!({"kind": "image", "ratio": 1}),
            serde_json::json!("image"),
        ] {
            assert_eq!(Mode::from_json(&bad), None, "{bad}");
        }
    }

    #[test]
    fn a_particular_has_at_most_128_characters() {
        for (kind, name) in [("design", "preset"), ("image", "ratio"), ("image", "resolution")] {
            let mode = |chars: usize| Mode::from_json(&serde_json::json!({"kind": kind, name: "ä".repeat(chars)}));
            assert!(mode(PARTICULAR_CHARS_MAX).is_some(), "{name}");
            assert_eq!(mode(PARTICULAR_CHARS_MAX + 1), None, "{name}");
        }
    }
}
