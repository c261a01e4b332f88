//! PNG maps: 16-bit grayscale with a scale, and nothing else.

mod made;

use fingerpad_contact::surface::elevation::{Grid, Samples};
use fingerpad_files::terrain::{self, PngScale, Terrain, TerrainError, TerrainFormat, TerrainOptions};

const SCALE: PngScale = PngScale { dx: 0.5, dy: 2.0, x0: 10.0, y0: -20.0, z_scale: 0.01, z_offset: -5.0 };

fn read(bytes: &[u8]) -> Result<Terrain, TerrainError> {
    let options = TerrainOptions { png: Some(SCALE), ..Default::default() };
    terrain::read_bytes(bytes, "map.png", &options)
}

/// Written by the `png` crate's encoder, filters and all.
fn encoded(nx: u32, ny: u32, color: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, nx, ny);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.write_header().unwrap().write_image_data(data).unwrap();
    out
}

fn level(i: usize, row: usize) -> u16 {
    made::height(i, row) as u16 * 7
}

fn levels(nx: usize, ny: usize) -> Vec<u8> {
    (0..ny).flat_map(|row| (0..nx).flat_map(move |i| level(i, row).to_be_bytes())).collect()
}

/// Would catch little-endian levels, rows kept north first, and scale applied the wrong way round.
#[test]
fn sixteen_bit_gray_becomes_scaled_heights() {
    let (nx, ny) = (7, 5);
    let terrain = read(&encoded(7, 5, png::ColorType::Grayscale, png::BitDepth::Sixteen, &levels(nx, ny))).unwrap();
    assert_eq!(terrain.format, TerrainFormat::Png);
    assert_eq!(terrain.grid, Grid { nx, ny, dx: 0.5, dy: 2.0, x0: 10.0, y0: -20.0 });
    for row in 0..ny {
        for i in 0..nx {
            assert_eq!(terrain.node_height(i, ny - 1 - row), -5.0 + 0.01 * f64::from(level(i, row)));
        }
    }
}

/// The seven passes of Adam7, written by hand after the PNG specification, §8.2.
#[test]
fn interlaced_files_read_the_same() {
    let (nx, ny) = (11, 9);
    let passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)];
    let mut lines = Vec::new();
    for (x, y, dx, dy) in passes {
        for row in (y..ny).step_by(dy) {
            let line: Vec<u8> = (x..nx).step_by(dx).flat_map(|i| level(i, row).to_be_bytes()).collect();
            lines.push(line);
        }
    }
    let interlaced = read(&made::png(nx as u32, ny as u32, (16, 0), true, &lines, None)).unwrap();
    let rows: Vec<Vec<u8>> = levels(nx, ny).chunks(2 * nx).map(<[u8]>::to_vec).collect();
    let plain = read(&made::png(nx as u32, ny as u32, (16, 0), false, &rows, None)).unwrap();
    assert_eq!(interlaced, plain);
}

#[test]
fn the_transparent_level_is_missing() {
    let rows = vec![vec![0, 1, 0, 2], vec![0, 3, 0, 1]];
    let terrain = read(&made::png(2, 2, (16, 0), false, &rows, Some(1))).unwrap();
    assert_eq!(terrain.samples, Samples::U16 { raw: vec![3, 1, 1, 2], missing: Some(1) });
    assert!(terrain.node_height(1, 0).is_nan());
    let hidden = read(&made::png(1, 1, (16, 0), false, &[vec![0, 1]], Some(1))).unwrap_err();
    assert!(matches!(hidden, TerrainError::NoHeights { nodes: 1, .. }));
}

#[test]
fn other_pngs_are_refused_by_what_they_are() {
    use png::{BitDepth, ColorType};
    for (color, depth, bytes, said) in [
        (ColorType::Grayscale, BitDepth::Eight, 1, "8-bit Grayscale; expected 16-bit Grayscale"),
        (ColorType::GrayscaleAlpha, BitDepth::Sixteen, 4, "16-bit GrayscaleAlpha; expected 16-bit Grayscale"),
        (ColorType::Rgb, BitDepth::Sixteen, 6, "16-bit Rgb; expected"),
        (ColorType::Rgba, BitDepth::Eight, 4, "8-bit Rgba; expected"),
    ] {
        let file = encoded(1, 1, color, depth, &vec![9; bytes]);
        let error = terrain::read_bytes(&file, "map.png", &TerrainOptions::default()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn a_png_without_a_usable_scale_is_refused() {
    let file = encoded(2, 2, png::ColorType::Grayscale, png::BitDepth::Sixteen, &[0; 8]);
    let error = terrain::read_bytes(&file, "map.png", &TerrainOptions::default()).unwrap_err();
    assert!(matches!(error, TerrainError::NoPngScale { .. }));
    for (scale, name) in [
        (PngScale { dx: 0.0, ..SCALE }, "dx"),
        (PngScale { dy: f64::INFINITY, ..SCALE }, "dy"),
        (PngScale { y0: f64::NAN, ..SCALE }, "y0"),
        (PngScale { z_scale: 0.0, ..SCALE }, "z_scale"),
    ] {
        let options = TerrainOptions { png: Some(scale), ..Default::default() };
        let error = terrain::read_bytes(&file, "map.png", &options).unwrap_err().to_string();
        assert!(error.contains(&format!("`{name}` must be")), "{error}");
    }
}

/// A header of 16,000 × 16,000 over nothing: 0.5 GB announced by 90 bytes.
#[test]
fn sizes_that_the_file_cannot_hold_are_refused_before_memory() {
    let bomb = made::png(16_000, 16_000, (16, 0), false, &[vec![0; 8]], None);
    assert!(matches!(read(&bomb), Err(TerrainError::TooShort { columns: 16_000, .. })));
    let short = made::png(4, 4, (16, 0), false, &[vec![0; 8]], None);
    assert!(matches!(read(&short), Err(TerrainError::Png { .. } | TerrainError::Malformed { .. })));
}
