//! Why there is no image: its codes, its next step, its JSON.

use recto_projections::Json;
use serde_json::Map;

use super::{ASSET_GONE, ASSET_NOT_FOUND, CANCELLED, Failure, ResolutionOf, Role, Size};
use crate::assets::{FileError, NotAnImage};

impl Failure {
    pub(crate) fn error(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Error {
            code: Some(code.into()),
            message: Some(message.into()),
        }
    }

    /// There is no such asset, in the role that its caller gave it.
    pub(crate) fn not_found(role: Role, given: &str) -> Self {
        let shown: String = given.chars().take(128).collect();
        Self::error(
            role.not_found(),
            format!("there is no {} image {shown:?}", role.as_str()),
        )
    }

    /// The file of a role cannot be used; `None` where trying later can help.
    pub(crate) fn of_file(role: Role, given: &str, fault: &FileError) -> Option<Self> {
        let code = match fault {
            FileError::Corrupt { .. } | FileError::Unavailable { .. } => return None,
            FileError::AttachmentNotFound { .. } | FileError::AssetNotFound { .. } | FileError::BadId { .. } => {
                return Some(Self::not_found(role, given));
            }
            FileError::NotAnImage { fault, .. } => match fault {
                NotAnImage::Empty => "empty",
                NotAnImage::Unsupported => "unsupported_format",
                NotAnImage::Truncated { .. } => "truncated",
                NotAnImage::Mismatch { .. } => "media_type_mismatch",
                NotAnImage::Pixels { .. } => "pixels_out_of_range",
            },
            FileError::AttachmentExists { .. }
            | FileError::TooLarge { .. }
            | FileError::BrokenOff
            | FileError::Unwritable { .. } => "unusable",
        };
        Some(Self::error(role.code(code), fault.to_string()))
    }

    /// Whether the request was at fault, not the service.
    pub(crate) fn is_callers(&self) -> bool {
        match self {
            Self::Credits { .. } | Self::Resolution { .. } => true,
            Self::NoImage { .. } => false,
            Self::Error { code, .. } => code.as_deref().is_some_and(|code| {
                code.starts_with("source_")
                    || code.starts_with("reference_")
                    || matches!(code, ASSET_GONE | CANCELLED | ASSET_NOT_FOUND)
            }),
        }
    }

    /// The name of its kind, or its code where it has one.
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Self::Credits { .. } => "credits",
            Self::Resolution { .. } => "resolution",
            Self::NoImage { .. } => "no_image",
            Self::Error { code, .. } => code.as_deref().unwrap_or("error"),
        }
    }

    /// What the caller can do after this end of an attempt, as a sentence.
    #[must_use]
    pub fn next(&self, attempt: Option<u32>) -> String {
        let anew = attempt.map_or_else(
            || "send it again".to_owned(),
            |attempt| format!("send it again with `again: {attempt}`"),
        );
        match self {
            Self::Credits { can_upgrade: true, .. } => format!(
                "Tell the user that the credits are used up and can be upgraded. Once there are new ones, {anew}; not before."
            ),
            Self::Credits { .. } => format!(
                "Tell the user that the credits are used up, and when there will be new ones. Then {anew}; not before."
            ),
            Self::Resolution {
                of: ResolutionOf::Source,
                ..
            } => "Use a smaller source image.".to_owned(),
            Self::Resolution {
                of: ResolutionOf::Request,
                ..
            } => "Ask for a smaller image.".to_owned(),
            Self::NoImage { .. } => "Change the request; the same one gives no image.".to_owned(),
            Self::Error { code, .. } => match code.as_deref() {
                Some("source_asset_not_found") => {
                    "Ask the user for the source image again. Do not send the same id again.".to_owned()
                }
                Some("reference_asset_not_found") => {
                    "Leave the reference image out, or ask the user for it again. Do not send the same id again."
                        .to_owned()
                }
                Some(ASSET_GONE | ASSET_NOT_FOUND) => {
                    "Ask the user for the image again. Do not send the same id again.".to_owned()
                }
                Some(CANCELLED) => format!("Where the image is wanted after all, {anew}."),
                Some(code) if code.starts_with("source_") || code.starts_with("reference_") => {
                    "Ask the user for another image, as PNG, JPEG or WebP. Do not send the same id again.".to_owned()
                }
                _ => format!("Tell the user. Change the request, or {anew}."),
            },
        }
    }

    pub(super) fn to_json(&self, attempt: Option<u32>) -> Json {
        let mut map = Map::new();
        map.insert("status".into(), "failed".into());
        match self {
            Self::Credits {
                can_upgrade,
                refresh_in_seconds,
            } => {
                map.insert("reason".into(), "credits".into());
                map.insert("canUpgrade".into(), (*can_upgrade).into());
                if let Some(seconds) = refresh_in_seconds {
                    map.insert("refreshInSeconds".into(), (*seconds).into());
                }
            }
            Self::Resolution { requested, limited, of } => {
                map.insert("reason".into(), "resolution".into());
                map.insert("requested".into(), requested.to_json());
                map.insert("limited".into(), limited.to_json());
                map.insert("of".into(), of.as_str().into());
                map.insert("message".into(), of.words(*requested, *limited).into());
            }
            Self::NoImage { message } => {
                map.insert("reason".into(), "no_image".into());
                map.insert("message".into(), message.as_str().into());
            }
            Self::Error { code, message } => {
                map.insert("reason".into(), "error".into());
                if let Some(code) = code {
                    map.insert("errorCode".into(), code.as_str().into());
                }
                if let Some(message) = message {
                    map.insert("message".into(), message.as_str().into());
                }
            }
        }
        map.insert("next".into(), self.next(attempt).into());
        Json::Object(map)
    }

    pub(crate) fn from_json(json: &Json) -> Option<Self> {
        let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(match json.get("reason")?.as_str()? {
            "credits" => Self::Credits {
                can_upgrade: json.get("canUpgrade")?.as_bool()?,
                refresh_in_seconds: json.get("refreshInSeconds").and_then(Json::as_u64),
            },
            "resolution" => Self::Resolution {
                requested: Size::from_json(json.get("requested")?)?,
                limited: Size::from_json(json.get("limited")?)?,
                of: ResolutionOf::from_name(json.get("of")?.as_str()?)?,
            },
            "no_image" => Self::NoImage {
                message: text("message")?,
            },
            "error" => Self::Error {
                code: text("errorCode"),
                message: text("message"),
            },
            _ => return None,
        })
    }
}
