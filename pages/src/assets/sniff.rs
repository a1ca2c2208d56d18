//! What a file is, from its bytes alone: PNG, JPEG or WebP, whole, and of a size that can be worked with.

use imagesize::ImageType;

/// The most pixels of an image: 16,384 × 16,384 / 2. A decoder takes four bytes or more for each.
pub const PIXELS_MAX: u64 = 134_217_728;

/// The three formats that are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
}

/// What an image is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageInfo {
    /// Its format.
    pub format: ImageFormat,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
}

/// Why a file is not taken as an image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnImage {
    /// It has no bytes.
    #[error("the file has no bytes")]
    Empty,
    /// It is something else.
    #[error("the file is no PNG, JPEG or WebP image")]
    Unsupported,
    /// It begins as an image and does not end as one.
    #[error("the file begins as a {} image and is cut off or damaged", format.as_str())]
    Truncated {
        /// As what it begins.
        format: ImageFormat,
    },
    /// It says that it is something else than it is.
    #[error("the file was sent as {declared:?} and is a {} image", actual.as_str())]
    Mismatch {
        /// The media type that it was sent with.
        declared: String,
        /// What it is.
        actual: ImageFormat,
    },
    /// It has too many pixels, or none.
    #[error("the image has {width} × {height} pixels, and 1 to {PIXELS_MAX} are taken")]
    Pixels {
        /// Its width in pixels.
        width: u64,
        /// Its height in pixels.
        height: u64,
    },
}

impl ImageFormat {
    const ALL: [Self; 3] = [Self::Png, Self::Jpeg, Self::Webp];

    /// The name for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::Webp => "WebP",
        }
    }

    /// The media type.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
        }
    }

    /// What a file name ends with.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Webp => "webp",
        }
    }

    /// The format of a media type.
    #[must_use]
    pub fn of_media_type(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.media_type() == text)
    }
}

/// Looks at the bytes of a file that was sent with a media type. Two readers must agree on the format, and the file
/// must end where its format says that it does.
///
/// # Errors
/// [`NotAnImage`].
pub fn sniff(bytes: &[u8], declared: Option<&str>) -> Result<ImageInfo, NotAnImage> {
    if bytes.is_empty() {
        return Err(NotAnImage::Empty);
    }
    let format = format_by_magic(bytes).ok_or(NotAnImage::Unsupported)?;
    if format_by_header(bytes).is_some_and(|other| other != format) {
        return Err(NotAnImage::Unsupported);
    }
    if let Some(declared) = declared.filter(|declared| lies(declared, format)) {
        return Err(NotAnImage::Mismatch {
            declared: declared.chars().take(64).collect(),
            actual: format,
        });
    }
    let size = imagesize::blob_size(bytes).map_err(|_| NotAnImage::Truncated { format })?;
    let (width, height) = (whole(size.width), whole(size.height));
    let pixels = width.saturating_mul(height);
    if pixels == 0 || pixels > PIXELS_MAX {
        return Err(NotAnImage::Pixels { width, height });
    }
    if !ends_well(bytes, format) {
        return Err(NotAnImage::Truncated { format });
    }
    let side = |side: u64| u32::try_from(side).map_err(|_| NotAnImage::Pixels { width, height });
    Ok(ImageInfo {
        format,
        width: side(width)?,
        height: side(height)?,
    })
}

fn format_by_magic(bytes: &[u8]) -> Option<ImageFormat> {
    ImageFormat::of_media_type(infer::get(bytes)?.mime_type())
}

fn format_by_header(bytes: &[u8]) -> Option<ImageFormat> {
    match imagesize::image_type(bytes).ok()? {
        ImageType::Png => Some(ImageFormat::Png),
        ImageType::Jpeg => Some(ImageFormat::Jpeg),
        ImageType::Webp => Some(ImageFormat::Webp),
        #[allow(unreachable_patterns, reason = "another crate can turn further formats on")]
        _ => None,
    }
}

/// A type that says nothing does not lie.
fn lies(declared: &str, actual: ImageFormat) -> bool {
    let essence = declared
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match essence.as_str() {
        "" | "application/octet-stream" | "image/*" => false,
        "image/jpg" | "image/pjpeg" => actual != ImageFormat::Jpeg,
        other => other != actual.media_type(),
    }
}

fn ends_well(bytes: &[u8], format: ImageFormat) -> bool {
    match format {
        ImageFormat::Png => png_ends(bytes),
        ImageFormat::Jpeg => jpeg_ends(bytes),
        ImageFormat::Webp => webp_ends(bytes),
    }
}

/// Chunks follow each other up to `IEND`, and image data is among them.
fn png_ends(bytes: &[u8]) -> bool {
    const SIGNATURE: usize = 8;
    const LENGTH_AND_NAME: usize = 8;
    const CHECKSUM: usize = 4;
    let mut rest = bytes.get(SIGNATURE..).unwrap_or_default();
    let mut has_data = false;
    while let Some((head, body)) = rest.split_at_checked(LENGTH_AND_NAME) {
        let Some((length, name)) = head.split_first_chunk::<4>() else {
            return false;
        };
        let Ok(length) = usize::try_from(u32::from_be_bytes(*length)) else {
            return false;
        };
        let Some(next) = length.checked_add(CHECKSUM).and_then(|skip| body.get(skip..)) else {
            return false;
        };
        match name {
            b"IDAT" => has_data = true,
            b"IEND" => return has_data,
            _ => {}
        }
        rest = next;
    }
    false
}

/// Segments follow each other up to the scan, and an end marker comes after it.
fn jpeg_ends(bytes: &[u8]) -> bool {
    const START_OF_SCAN: u8 = 0xda;
    let mut rest = bytes.get(2..).unwrap_or_default();
    loop {
        let Some((&[0xff, marker], body)) = rest.split_first_chunk::<2>() else {
            return false;
        };
        if marker == 0xff {
            // A fill byte.
            rest = rest.get(1..).unwrap_or_default();
            continue;
        }
        if marker == START_OF_SCAN {
            return body.windows(2).any(|pair| pair == [0xff, 0xd9]);
        }
        let Some(length) = body
            .first_chunk::<2>()
            .map(|bytes| usize::from(u16::from_be_bytes(*bytes)))
        else {
            return false;
        };
        let Some(next) = body.get(length.max(2)..) else {
            return false;
        };
        rest = next;
    }
}

/// The container says how long it is.
fn webp_ends(bytes: &[u8]) -> bool {
    const NAME_AND_LENGTH: u64 = 8;
    let length = bytes.get(4..8).and_then(|length| length.first_chunk::<4>());
    let length = length.map(|length| u64::from(u32::from_le_bytes(*length)));
    length.is_some_and(|length| length > NAME_AND_LENGTH && whole(bytes.len()) >= length + NAME_AND_LENGTH)
}

fn whole(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend(b"\x08\x06\0\0\0\0\0\0\0");
        bytes.extend(b"\0\0\0\x01IDATx\0\0\0\0");
        bytes.extend(b"\0\0\0\0IEND\xae\x42\x60\x82");
        bytes
    }

    fn jpeg() -> Vec<u8> {
        let mut bytes = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0".to_vec();
        bytes.extend(b"\xff\xc0\0\x11\x08\0\x05\0\x07\x03\x01\x11\0\x02\x11\0\x03\x11\0");
        bytes.extend(b"\xff\xda\0\x08\x01\x01\0\0\x3f\0\x01\x02\xff\xd9");
        bytes
    }

    fn webp() -> Vec<u8> {
        let mut bytes = b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f".to_vec();
        // 14 bits of width - 1, 14 bits of height - 1.
        bytes.extend((6_u32 | (4 << 14)).to_le_bytes());
        bytes.extend([0; 9]);
        bytes
    }

    #[test]
    fn the_three_formats_are_read() {
        for (bytes, format) in [
            (png(7, 5), ImageFormat::Png),
            (jpeg(), ImageFormat::Jpeg),
            (webp(), ImageFormat::Webp),
        ] {
            let expected = ImageInfo {
                format,
                width: 7,
                height: 5,
            };
            assert_eq!(sniff(&bytes, None), Ok(expected));
            assert_eq!(sniff(&bytes, Some(format.media_type())), Ok(expected));
            assert_eq!(sniff(&bytes, Some("application/octet-stream")), Ok(expected));
            assert!(matches!(
                sniff(&bytes, Some("image/gif; q=1")),
                Err(NotAnImage::Mismatch { .. })
            ));
        }
    }

    #[test]
    fn a_file_cut_off_anywhere_is_refused() {
        for bytes in [png(7, 5), jpeg(), webp()] {
            for end in 0..bytes.len() {
                assert!(sniff(&bytes[..end], None).is_err(), "{end}");
            }
        }
    }

    #[test]
    fn no_bytes_no_pixels_and_too_many_pixels_are_refused() {
        assert_eq!(sniff(&[], None), Err(NotAnImage::Empty));
        assert_eq!(sniff(b"GIF89a\x01\0\x01\0\0\0\0;", None), Err(NotAnImage::Unsupported));
        assert_eq!(
            sniff(b"<svg xmlns='x'/>", Some("image/png")),
            Err(NotAnImage::Unsupported)
        );
        for (width, height) in [(0, 5), (5, 0), (16_385, 16_384), (u32::MAX, u32::MAX)] {
            assert!(matches!(
                sniff(&png(width, height), None),
                Err(NotAnImage::Pixels { .. })
            ));
        }
    }
}
