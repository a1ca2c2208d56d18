//! From refusals of files to codes.

use recto_pages::{FileError, NotAnImage, PIXELS_MAX};

use super::{Code, Problem};

/// Tells why nothing was done with a file.
pub(crate) fn of_file(error: impl std::borrow::Borrow<FileError>) -> Problem {
    let error = error.borrow();
    let problem = |code| Problem::new(code, error.to_string());
    match error {
        FileError::BadId { .. } => problem(Code::FileIdIllegal),
        FileError::AttachmentNotFound { attachment } => {
            problem(Code::AttachmentNotFound).with("attachment", attachment.as_str())
        }
        FileError::AssetNotFound { asset } => problem(Code::AssetNotFound).with("assetId", asset.as_str()),
        FileError::AttachmentExists { attachment } => {
            problem(Code::AttachmentExists).with("attachment", attachment.as_str())
        }
        FileError::NotAnImage { attachment, fault } => {
            of_image(fault, error.to_string()).with("attachment", attachment.as_str())
        }
        FileError::TooLarge { limit } => problem(Code::FileTooLarge).with("limit", *limit),
        FileError::BrokenOff => problem(Code::BodyBroken),
        FileError::Corrupt { .. } => problem(Code::Corrupt),
        FileError::Unwritable { .. } => problem(Code::TooLarge),
        FileError::Unavailable { .. } => problem(Code::Unavailable),
    }
}

fn of_image(fault: &NotAnImage, detail: String) -> Problem {
    match fault {
        NotAnImage::Empty => Problem::new(Code::FileEmpty, detail),
        NotAnImage::Unsupported => Problem::new(Code::UnsupportedFormat, detail),
        NotAnImage::Truncated { .. } => Problem::new(Code::ImageTruncated, detail),
        NotAnImage::Mismatch { declared, actual } => Problem::new(Code::MediaTypeMismatch, detail)
            .with("declared", declared.as_str())
            .with("actual", actual.media_type()),
        NotAnImage::Pixels { width, height } => Problem::new(Code::ImagePixels, detail)
            .with("width", *width)
            .with("height", *height)
            .with("limit", PIXELS_MAX),
    }
}
