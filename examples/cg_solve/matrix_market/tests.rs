use super::*;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

const SYMMETRIC: &str = "\
%%MatrixMarket matrix coordinate real symmetric
% a comment
%

3 3 5
1 1 4
2 1 -1.5

3 3 2e0
2 2 +3.
3 2 .5
";

fn read(text: &str) -> Result<Csr, MatrixMarketError> {
    from_reader(text.as_bytes())
}

/// The message about a file of this banner and rest.
fn message(symmetry: &str, rest: &str) -> String {
    read(&format!("%%MatrixMarket matrix coordinate real {symmetry}\n{rest}")).unwrap_err().to_string()
}

#[test]
fn symmetric_storage_is_expanded() {
    let matrix = read(SYMMETRIC).unwrap();
    assert_eq!(matrix.offsets, [0, 2, 5, 7]);
    assert_eq!(matrix.columns, [0, 1, 0, 1, 2, 1, 2]);
    assert_eq!(matrix.values, [4.0, -1.5, -1.5, 3.0, 0.5, 0.5, 2.0]);
    assert_eq!(read(&SYMMETRIC.replace('\n', "\r\n")).unwrap(), matrix);
    assert_eq!(read(SYMMETRIC.trim_end()).unwrap(), matrix);
}

#[test]
fn general_storage_and_integers_are_read_as_they_stand_and_duplicates_add() {
    let text = "%%matrixmarket MATRIX Coordinate Integer General\n2 2 5\n1 2 1\n1 1 1\n2 1 1\n2 2 2\n1 1 3\n";
    let matrix = read(text).unwrap();
    assert_eq!(matrix.offsets, [0, 2, 4]);
    assert_eq!(matrix.values, [4.0, 1.0, 1.0, 2.0]);
    // Both mirror images add in the same order.
    let text =
        "%%MatrixMarket matrix coordinate real symmetric\n2 2 5\n1 1 1\n2 1 .1\n2 1 .2\n2 1 .3\n2 2 1\n";
    assert_eq!(read(text).unwrap().values, [1.0, 0.1 + 0.2 + 0.3, 0.1 + 0.2 + 0.3, 1.0]);
}

#[test]
fn comments_may_be_in_any_encoding() {
    let text = [&b"%%MatrixMarket matrix coordinate real general\n% caf\xe9\n1 1 1\n1 1 2\n"[..]].concat();
    assert_eq!(from_reader(&text[..]).unwrap().values, [2.0]);
}

#[test]
fn other_kinds_of_matrices_are_refused_by_name() {
    for (banner, expected) in [
        ("", r#"line 1: the file ends; %%MatrixMarket expected"#),
        ("hello", r#"line 1: "hello" given; %%MatrixMarket matrix coordinate, field and symmetry expected"#),
        (
            "%%MatrixMarket vector coordinate real general",
            r#"line 1: object "vector" given; allowed: matrix"#,
        ),
        ("%%MatrixMarket matrix array real general", r#"line 1: format "array" given; allowed: coordinate"#),
        (
            "%%MatrixMarket matrix coordinate pattern symmetric",
            r#"line 1: field "pattern" given; allowed: real and integer"#,
        ),
        (
            "%%MatrixMarket matrix coordinate complex hermitian",
            r#"line 1: field "complex" given; allowed: real and integer"#,
        ),
        (
            "%%MatrixMarket matrix coordinate real skew-symmetric",
            r#"line 1: symmetry "skew-symmetric" given; allowed: general and symmetric"#,
        ),
    ] {
        assert_eq!(read(banner).unwrap_err().to_string(), expected);
    }
}

#[test]
fn wrong_lines_are_named() {
    for (symmetry, rest, expected) in [
        ("general", "", "line 2: the file ends; rows, columns and elements expected"),
        ("general", "% 2 2 2\n\n", "line 4: the file ends; rows, columns and elements expected"),
        ("general", "2 2\n", r#"line 2: "2 2" given; three counts: rows, columns, elements expected"#),
        ("general", "2 -2 4\n", r#"line 2: "2 -2 4" given; three counts: rows, columns, elements expected"#),
        ("general", "2 3 4\n", "line 2: 2 rows and 3 columns given; "),
        ("general", "0 0 0\n", "line 2: 0 rows and 0 columns given; "),
        ("general", "2 2 2\n1 1 1\n", "line 4: the file ends; 1 more of 2 elements expected"),
        ("general", "1 1 1\n1 1 1\n1 1 1\n", r#"line 4: "1 1 1" given after the last of 1 elements; "#),
        ("general", "1 1 1\n1 1\n", r#"line 3: "1 1" given; row, column and value expected"#),
        ("general", "1 1 1\n1 1 1 1\n", r#"line 3: "1 1 1 1" given; row, column and value expected"#),
        ("general", "1 1 1\n1 1 2,5\n", r#"line 3: "1 1 2,5" given; row, column and value expected"#),
        (
            "general",
            "1 1 1\n1 1 \x1b[2J\n",
            r#"line 3: "1 1 \u{1b}[2J" given; row, column and value expected"#,
        ),
        ("general", "1 1 1\n0 1 1\n", "line 3: element (0, 1) given; allowed: 1 to 1 each"),
        ("general", "1 1 1\n1 2 1\n", "line 3: element (1, 2) given; allowed: 1 to 1 each"),
        ("general", "1 1 1\n1 1 nan\n", "line 3: value NaN given; allowed: finite in f32"),
        ("general", "1 1 1\n1 1 -1e39\n", "line 3: value -1e39 given; allowed: finite in f32"),
        (
            "symmetric",
            "2 2 2\n1 1 1\n1 2 1\n",
            "line 4: element (1, 2) given; allowed in symmetric storage: ",
        ),
        ("general", "2 2 3\n1 1 1\n2 2 1\n1 2 1\n", "element (1, 2) is 1e0, its mirror image 0e0; "),
        ("symmetric", "2 2 2\n1 1 1\n2 1 1\n", "the diagonal element of row 2 is 0e0; "),
    ] {
        let message = message(symmetry, rest);
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn stated_counts_allocate_nothing() {
    for (size, expected) in [
        ("4000000000 4000000000 1", "line 2: 1 elements given for 4000000000 rows; "),
        ("1 1 4000000000", "line 2: 4000000000 elements given; allowed: at most 2147483647"),
        (
            "18446744073709551615 18446744073709551615 1",
            "line 2: 1 elements given for 18446744073709551615 rows; ",
        ),
        ("18446744073709551616 1 1", r#"line 2: "18446744073709551616 1 1" given; three counts"#),
        (
            "2000000000 2000000000 2000000000",
            "line 3: the file ends; 2000000000 more of 2000000000 elements expected",
        ),
    ] {
        let message = message("general", &format!("{size}\n"));
        assert!(message.starts_with(expected), "{message}");
    }
}

/// Zeros without end, and never a line.
struct Endless;

impl Read for Endless {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        bytes.fill(b'0');
        Ok(bytes.len())
    }
}

#[test]
fn lines_have_the_length_of_the_format() {
    let error = from_reader(BufReader::new(Endless)).unwrap_err();
    assert_eq!(error.to_string(), "line 1: longer than 1024 bytes");
    for (n_bytes, is_allowed) in [(1024, true), (1025, false)] {
        let text = SYMMETRIC.replace("% a comment", &format!("{:<n_bytes$}", "%"));
        assert_eq!(read(&text).is_ok(), is_allowed);
    }
}

/// Files cut anywhere or changed in a few bytes give a matrix or a message.
#[test]
fn damaged_files_never_panic() {
    for end in 0..SYMMETRIC.len() {
        assert_eq!(read(&SYMMETRIC[..end]).is_ok(), end == SYMMETRIC.len() - 1);
    }
    let mut random = Pcg64Mcg::seed_from_u64(7);
    let mut n_readable = 0;
    for _ in 0..20_000 {
        let mut bytes = SYMMETRIC.as_bytes().to_vec();
        for _ in 0..1 + random.next_u64() % 3 {
            let at = random.next_u64() as usize % bytes.len();
            // As often as not a byte that numbers are made of.
            let number = b"0123456789-+.eE \n"[random.next_u64() as usize % 17];
            bytes[at] = if random.next_u64() % 2 == 0 { number } else { random.next_u64() as u8 };
        }
        n_readable += usize::from(from_reader(&bytes[..]).is_ok());
    }
    assert!((1000..19_000).contains(&n_readable), "{n_readable}");
}
