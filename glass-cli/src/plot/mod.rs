//! `glass plot`: pictures of stored samples. The same samples give the same bytes.

mod chart;
mod crossover;
mod ladders;
pub(crate) mod map;
mod roofline;
pub(crate) mod stored;

use chart::{Chart, Drawing};
use glass_audit::Failure;
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use tera::{Context, Tera};

const TEMPLATES: [(&str, &str); 2] = [
    ("chart.svg", include_str!("../../templates/chart.svg.tera")),
    ("map.svg", include_str!("../../templates/map.svg.tera")),
];

/// Draws every picture of the samples in a folder.
///
/// # Errors
/// Samples are absent or not in their format, or a picture cannot be written.
pub(crate) fn run(results: &Path, folder: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let pictures = pictures(results)?;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, text) in pictures {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

/// Names and texts.
fn pictures(results: &Path) -> Result<Vec<(String, String)>, String> {
    let (picked, copy_gbs) = stored::ops(results)?;
    let candidates = stored::candidates(results)?;
    let tera = templates()?;
    let mut pictures = Vec::new();
    for op in ladders::OPS {
        let layouts = drawn(results, &ladders::by_layout(op, &picked))?;
        pictures.push((format!("ladder_{op}.svg"), render(&tera, "chart.svg", &layouts)?));
        let tiers = drawn(results, &ladders::by_tier(op, &candidates))?;
        pictures.push((format!("tiers_{op}.svg"), render(&tera, "chart.svg", &tiers)?));
    }
    let crossover = crossover::map(&candidates);
    if crossover.is_empty() {
        return Err(format!(
            "{}: no sample of gemv in f32, contiguous, for the crossover",
            results.display()
        ));
    }
    pictures.push(("crossover.svg".to_owned(), render(&tera, "map.svg", &crossover)?));
    let roofline = drawn(results, &roofline::chart(&picked, copy_gbs))?;
    pictures.push(("roofline.svg".to_owned(), render(&tera, "chart.svg", &roofline)?));
    Ok(pictures)
}

/// A chart that shows something.
fn drawn(results: &Path, chart: &Chart) -> Result<Drawing, String> {
    match chart.is_empty() {
        true => Err(format!("{}: no sample for `{}`", results.display(), chart.title)),
        false => Ok(chart.draw()),
    }
}

fn templates() -> Result<Tera, String> {
    let mut tera = Tera::default();
    tera.add_raw_templates(TEMPLATES).map_err(|error| error.to_string())?;
    Ok(tera)
}

/// The picture of a map.
pub(crate) fn map_svg(map: &map::Map) -> Result<String, String> {
    render(&templates()?, "map.svg", map)
}

fn render(tera: &Tera, template: &str, drawing: &impl Serialize) -> Result<String, String> {
    let context = Context::from_serialize(drawing).map_err(|error| error.to_string())?;
    tera.render(template, &context).map_err(|error| format!("{template}: {error:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The committed pictures are those of the committed samples, byte for byte.
    #[test]
    fn a_second_run_gives_the_same_bytes() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let folder = root.join("docs/pictures/performance");
        let pictures =
            pictures(&root.join("benches/results")).expect("the stored samples are in their format");
        for (name, text) in &pictures {
            let stored = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
            assert!(
                &stored == text,
                "{name} is not what `glass plot benches/results -o docs/pictures/performance` draws"
            );
        }
        let n_stored = std::fs::read_dir(&folder).expect("the pictures are committed").count();
        assert_eq!(n_stored, pictures.len(), "a picture that nothing draws");
    }

    #[test]
    fn pictures_hold_what_was_measured() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let pictures = pictures(&root.join("benches/results")).unwrap();
        let text = |name: &str| &pictures.iter().find(|(other, _)| other == name).unwrap().1;
        // Figures of docs/measurements.md.
        assert!(text("ladder_gemm.svg").contains("f32 contiguous N = 14: 0.935 ns"));
        assert!(text("ladder_posv.svg").contains("f64 contiguous N = 20: 0.164 C"));
        assert!(text("tiers_potrf.svg").contains("N = 7, thread serial bulk t32"));
        assert!(pictures.iter().all(|(_, text)| text.ends_with("</svg>\n") && !text.contains("NaN")));
    }
}
