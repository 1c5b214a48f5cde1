//! Reads symmetric positive definite matrices from Matrix Market files, the coordinate format of
//! <https://math.nist.gov/MatrixMarket/formats.html>.
//!
//! The file may come from anywhere. Nothing is allocated for the counts it states, only for the lines it has: an n x n
//! matrix is refused unless it has n elements, which every positive definite one has on its diagonal.

use crate::csr::{Csr, Element, NotDefinite, is_f32};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The longest line of the format, without its end.
const MAX_LINE_BYTES: usize = 1024;

/// Offsets are `u32`, and an element below the diagonal stands for two.
const MAX_ELEMENTS: usize = (u32::MAX / 2) as usize;

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MatrixMarketError {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("is no regular file")]
    Irregular,
    #[error("line {line}: {problem}")]
    Line { line: u64, problem: Problem },
    #[error(transparent)]
    NotDefinite(#[from] NotDefinite),
}

/// What is wrong with a line.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum Problem {
    #[error("longer than {MAX_LINE_BYTES} bytes")]
    Long,
    #[error("the file ends; {wanted} expected")]
    End { wanted: String },
    #[error("{given:?} given; {wanted} expected")]
    Malformed { given: String, wanted: &'static str },
    #[error("{what} {given:?} given; allowed: {allowed}")]
    Unsupported { what: &'static str, given: String, allowed: &'static str },
    #[error("{rows} rows and {columns} columns given; allowed: a square matrix of at least one row")]
    Rectangular { rows: usize, columns: usize },
    #[error("{given} elements given; allowed: at most {MAX_ELEMENTS}")]
    TooMany { given: usize },
    #[error("{given} elements given for {rows} rows; allowed: at least one a row, on the diagonal")]
    TooFew { given: usize, rows: usize },
    #[error("element ({row}, {column}) given; allowed: 1 to {n} each")]
    Outside { row: usize, column: usize, n: usize },
    #[error("element ({row}, {column}) given; allowed in symmetric storage: the lower triangle")]
    Upper { row: usize, column: usize },
    #[error("value {value:e} given; allowed: finite in f32")]
    Value { value: f64 },
    #[error("{given:?} given after the last of {n_elements} elements; allowed: nothing")]
    Surplus { given: String, n_elements: usize },
}

/// Which elements a file has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Storage {
    /// All of them.
    General,
    /// The lower triangle.
    Symmetric,
}

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<Csr, MatrixMarketError> {
    // Before it is opened: opening a pipe would wait for its writer.
    if !path.metadata()?.is_file() {
        return Err(MatrixMarketError::Irregular);
    }
    from_reader(BufReader::new(File::open(path)?))
}

fn from_reader(reader: impl BufRead) -> Result<Csr, MatrixMarketError> {
    let mut lines = Lines { reader, line: 0, bytes: Vec::new() };
    let storage = match lines.next()? {
        Some(banner) => parse_banner(&banner),
        None => Err(Problem::End { wanted: "%%MatrixMarket".into() }),
    };
    let storage = storage.map_err(|problem| lines.error(problem))?;
    let size = loop {
        match lines.next()? {
            Some(line) if line.is_empty() || line.starts_with('%') => {}
            Some(size) => break parse_size(&size),
            None => break Err(Problem::End { wanted: "rows, columns and elements".into() }),
        }
    };
    let (n, n_elements) = size.map_err(|problem| lines.error(problem))?;

    let (mut elements, mut n_read) = (Vec::new(), 0);
    while let Some(line) = lines.next()? {
        if line.is_empty() {
            continue;
        }
        let element = if n_read < n_elements {
            parse_element(&line, n, storage)
        } else {
            Err(Problem::Surplus { given: line.into(), n_elements })
        };
        let element = element.map_err(|problem| lines.error(problem))?;
        n_read += 1;
        elements.push(element);
        if storage == Storage::Symmetric && element.row != element.column {
            elements.push(Element { row: element.column, column: element.row, ..element });
        }
    }
    if n_read < n_elements {
        let wanted = format!("{} more of {n_elements} elements", n_elements - n_read);
        return Err(lines.error(Problem::End { wanted }));
    }
    let matrix = Csr::from_elements(n, elements);
    matrix.check_definite()?;
    Ok(matrix)
}

/// The lines of a file, one at a time.
struct Lines<R> {
    reader: R,
    /// Number of the line that was read last, from 1.
    line: u64,
    bytes: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// The next line, `None` after the last one. Comments may be in any encoding.
    fn next(&mut self) -> Result<Option<Cow<'_, str>>, MatrixMarketError> {
        self.bytes.clear();
        self.line += 1;
        // One more for the end of the line.
        let n_readable = MAX_LINE_BYTES as u64 + 1;
        let n_read = self.reader.by_ref().take(n_readable).read_until(b'\n', &mut self.bytes)?;
        if n_read > MAX_LINE_BYTES && !self.bytes.ends_with(b"\n") {
            return Err(self.error(Problem::Long));
        }
        Ok((n_read > 0).then(|| String::from_utf8_lossy(self.bytes.trim_ascii())))
    }

    /// The problem of the line that was read last.
    fn error(&self, problem: Problem) -> MatrixMarketError {
        MatrixMarketError::Line { line: self.line, problem }
    }
}

/// `%%MatrixMarket matrix coordinate real|integer general|symmetric`, in upper or lower case.
fn parse_banner(line: &str) -> Result<Storage, Problem> {
    let lowercase = line.to_ascii_lowercase();
    let words: Vec<_> = lowercase.split_ascii_whitespace().collect();
    let &["%%matrixmarket", object, format, field, symmetry] = &words[..] else {
        let wanted = "%%MatrixMarket matrix coordinate, field and symmetry";
        return Err(Problem::Malformed { given: line.into(), wanted });
    };
    let unsupported =
        |what, given: &str, allowed| Err(Problem::Unsupported { what, given: given.into(), allowed });
    if object != "matrix" {
        return unsupported("object", object, "matrix");
    }
    if format != "coordinate" {
        return unsupported("format", format, "coordinate");
    }
    if !["real", "integer"].contains(&field) {
        return unsupported("field", field, "real and integer");
    }
    match symmetry {
        "general" => Ok(Storage::General),
        "symmetric" => Ok(Storage::Symmetric),
        _ => unsupported("symmetry", symmetry, "general and symmetric"),
    }
}

/// Rows and elements.
fn parse_size(line: &str) -> Result<(usize, usize), Problem> {
    let malformed =
        || Problem::Malformed { given: line.into(), wanted: "three counts: rows, columns, elements" };
    let [rows, columns, n_elements] = three_words(line).ok_or_else(malformed)?;
    let (Ok(rows), Ok(columns), Ok(n_elements)) = (rows.parse(), columns.parse(), n_elements.parse()) else {
        return Err(malformed());
    };
    if rows != columns || rows == 0 {
        return Err(Problem::Rectangular { rows, columns });
    }
    if n_elements > MAX_ELEMENTS {
        return Err(Problem::TooMany { given: n_elements });
    }
    if n_elements < rows {
        return Err(Problem::TooFew { given: n_elements, rows });
    }
    Ok((rows, n_elements))
}

fn parse_element(line: &str, n: usize, storage: Storage) -> Result<Element, Problem> {
    let malformed = || Problem::Malformed { given: line.into(), wanted: "row, column and value" };
    let [row, column, value] = three_words(line).ok_or_else(malformed)?;
    let (Ok(row), Ok(column), Ok(value)) = (row.parse(), column.parse(), value.parse()) else {
        return Err(malformed());
    };
    let allowed = 1..=n;
    if !allowed.contains(&row) || !allowed.contains(&column) {
        return Err(Problem::Outside { row, column, n });
    }
    if storage == Storage::Symmetric && row < column {
        return Err(Problem::Upper { row, column });
    }
    if !is_f32(value) {
        return Err(Problem::Value { value });
    }
    // n is at most MAX_ELEMENTS.
    Ok(Element { row: (row - 1) as u32, column: (column - 1) as u32, value })
}

/// The words of a line that has three.
fn three_words(line: &str) -> Option<[&str; 3]> {
    let mut words = line.split_ascii_whitespace();
    let three = [words.next()?, words.next()?, words.next()?];
    words.next().is_none().then_some(three)
}

#[cfg(test)]
mod tests;
