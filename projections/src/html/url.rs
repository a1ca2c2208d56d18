//! Which URLs are kept.

/// Schemes that run code, or reach past the web.
const UNSAFE: [&str; 4] = ["javascript", "vbscript", "livescript", "file"];
const DATA: &str = "data";
const IMAGES: &str = "image/";

/// Attributes that hold a URL.
pub(super) const URL_ATTRIBUTES: [&str; 10] = [
    "href",
    "src",
    "data-href",
    "data-src",
    "action",
    "formaction",
    "poster",
    "xlink:href",
    "data",
    "background",
];

/// Says whether a URL runs no code: relative, of an ordinary scheme, or image data.
pub(super) fn is_safe(url: &str) -> bool {
    // Browsers pass over white space and control characters in front of and inside the scheme.
    let mut letters = url
        .chars()
        .filter(|letter| !letter.is_whitespace() && !letter.is_control());
    let mut scheme = String::new();
    loop {
        match letters.next() {
            Some(':') => break,
            Some(letter) if letter.is_ascii_alphanumeric() || "+-.".contains(letter) => {
                scheme.push(letter.to_ascii_lowercase());
            }
            _ => return true,
        }
    }
    if scheme == DATA {
        let kind: String = letters.take(IMAGES.len()).collect();
        return kind.eq_ignore_ascii_case(IMAGES);
    }
    !UNSAFE.contains(&scheme.as_str())
}
