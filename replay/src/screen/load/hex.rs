//! Bytes that are no event, for whoever can read them all the same.

/// The bytes of a line.
const LINE_BYTES: usize = 16;
/// The most bytes that are shown.
const SHOWN_BYTES: usize = 4096;

/// Bytes as lines: the place, the bytes in hexadecimal, the letters among them.
pub(super) fn dump(bytes: &[u8]) -> Vec<String> {
    let shown = &bytes[..bytes.len().min(SHOWN_BYTES)];
    let lines = shown.chunks(LINE_BYTES).enumerate();
    let mut lines: Vec<_> = lines.map(|(number, bytes)| line(number * LINE_BYTES, bytes)).collect();
    if bytes.len() > SHOWN_BYTES {
        lines.push(format!("… {} bytes more", bytes.len() - SHOWN_BYTES));
    }
    lines
}

fn line(at: usize, bytes: &[u8]) -> String {
    let hex: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let letters: String = bytes.iter().map(|byte| letter(*byte)).collect();
    format!("{at:06x}  {:<47}  {letters}", hex.join(" "))
}

fn letter(byte: u8) -> char {
    if byte.is_ascii_graphic() || byte == b' ' {
        char::from(byte)
    } else {
        '·'
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_lines_of_sixteen_up_to_a_limit() {
        assert_eq!(
            dump(b"recto \x00\xff and so on"),
            [
                "000000  72 65 63 74 6f 20 00 ff 20 61 6e 64 20 73 6f 20  recto ·· and so ",
                "000010  6f 6e                                            on",
            ]
        );
        let long = dump(&[0; SHOWN_BYTES + 3]);
        assert_eq!(long.len(), SHOWN_BYTES / LINE_BYTES + 1);
        assert_eq!(long.last().map(String::as_str), Some("… 3 bytes more"));
    }
}
