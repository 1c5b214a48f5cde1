//! Templates contain text: no arithmetic, no comparison, no selection by number.

use super::{read, tracked};
use std::path::Path;

/// Lines beyond which a template does two jobs.
const MAX_LINES: usize = 80;

pub(super) fn faults(root: &Path) -> Result<Vec<String>, String> {
    let mut faults = Vec::new();
    for path in
        tracked(root)?.iter().filter(|path| path.extension().is_some_and(|extension| extension == "tera"))
    {
        let text = read(root, path)?;
        let n_lines = text.lines().count();
        if n_lines > MAX_LINES {
            faults.push(format!("{}: {n_lines} lines, allowed {MAX_LINES}", path.display()));
        }
        for (line_idx, line) in text.lines().enumerate() {
            let complaints = tags(line).into_iter().filter_map(|tag| complaint(line, &tag));
            faults.extend(
                complaints.map(|complaint| format!("{}:{}: {complaint}", path.display(), line_idx + 1)),
            );
        }
    }
    Ok(faults)
}

/// A tag with its delimiters: `{% ... %}` or `{{ ... }}`.
fn tags(line: &str) -> Vec<String> {
    let mut tags = Vec::new();
    for (open, close) in [("{%", "%}"), ("{{", "}}")] {
        let mut rest = line;
        while let Some(start) = rest.find(open) {
            let length = rest[start..].find(close).map_or(rest.len() - start, |end| end + close.len());
            tags.push(rest[start..start + length].to_owned());
            rest = &rest[start + length..];
        }
    }
    tags
}

fn complaint(line: &str, tag: &str) -> Option<String> {
    let inner = tag.trim_start_matches(['{', '%', '-']).trim_end_matches(['}', '%', '-']).trim();
    let words: Vec<_> = inner.split_whitespace().collect();
    if tag.starts_with("{{") {
        let is_call = inner.starts_with('<') && inner.ends_with("/>");
        return (!is_call && !is_path(inner)).then(|| format!("`{tag}` is more than a value made in Rust"));
    }
    let is_legal = match words.as_slice() {
        ["if", condition] | ["if", "not", condition] => is_path(condition),
        ["for", variable, "in", list] => is_path(variable) && is_path(list),
        ["else" | "endif" | "endfor"] => true,
        // Typed parameters and file names; the header's dash closes instead, or a call would gain a line.
        ["component" | "endcomponent" | "include", ..] => return None,
        _ => false,
    };
    if !is_legal {
        return Some(format!("`{tag}` decides something"));
    }
    let stands_alone = line.trim() == tag && tag.starts_with("{%-") && !tag.ends_with("-%}");
    (!stands_alone).then(|| format!("`{tag}` is not alone on its line, opened with `{{%-`"))
}

/// Names joined by dots.
fn is_path(text: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    text.split('.').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(line: &str) -> usize {
        tags(line).iter().filter_map(|tag| complaint(line, tag)).count()
    }

    #[test]
    fn text_values_and_whole_sections_pass() {
        for line in [
            "    {{ acc }} = {{ fma }}({{ a }}, {{ b }});",
            "{%- for operand in staged %}",
            "{%- if operand.is_read %}",
            "{%- if not is_native %}",
            "{%- endfor %}",
            "{% component fma(acc: string) -%}",
            "{{<fma acc={s.acc} />}}",
            "for (unsigned int i = 0u; i < 3u; ++i) {",
        ] {
            assert_eq!(complaints(line), 0, "{line}");
        }
    }

    #[test]
    fn decisions_and_arithmetic_do_not() {
        for line in [
            "{{ n * 4 }}",
            "{{ name | upper }}",
            "{{ 3 }}",
            "{%- if n > 3 %}",
            "{%- if tier == \"warp\" %}",
            "{%- set n = 3 %}",
            "{% if is_native %}",
            "{%- if is_native -%}",
            "    {%- endif %} }",
        ] {
            assert_eq!(complaints(line), 1, "{line}");
        }
    }
}
