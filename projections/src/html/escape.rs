//! Writing texts and attributes.

/// What stands where HTML cannot hold a NUL.
const REPLACED: char = '\u{fffd}';

/// Appends a text as the content of an element.
pub(super) fn push_text(out: &mut String, text: &str) {
    push(out, text, |byte| matches!(byte, b'&' | b'<' | b'>' | b'\r' | 0));
}

/// Appends ` name="value"`.
pub(super) fn push_attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    push_value(out, value);
    out.push('"');
}

/// Appends a part of an attribute's value.
pub(super) fn push_value(out: &mut String, value: &str) {
    push(out, value, |byte| {
        matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\r' | b'\n' | 0)
    });
}

/// Gives a text as it comes back from HTML.
pub(super) fn said(text: &str) -> std::borrow::Cow<'_, str> {
    match text.contains('\0') {
        true => text.replace('\0', "\u{fffd}").into(),
        false => text.into(),
    }
}

fn push(out: &mut String, text: &str, special: impl Fn(u8) -> bool) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if !special(byte) {
            continue;
        }
        out.push_str(&text[from..at]);
        from = at + 1;
        match byte {
            b'&' => out.push_str("&amp;"),
            b'<' => out.push_str("&lt;"),
            b'>' => out.push_str("&gt;"),
            b'"' => out.push_str("&quot;"),
            b'\r' => out.push_str("&#13;"),
            b'\n' => out.push_str("&#10;"),
            _ => out.push(REPLACED),
        }
    }
    out.push_str(&text[from..]);
}
