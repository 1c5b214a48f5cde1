//! Files as they should be, and files nobody should trust.

use super::*;
use std::io::{Cursor, Write};
use zip::write::{SimpleFileOptions, ZipWriter};

/// The limit of the tests: a bomb needs no 256 MiB to go off.
const MAX_TEST_BYTES: u64 = 1 << 20;

/// An `.npy` of format 1.0 around a header text.
fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16 + 1).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.push(b'\n');
    bytes.extend(data);
    bytes
}

/// An `.npy` of float64 in C order.
pub(crate) fn float64(shape: &str, values: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    npy(&format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"), &data)
}

/// An archive of named files.
pub(crate) fn archive(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// An open archive of named files.
pub(crate) fn opened(entries: &[(&str, Vec<u8>)]) -> Npz<Cursor<Vec<u8>>> {
    Npz::from_reader(Cursor::new(archive(entries)), MAX_TEST_BYTES).unwrap()
}

fn read(bytes: Vec<u8>) -> Result<Array, NpzError> {
    Npz::from_reader(Cursor::new(bytes), MAX_TEST_BYTES)?.array("K")
}

/// K: 1 problem, 2 knots, 2 x 3.
fn good() -> Vec<u8> {
    let values: Vec<f64> = (1..=12).map(f64::from).collect();
    archive(&[("K.npy", float64("(1, 2, 2, 3)", &values))])
}

fn refused(k: Vec<u8>) -> String {
    read(archive(&[("K.npy", k)])).unwrap_err().to_string()
}

#[test]
fn row_major_becomes_column_major() {
    let array = read(good()).unwrap();
    assert_eq!(array.shape, [1, 2, 2, 3]);
    assert_eq!(array.column_major(2, 3), [1., 4., 2., 5., 3., 6., 7., 10., 8., 11., 9., 12.]);
}

#[test]
fn what_is_no_archive_is_refused() {
    let whole = good();
    for bytes in [Vec::new(), b"K, k\n1, 2\n".to_vec(), whole[..whole.len() / 2].to_vec()] {
        assert!(matches!(read(bytes), Err(NpzError::Zip(_))));
    }
    assert!(matches!(Npz::open(Path::new("no/such/file.npz")), Err(NpzError::Io(_))));
}

#[test]
fn only_regular_files_are_opened() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(matches!(Npz::open(folder), Err(NpzError::Irregular)));
    #[cfg(unix)]
    assert!(matches!(Npz::open(Path::new("/dev/null")), Err(NpzError::Irregular)));
}

#[test]
fn damage_anywhere_is_an_error_or_harmless() {
    // Every byte of the archive flipped in turn: never a panic.
    let whole = good();
    let mut n_refused = 0;
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        n_refused += usize::from(read(damaged).is_err());
    }
    assert!(n_refused > whole.len() / 2, "{n_refused} of {}", whole.len());
}

#[test]
fn missing_arrays_are_named() {
    assert_eq!(read(archive(&[])).unwrap_err().to_string(), "has no array `K`");
}

#[test]
fn shapes_are_checked_before_memory_is_taken() {
    let huge = "(4294967296, 4294967296, 7, 14)";
    assert!(refused(float64(huge, &[])).contains("0 bytes of data do not fill shape"));
    assert!(refused(float64("(1, 1, 7, 1000000000000)", &[0.0; 7])).contains("56 bytes of data do not fill"));
    assert!(refused(float64("(1, 2, 2, -3)", &[0.0; 12])).contains("array `K`"));
}

#[test]
fn other_encodings_are_refused_by_name() {
    let header =
        |descr, order| format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': (1, 2, 2, 3), }}");
    let data = [0u8; 96];
    assert!(refused(npy(&header("'<f8'", "True"), &data)).contains("Fortran order"));
    assert!(refused(npy(&header("'<i8'", "False"), &data)).contains("element type '<i8' given"));
    // Half the bytes: the type is the fault, not the length.
    assert!(refused(npy(&header("'<f4'", "False"), &data[..48])).contains("element type '<f4' given"));
    assert!(refused(npy(&header("[('x', '<f8')]", "False"), &data)).contains("element type"));
    assert!(refused(npy("{'descr': '<f8'", &data)).contains("array `K`"));
    assert!(refused(b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec()).contains("header longer than"));
    assert!(refused(b"PK".to_vec()).contains("array `K`"));
    // Nesting that would exhaust the stack of a recursive parser.
    assert!(refused(npy(&"(".repeat(60_000), &data)).contains("header longer than"));
    assert!(refused(npy(&"(".repeat(1_000), &data)).contains("array `K`"));
    assert!(refused(npy(&format!("{}{}", "(".repeat(500), ")".repeat(500)), &data)).contains("array `K`"));
}

#[test]
fn a_zip_bomb_is_refused() {
    let bomb = archive(&[("K.npy", vec![0; MAX_TEST_BYTES as usize + 1])]);
    assert!(bomb.len() < 4096, "it is small before it is opened");
    assert!(read(bomb).unwrap_err().to_string().contains("larger than 1048576 bytes"));
}

#[test]
fn unusable_numbers_are_located() {
    let mut values = [1.0; 12];
    for (value, text) in [(f64::NAN, "NaN"), (f64::NEG_INFINITY, "-inf"), (1e300, "1e300")] {
        values[10] = value;
        let message = refused(float64("(1, 2, 2, 3)", &values));
        assert!(message.contains(&format!("element [0, 1, 1, 1] is {text}")), "{message}");
    }
}
