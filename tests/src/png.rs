//! Real PNG images: whole, decodable, and as many different ones as there are seeds.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

/// An image of one colour, which the seed makes.
///
/// # Panics
/// Where memory cannot be written to.
pub fn png(width: u32, height: u32, seed: u64) -> Vec<u8> {
    let [red, green, blue, ..] = seed.to_le_bytes();
    let mut row = vec![0];
    for _ in 0..width {
        row.extend([red, green, blue]);
    }
    let mut pixels = ZlibEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..height {
        pixels.write_all(&row).expect("memory");
    }
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    // Eight bits for each of three colours.
    header.extend([8, 2, 0, 0, 0]);
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut bytes, b"IHDR", &header);
    chunk(&mut bytes, b"tEXt", format!("seed\0{seed}").as_bytes());
    chunk(&mut bytes, b"IDAT", &pixels.finish().expect("memory"));
    chunk(&mut bytes, b"IEND", &[]);
    bytes
}

fn chunk(bytes: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).expect("a small image");
    bytes.extend(length.to_be_bytes());
    bytes.extend(name);
    bytes.extend(data);
    let mut sum = Crc::new();
    sum.update(name);
    sum.update(data);
    bytes.extend(sum.sum().to_be_bytes());
}
