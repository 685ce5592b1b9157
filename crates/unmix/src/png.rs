//! Pictures: PNG files of gray or colored pixels.

use flate2::{Compression, Crc, write::ZlibEncoder};
use std::io::Write;

/// A picture: rows of pixels from the top, each a byte or three.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Bytes of a pixel: 1 for gray, 3 for red, green and blue.
    pub channels: usize,
    /// All bytes, row after row.
    pub bytes: Vec<u8>,
}

impl Picture {
    /// The file.
    pub fn png(&self) -> Vec<u8> {
        assert_eq!(self.bytes.len(), self.width * self.height * self.channels, "all pixels");
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        for row in self.bytes.chunks_exact((self.width * self.channels).max(1)) {
            // Each row begins with the number of its filter: none. A vector takes all that is written.
            _ = packed.write_all(&[0]).and_then(|()| packed.write_all(row));
        }
        let mut header = Vec::new();
        header.extend((self.width as u32).to_be_bytes());
        header.extend((self.height as u32).to_be_bytes());
        header.extend([8, if self.channels == 3 { 2 } else { 0 }, 0, 0, 0]);
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        for (kind, data) in [(b"IHDR", header), (b"IDAT", packed.finish().unwrap_or_default()), (b"IEND", Vec::new())] {
            let mut sum = Crc::new();
            sum.update(kind);
            sum.update(&data);
            file.extend((data.len() as u32).to_be_bytes());
            file.extend(kind);
            file.extend(data);
            file.extend(sum.sum().to_be_bytes());
        }
        file
    }
}

/// A number from 0 to 1 as a byte; NaN is 0.
pub fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_a_png() {
        let picture = Picture { width: 2, height: 1, channels: 3, bytes: vec![255, 0, 0, 0, 0, 255] };
        let file = picture.png();
        assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(&file[8..33], b"\0\0\0\rIHDR\0\0\0\x02\0\0\0\x01\x08\x02\0\0\0\x7b\x40\xe8\xdd");
        assert_eq!(&file[file.len() - 12..], b"\0\0\0\0IEND\xaeB`\x82");
        assert_eq!([byte(f32::NAN), byte(-1.0), byte(0.5), byte(7.0)], [0, 0, 128, 255]);
    }
}
