//! How a task ends: one tagged union, the same for the ledger, the tools and the user's screen.

mod failure;

use recto_projections::Json;
use serde_json::{Map, json};

use crate::assets::AssetId;

/// The end of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskResult {
    /// The image is an asset.
    Succeeded(Image),
    /// There is no image, and there will be none for this request.
    Failed(Failure),
}

/// The image of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// The asset.
    pub asset: AssetId,
    /// Where a small form of it can be seen.
    pub preview: Option<ImagePreview>,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
}

/// Where a small form of an image can be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImagePreview {
    /// The address.
    pub url: String,
    /// Until when, in RFC 3339, where it ends.
    pub expires_at: Option<String>,
}

/// Why there is no image.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The credits do not suffice.
    Credits {
        /// Whether more can be bought.
        can_upgrade: bool,
        /// When there will be new ones.
        refresh_in_seconds: Option<u64>,
    },
    /// Too many pixels were asked for, or sent.
    Resolution {
        /// What was asked for or sent.
        requested: Size,
        /// What is allowed.
        limited: Size,
        /// Which of the two.
        of: ResolutionOf,
    },
    /// The service made none.
    NoImage {
        /// What it says.
        message: String,
    },
    /// Anything else.
    Error {
        /// The stable code.
        code: Option<String>,
        /// What is the case.
        message: Option<String>,
    },
}

/// A size in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels.
    pub width: u64,
    /// Pixels.
    pub height: u64,
}

/// What had too many pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResolutionOf {
    /// The image that was sent.
    Source,
    /// The image that was asked for.
    Request,
}

/// What an asset is for in a task, as its caller says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The image is worked on.
    Source,
    /// The image is looked at.
    Reference,
}

/// An asset went away while the task ran.
pub(super) const ASSET_GONE: &str = "asset_gone";
/// The service has lost the task, or its image, again and again.
pub(super) const TASK_LOST: &str = "task_lost";
/// The task was given up by its caller.
pub(super) const CANCELLED: &str = "cancelled";
/// The service sent something that is no image.
pub(super) const BAD_IMAGE: &str = "bad_image";
/// An asset that the service does not find, and it does not say which.
pub(super) const ASSET_NOT_FOUND: &str = "asset_not_found";

impl Role {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Reference => "reference",
        }
    }

    /// The code where there is no such asset.
    #[must_use]
    pub fn not_found(self) -> &'static str {
        match self {
            Self::Source => "source_asset_not_found",
            Self::Reference => "reference_asset_not_found",
        }
    }

    fn code(self, what: &str) -> String {
        format!("{}_{what}", self.as_str())
    }
}

impl TaskResult {
    /// The name under which ends of this sort are counted.
    #[must_use]
    pub fn outcome(&self) -> &'static str {
        match self {
            Self::Succeeded(_) => "succeeded",
            Self::Failed(Failure::Credits { .. }) => "credits",
            Self::Failed(Failure::Resolution { .. }) => "resolution",
            Self::Failed(Failure::NoImage { .. }) => "no_image",
            Self::Failed(failure) if failure.is_callers() => "caller_error",
            Self::Failed(_) => "service_error",
        }
    }

    /// On the wire, and in the ledger. Which attempt it is the end of decides on its next step; a request that was refused
    /// before there was a task has none.
    #[must_use]
    pub fn to_json(&self, attempt: Option<u32>) -> Json {
        match self {
            Self::Succeeded(image) => image.to_json(),
            Self::Failed(failure) => failure.to_json(attempt),
        }
    }

    pub(crate) fn from_json(json: &Json) -> Option<Self> {
        match json.get("status")?.as_str()? {
            "succeeded" => Image::from_json(json).map(Self::Succeeded),
            "failed" => Failure::from_json(json).map(Self::Failed),
            _ => None,
        }
    }
}

impl Image {
    fn to_json(&self) -> Json {
        let mut map = Map::new();
        map.insert("status".into(), "succeeded".into());
        map.insert("assetId".into(), self.asset.to_string().into());
        if let Some(preview) = &self.preview {
            map.insert("previewUrl".into(), preview.url.as_str().into());
            if let Some(until) = &preview.expires_at {
                map.insert("previewUrlExpiresAt".into(), until.as_str().into());
            }
        }
        map.insert("width".into(), self.width.into());
        map.insert("height".into(), self.height.into());
        Json::Object(map)
    }

    fn from_json(json: &Json) -> Option<Self> {
        let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
        let side = |name: &str| u32::try_from(json.get(name)?.as_u64()?).ok();
        Some(Self {
            asset: text("assetId")?.parse().ok()?,
            preview: text("previewUrl").map(|url| ImagePreview {
                url,
                expires_at: text("previewUrlExpiresAt"),
            }),
            width: side("width")?,
            height: side("height")?,
        })
    }
}

impl Size {
    /// Reads `{"width": …, "height": …}`.
    #[must_use]
    pub fn from_json(json: &Json) -> Option<Self> {
        Some(Self {
            width: json.get("width")?.as_u64()?,
            height: json.get("height")?.as_u64()?,
        })
    }

    fn to_json(self) -> Json {
        json!({ "width": self.width, "height": self.height })
    }
}

impl ResolutionOf {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Request => "request",
        }
    }

    /// From the name on the wire.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Source, Self::Request].into_iter().find(|of| of.as_str() == name)
    }

    fn words(self, requested: Size, limited: Size) -> String {
        let Size { width, height } = requested;
        let what = match self {
            Self::Source => "the source image has",
            Self::Request => "the image asked for would have",
        };
        format!(
            "{what} {width} × {height} pixels, and at most {} × {} are possible",
            limited.width, limited.height
        )
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn every_end_reads_back_from_its_json() {
        let size = |width| Size { width, height: 9 };
        let asset = "0192f0c1-7a3b-7c5d-8e9f-0a1b2c3d4e5f".parse().unwrap();
        let preview = ImagePreview {
            url: "https://x/1".into(),
            expires_at: Some("2026-11-30T00:00:00Z".into()),
        };
        let ends = [
            TaskResult::Succeeded(Image {
                asset,
                preview: Some(preview),
                width: 7,
                height: 5,
            }),
            TaskResult::Succeeded(Image {
                asset,
                preview: None,
                width: 7,
                height: 5,
            }),
            TaskResult::Failed(Failure::Credits {
                can_upgrade: true,
                refresh_in_seconds: Some(60),
            }),
            TaskResult::Failed(Failure::Credits {
                can_upgrade: false,
                refresh_in_seconds: None,
            }),
            TaskResult::Failed(Failure::Resolution {
                requested: size(8),
                limited: size(4),
                of: ResolutionOf::Source,
            }),
            TaskResult::Failed(Failure::NoImage { message: "no".into() }),
            TaskResult::Failed(Failure::not_found(Role::Reference, "x")),
            TaskResult::Failed(Failure::Error {
                code: None,
                message: None,
            }),
        ];
        for end in ends {
            let text = end.to_json(Some(1)).to_string();
            let json: Json = serde_json::from_str(&text).unwrap();
            assert_eq!(TaskResult::from_json(&json), Some(end), "{text}");
            assert!(
                json["status"] == "succeeded" || json["next"].as_str().unwrap().ends_with('.'),
                "{text}"
            );
        }
    }

    #[test]
    fn a_source_and_a_reference_are_told_apart() {
        let code = |role| Failure::not_found(role, "x").to_json(None)["errorCode"].clone();
        assert_eq!(code(Role::Source), "source_asset_not_found");
        assert_eq!(code(Role::Reference), "reference_asset_not_found");
    }
}
