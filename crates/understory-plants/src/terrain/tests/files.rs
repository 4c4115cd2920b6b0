//! Files that are written here and read back, whole and damaged.

use crate::terrain::heightmap_file::{HeightmapFile, Holes};
use crate::terrain::holes;
use crate::{HeightField, Random};
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use tiff::encoder::{TiffEncoder, colortype};
use tiff::tags::Tag;
use understory_testing::picture::{grey_png, grey16_png, rgb_png};

const COLUMNS: u32 = 7;
const ROWS: u32 = 5;

/// Height of a pixel: all differ, so that a mirrored or shifted raster shows.
fn height(column: u32, row: u32) -> f64 {
    f64::from(10 * row + column)
}

fn heights<T>(of: impl Fn(f64) -> T) -> Vec<T> {
    (0..ROWS * COLUMNS).map(|at| of(height(at % COLUMNS, at / COLUMNS))).collect()
}

fn heightmap(path: &Path) -> HeightmapFile {
    HeightmapFile {
        path: path.to_owned(),
        spacing_m: None,
        south_west_m: None,
        height_range_m: None,
        holes: Holes::Refuse,
    }
}

/// The field has the heights of the file, whose first row is the northernmost.
fn assert_heights(field: &HeightField, step: f64) {
    assert_eq!((field.columns(), field.rows()), (COLUMNS as usize, ROWS as usize));
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let south = (ROWS - 1 - row) as usize;
            let found = field.height(column as usize, south);
            assert!((found - height(column, row)).abs() <= step, "{found} at {column}, {row}");
        }
    }
}

fn write_tiff<C: colortype::ColorType>(path: &Path, data: &[C::Inner], keys: &[u16], nodata: &str)
where
    [C::Inner]: tiff::encoder::TiffValue,
{
    let mut file = fs::File::create(path).unwrap();
    let mut encoder = TiffEncoder::new(&mut file).unwrap();
    let mut image = encoder.new_image::<C>(COLUMNS, ROWS).unwrap();
    let tags = image.encoder();
    tags.write_tag(Tag::ModelPixelScaleTag, &[2.0, 4.0, 0.0][..]).unwrap();
    let tie = [0.0, 0.0, 0.0, 500_000.0, 5_400_000.0, 0.0];
    tags.write_tag(Tag::ModelTiepointTag, &tie[..]).unwrap();
    if !keys.is_empty() {
        tags.write_tag(Tag::GeoKeyDirectoryTag, keys).unwrap();
    }
    if !nodata.is_empty() {
        tags.write_tag(Tag::GdalNodata, nodata).unwrap();
    }
    image.write_data(data).unwrap();
}

#[test]
fn geotiff_of_every_kind() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.tif");
    let read = || heightmap(&path).read();
    write_tiff::<colortype::Gray8>(&path, &heights(|h| h as u8), &[], "");
    assert_heights(&read().unwrap(), 0.0);
    write_tiff::<colortype::Gray16>(&path, &heights(|h| h as u16), &[], "");
    assert_heights(&read().unwrap(), 0.0);
    write_tiff::<colortype::GrayI16>(&path, &heights(|h| h as i16), &[], "");
    assert_heights(&read().unwrap(), 0.0);
    write_tiff::<colortype::Gray32Float>(&path, &heights(|h| h as f32), &[], "");
    assert_heights(&read().unwrap(), 0.0);
    write_tiff::<colortype::Gray64Float>(&path, &heights(|h| h), &[], "-9999");
    let field = read().unwrap();
    assert_heights(&field, 0.0);

    // Pixels of 2 × 4 m, the outer corner of the first at (500 000, 5 400 000).
    assert_eq!(field.spacing_m().to_array(), [2.0, 4.0]);
    assert_eq!(field.south_west_m().to_array(), [500_001.0, 5_399_982.0]);
    assert_eq!(field.north_east_m().to_array(), [500_013.0, 5_399_998.0]);
    let point = [1, 1, 0, 1, 1025, 0, 1, 2];
    write_tiff::<colortype::Gray64Float>(&path, &heights(|h| h), &point, "");
    assert_eq!(read().unwrap().north_east_m().to_array(), [500_012.0, 5_400_000.0]);

    for (keys, word) in
        [([1, 1, 0, 1, 1024, 0, 1, 2], "degrees"), ([1, 1, 0, 1, 3076, 0, 1, 9003], "9003")]
    {
        write_tiff::<colortype::Gray64Float>(&path, &heights(|h| h), &keys, "");
        let error = read().unwrap_err().to_string();
        assert!(error.contains(word) && error.contains("a.tif"), "{error}");
        let given = HeightmapFile { spacing_m: Some(3.0), ..heightmap(&path) };
        assert_eq!(given.read().unwrap().south_west_m().to_array(), [-9.0, -6.0]);
    }
}

/// Files written by GDAL 3 (through rasterio) and NumPy: 37 × 20 samples, 0.5 m apart, height
/// 100 + 0.25·column − 0.5·row, and corners as those programs give them.
#[test]
fn files_of_other_programs() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/terrain/tests/data");
    let assert_plane = |field: &HeightField, scale: f64| {
        assert_eq!((field.columns(), field.rows()), (37, 20));
        for row in 0..20 {
            for column in 0..37 {
                let height = scale * (100.0 + 0.25 * column as f64 - 0.5 * (19 - row) as f64);
                assert!((field.height(column, row) - height).abs() < 1e-4, "{column}, {row}");
            }
        }
    };
    let tiled = heightmap(&data.join("gdal_tiled_deflate_f32.tif"));
    let error = tiled.read().unwrap_err().to_string();
    assert!(error.contains("1 sample has no height, the first in column 6 of row 4"), "{error}");
    let field = HeightmapFile { holes: Holes::Fill, ..tiled }.read().unwrap();
    assert_plane(&field, 1.0);
    assert_eq!(field.south_west_m().to_array(), [500_000.25, 5_399_990.25]);
    assert_eq!(field.north_east_m().to_array(), [500_018.25, 5_399_999.75]);

    let field = heightmap(&data.join("gdal_point_lzw_i16.tif")).read().unwrap();
    assert_plane(&field, 4.0);
    assert_eq!(field.north_east_m().to_array(), [500_018.25, 5_399_999.75]);

    let error = heightmap(&data.join("gdal_degrees_u8.tif")).read().unwrap_err().to_string();
    assert!(error.contains("degrees"), "{error}");

    let array = heightmap(&data.join("numpy_fortran_f8.npy"));
    let field = HeightmapFile { spacing_m: Some(0.5), ..array }.read().unwrap();
    assert_plane(&field, 1.0);
}

#[test]
fn holes_are_named_or_filled() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("holes.tif");
    let mut data = heights(|h| h as f32);
    data[16] = -3.4e38;
    data[17] = f32::NAN;
    write_tiff::<colortype::Gray32Float>(&path, &data, &[], "-3.4e+38");
    let error = heightmap(&path).read().unwrap_err().to_string();
    assert!(error.contains("2 samples") && error.contains("column 3 of row 3"), "{error}");
    let field = HeightmapFile { holes: Holes::Fill, ..heightmap(&path) }.read().unwrap();
    // The heights lie in a plane, and a plane is harmonic.
    assert_heights(&field, 1e-4);

    write_tiff::<colortype::Gray8>(&path, &[7; 35], &[], "7");
    let error = HeightmapFile { holes: Holes::Fill, ..heightmap(&path) }.read().unwrap_err();
    assert!(error.to_string().contains("none of its samples"), "{error}");
    write_tiff::<colortype::Gray8>(&path, &[7; 35], &[], "none");
    assert!(heightmap(&path).read().unwrap_err().to_string().contains("\"none\""));
}

/// x² − y² is harmonic on the grid as well as in the plane, so a fill must find it again.
#[test]
fn fill_is_harmonic() {
    let (columns, rows) = (150, 130);
    let truth = |at: usize| {
        let (x, y) = ((at % columns) as f64 - 70.0, (at / columns) as f64 - 60.0);
        (x * x - y * y) / 500.0 + 0.05 * x
    };
    let mut filled: Vec<f64> = (0..columns * rows).map(truth).collect();
    for row in 30..90 {
        for column in 40..120 {
            if (column + row) % 37 != 0 {
                filled[row * columns + column] = f64::NAN;
            }
        }
    }
    let mut open = filled.clone();
    holes::fill(&mut filled, columns, rows);
    let worst = |heights: &[f64]| {
        heights.iter().enumerate().map(|(at, h)| (h - truth(at)).abs()).fold(0.0, f64::max)
    };
    println!("hole with lines across: {:.1e} m", worst(&filled));
    assert!(worst(&filled) < 1e-3);

    for row in 30..90 {
        open[row * columns + 40..row * columns + 120].fill(f64::NAN);
    }
    holes::fill(&mut open, columns, rows);
    println!("hole of 80 × 60 samples: {:.1e} m", worst(&open));
    assert!(worst(&open) < 1e-3);
}

/// A hole of the whole middle between a low and a high rim stays between them.
#[test]
fn fill_stays_between_its_rim() {
    let (columns, rows) = (64, 64);
    let mut heights = vec![f64::NAN; columns * rows];
    let mut random = Random::new(4);
    for height in heights.iter_mut() {
        if random.unit() < 0.01 {
            *height = random.between(-3.0, 8.0);
        }
    }
    holes::fill(&mut heights, columns, rows);
    assert!(heights.iter().all(|height| (-3.0..=8.0).contains(height)));
}

#[test]
fn png_and_npy() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.png");
    let range = |high: f64| HeightmapFile {
        spacing_m: Some(0.5),
        height_range_m: Some([0.0, high]),
        ..heightmap(&path)
    };
    fs::write(&path, grey_png([COLUMNS, ROWS], &heights(|h| h as u8))).unwrap();
    assert_heights(&range(255.0).read().unwrap(), 1e-9);
    fs::write(&path, grey16_png([COLUMNS, ROWS], &heights(|h| 100 * h as u16))).unwrap();
    let field = range(655.35).read().unwrap();
    assert_heights(&field, 1e-9);
    assert_eq!(field.south_west_m().to_array(), [-1.5, -1.0]);
    let black = vec![0; (3 * COLUMNS * ROWS) as usize];
    fs::write(&path, rgb_png([COLUMNS, ROWS], &black)).unwrap();
    assert!(range(1.0).read().unwrap_err().to_string().contains("Rgb of 8 bits"));
    assert!(heightmap(&path).read().unwrap_err().to_string().contains("spacing_m"));

    let path = folder.path().join("a.npy");
    let read = || HeightmapFile { spacing_m: Some(0.5), ..heightmap(&path) }.read();
    fs::write(&path, npy("<f4", false, "(5, 7)", &bytes(heights(|h| (h as f32).to_le_bytes()))))
        .unwrap();
    assert_heights(&read().unwrap(), 0.0);
    fs::write(&path, npy(">i2", false, "(5, 7)", &bytes(heights(|h| (h as i16).to_be_bytes()))))
        .unwrap();
    assert_heights(&read().unwrap(), 0.0);
    let by_column: Vec<_> = (0..35).map(|at| height(at / ROWS, at % ROWS).to_le_bytes()).collect();
    fs::write(&path, npy("<f8", true, "(5, 7)", &bytes(by_column))).unwrap();
    assert_heights(&read().unwrap(), 0.0);
    let lies = [
        "(1000000000000, 1000000000000)",
        "(4000000000, 4000000000)",
        "(4000000000, 4000000000, 4000000000)",
        "(5, 8)",
        "(35,)",
        "()",
        "(0, 7)",
    ];
    for shape in lies {
        fs::write(&path, npy("<f8", false, shape, &[0; 280])).unwrap();
        let error = read().unwrap_err().to_string();
        assert!(error.contains("a.npy"), "{error}");
    }
}

fn bytes<const N: usize>(numbers: Vec<[u8; N]>) -> Vec<u8> {
    numbers.concat()
}

fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

/// Every shorter file is refused, and no changed byte makes a reader panic.
#[test]
fn damaged_files_never_panic() {
    let folder = TempDir::new().unwrap();
    let tif = folder.path().join("a.tif");
    write_tiff::<colortype::Gray32Float>(
        &tif,
        &heights(|h| h as f32),
        &[1, 1, 0, 1, 1025, 0, 1, 2],
        "-9999",
    );
    let packed = folder.path().join("packed.tif");
    {
        let mut file = fs::File::create(&packed).unwrap();
        let mut encoder = TiffEncoder::new(&mut file)
            .unwrap()
            .with_compression(tiff::encoder::Compression::Deflate(Default::default()));
        let data = heights(|h| h as u16);
        encoder.write_image::<colortype::Gray16>(COLUMNS, ROWS, &data).unwrap();
    }
    let png = folder.path().join("a.png");
    fs::write(&png, grey_png([COLUMNS, ROWS], &heights(|h| h as u8))).unwrap();
    let array = folder.path().join("a.npy");
    fs::write(&array, npy("<f4", false, "(5, 7)", &bytes(heights(|h| (h as f32).to_le_bytes()))))
        .unwrap();
    let mut random = Random::new(9);
    for path in [&tif, &packed, &png, &array] {
        let read = || {
            let height_range_m = (path == &png).then_some([0.0, 1.0]);
            HeightmapFile { spacing_m: Some(1.0), height_range_m, ..heightmap(path) }.read()
        };
        let whole = fs::read(path).unwrap();
        let field = read().unwrap();
        let mut accepted = 0;
        for length in 0..whole.len() {
            fs::write(path, &whole[..length]).unwrap();
            match read() {
                Ok(found) => {
                    assert_eq!(found, field);
                    accepted += 1;
                }
                Err(error) => assert!(error.to_string().contains("cannot use the heights of")),
            }
        }
        println!("{path:?}: {accepted} of {} truncations read", whole.len());
        // The checksum of a PNG's end carries no heights.
        assert!(accepted <= if path == &png { 4 } else { 0 }, "{accepted}");
        for _ in 0..300 {
            let mut changed = whole.clone();
            for _ in 0..1 + random.next_u64() % 3 {
                let at = random.next_u64() as usize % changed.len();
                changed[at] = random.next_u64() as u8;
            }
            fs::write(path, &changed).unwrap();
            let _ = read();
        }
    }
}
