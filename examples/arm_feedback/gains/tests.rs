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

fn float64(shape: &str, values: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    npy(&format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"), &data)
}

fn npz(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn read(bytes: Vec<u8>) -> Result<Gains, GainsError> {
    Gains::from_archive(ZipArchive::new(Cursor::new(bytes))?, MAX_TEST_BYTES)
}

/// K: 1 problem, 2 knots, 2 x 3; k beside it.
fn good() -> [(&'static str, Vec<u8>); 2] {
    let values: Vec<f64> = (1..=12).map(f64::from).collect();
    [("K.npy", float64("(1, 2, 2, 3)", &values)), ("k.npy", float64("(1, 2, 2)", &[-1., -2., -3., -4.]))]
}

fn refused(k: Vec<u8>) -> String {
    let [_, feedforward] = good();
    read(npz(&[("K.npy", k), feedforward])).unwrap_err().to_string()
}

#[test]
fn row_major_becomes_column_major() {
    let gains = read(npz(&good())).unwrap();
    assert_eq!((gains.nu, gains.nx), (2, 3));
    assert_eq!(gains.feedback, [1., 4., 2., 5., 3., 6., 7., 10., 8., 11., 9., 12.]);
    assert_eq!(gains.feedforward, [-1., -2., -3., -4.]);
}

#[test]
fn the_shipped_files_hold_256_gains_each() {
    for (file, nu, nx) in [("talos_arm_ddp.npz", 7, 14), ("iris_ddp.npz", 4, 12)] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(file);
        let gains = Gains::read(&path).unwrap();
        assert_eq!((gains.nu, gains.nx), (nu, nx));
        assert_eq!((gains.feedback.len(), gains.feedforward.len()), (256 * nu * nx, 256 * nu));
    }
}

#[test]
fn the_shipped_gains_solve_the_shipped_equations() {
    // K = Quu^-1 Qxu': a wrong storage order of K would leave a residual of the size of the terms. A
    // backward stable solve leaves (3 nu + 9) u |L||L'||K|, and |L||L'| has at most nu times the norm of Quu.
    for file in ["talos_arm_ddp.npz", "iris_ddp.npz"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(file);
        let gains = Gains::read(&path).unwrap();
        let mut archive = ZipArchive::new(File::open(path).unwrap()).unwrap();
        let quu = Array::read(&mut archive, "Quu", MAX_ARRAY_BYTES).unwrap().values;
        let qxu = Array::read(&mut archive, "Qxu", MAX_ARRAY_BYTES).unwrap().values;
        let Gains { nu, nx, feedback, .. } = gains;
        let norm = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt();
        for (knot, k) in feedback.chunks_exact(nu * nx).enumerate() {
            let (quu, qxu) = (&quu[knot * nu * nu..][..nu * nu], &qxu[knot * nx * nu..][..nx * nu]);
            let entry = |i: usize, j: usize| (0..nu).map(|t| quu[t + i * nu] * k[t + j * nu]).sum::<f64>();
            let residuals: Vec<f64> =
                (0..nu * nx).map(|at| entry(at % nu, at / nu) - qxu[at % nu + at / nu * nu]).collect();
            let limit = ((3 * nu + 9) * nu) as f64 * f64::EPSILON / 2.0 * norm(quu) * norm(k);
            assert!(norm(&residuals) < limit, "{file}, knot {knot}: {:e} of {limit:e}", norm(&residuals));
        }
    }
}

#[test]
fn what_is_no_archive_is_refused() {
    let whole = npz(&good());
    for bytes in [Vec::new(), b"K, k\n1, 2\n".to_vec(), whole[..whole.len() / 2].to_vec()] {
        assert!(matches!(read(bytes), Err(GainsError::Zip(_))));
    }
    assert!(matches!(Gains::read(Path::new("no/such/file.npz")), Err(GainsError::Io(_))));
}

#[test]
fn only_regular_files_are_opened() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(matches!(Gains::read(folder), Err(GainsError::Irregular)));
    #[cfg(unix)]
    assert!(matches!(Gains::read(Path::new("/dev/null")), Err(GainsError::Irregular)));
}

#[test]
fn damage_anywhere_is_an_error_or_harmless() {
    // Every byte of the archive flipped in turn: never a panic.
    let whole = npz(&good());
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
    let [feedback, feedforward] = good();
    assert_eq!(read(npz(&[feedforward])).unwrap_err().to_string(), "has no array `K`");
    assert_eq!(read(npz(&[feedback])).unwrap_err().to_string(), "has no array `k`");
}

#[test]
fn shapes_are_checked_before_memory_is_taken() {
    let huge = "(4294967296, 4294967296, 7, 14)";
    assert!(refused(float64(huge, &[])).contains("0 bytes of data do not fill shape"));
    assert!(refused(float64("(1, 1, 7, 1000000000000)", &[0.0; 7])).contains("56 bytes of data do not fill"));
    assert!(refused(float64("(1, 0, 7, 14)", &[])).contains("no axis of length zero"));
    assert!(
        refused(float64("(2, 6)", &[0.0; 12])).contains("[2, 6] given; allowed: (problem, knot, nu, nx)")
    );
    assert!(refused(float64("(1, 1, 2, 3)", &[0.0; 6])).contains("allowed: [1, 1, 2], as `K` has it"));
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
    let [_, feedforward] = good();
    let bomb = npz(&[("K.npy", vec![0; MAX_TEST_BYTES as usize + 1]), feedforward]);
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
