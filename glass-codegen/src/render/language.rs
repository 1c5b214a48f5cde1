//! Templates of one language, and statement lines filled from them.

use tera::{Context, Tera};

/// A line template: text, then an argument and more text, and so on.
struct Pattern {
    name: String,
    /// Pieces of text with the name of the argument that follows; `None` ends the line.
    pieces: Vec<(String, Option<String>)>,
}

/// The loaded templates of one language.
pub(super) struct Language {
    tera: Tera,
    patterns: Vec<Pattern>,
}

impl Language {
    /// Loads the templates and draws the line pattern of every component among them.
    ///
    /// A body has hundreds of lines, and expansions run unoptimised: each component is rendered once, with
    /// markers for its arguments and the values of `constants`, and its pattern is filled from then on.
    pub(super) fn new(
        templates: &[(&'static str, &'static str)],
        constants: &[(&'static str, &'static str)],
    ) -> Language {
        let mut tera = Tera::default();
        tera.autoescape_on(Vec::<&str>::new());
        // The newline that ends every template file is not part of its text.
        let files = templates.iter().map(|(name, text)| (*name, text.strip_suffix('\n').unwrap_or(text)));
        tera.add_raw_templates(files).expect("templates parse");
        let names: Vec<_> = tera.get_component_names().map(str::to_owned).collect();
        let patterns = names.into_iter().map(|name| pattern(&tera, name, constants)).collect();
        Language { tera, patterns }
    }

    /// Renders a file.
    pub(super) fn file(&self, template: &str, context: &impl serde::Serialize) -> String {
        #[cfg(test)]
        tests::every_field_is_used(&self.tera, context);
        let context = Context::from_serialize(context).expect("a context is a map");
        let text = self.tera.render(template, &context);
        text.unwrap_or_else(|error| panic!("template `{template}`: {error}")) + "\n"
    }

    /// Whether the language has a component.
    pub(super) fn has(&self, component: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.name == component)
    }

    /// Fills one component. Arguments that the language has no use for are dropped.
    pub(super) fn fill(&self, name: &str, arguments: &[(&str, &str)]) -> String {
        let pattern = self.patterns.iter().find(|pattern| pattern.name == name);
        let pattern = pattern.unwrap_or_else(|| panic!("`{name}` is not a component"));
        let mut line = String::new();
        for (text, argument) in &pattern.pieces {
            line += text;
            if let Some(argument) = argument {
                let given = arguments.iter().find(|(name, _)| name == argument);
                let (_, value) = given.unwrap_or_else(|| panic!("component `{name}` needs `{argument}`"));
                line += value;
            }
        }
        line
    }
}

fn pattern(tera: &Tera, name: String, constants: &[(&'static str, &'static str)]) -> Pattern {
    let component = tera.get_component_definition(&name).expect("the component was listed");
    let mut context = Context::new();
    let mut call = format!("{{{{<{name} ");
    for argument in component.args() {
        let argument = argument.name();
        let constant = constants.iter().find(|(name, _)| *name == argument);
        let value = constant.map_or_else(|| marker(argument), |(_, value)| (*value).to_owned());
        context.insert(argument.to_owned(), &value);
        call += &format!("{argument}={{{argument}}} ");
    }
    call += "/>}}";
    let line = tera.render_str(&call, &context, false).expect("a component takes its parameters");
    Pattern { name, pieces: pieces(&line) }
}

fn marker(argument: &str) -> String {
    format!("\u{1}{argument}\u{2}")
}

fn pieces(line: &str) -> Vec<(String, Option<String>)> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some((text, after)) = rest.split_once('\u{1}') {
        let (argument, tail) = after.split_once('\u{2}').expect("a marker ends");
        pieces.push((text.to_owned(), Some(argument.to_owned())));
        rest = tail;
    }
    pieces.push((rest.to_owned(), None));
    pieces
}

/// The lines of a body, indented by nesting depth.
pub(super) struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    /// No lines; the first will stand one level deep.
    pub(super) fn new() -> Lines {
        Lines { text: String::new(), depth: 1 }
    }

    /// Adds a statement of one or more lines.
    pub(super) fn push(&mut self, statement: &str) {
        for line in statement.split('\n') {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            for _ in 0..self.depth {
                self.text += "    ";
            }
            self.text += line;
        }
    }

    /// Adds an opening line and nests what follows.
    pub(super) fn open(&mut self, statement: &str) {
        self.push(statement);
        self.depth += 1;
    }

    /// Ends the nesting and adds the closing line.
    pub(super) fn close(&mut self, statement: &str) {
        self.depth -= 1;
        self.push(statement);
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::{Plan, Target, candidates};
    use crate::render::{Input, render};
    use crate::{Fields, kernel, lower};
    use serde_json::Value;
    use std::collections::HashSet;

    /// Fields that no template of the language names; a name that a template lacks is already a render error.
    pub(super) fn every_field_is_used(tera: &tera::Tera, context: &impl serde::Serialize) {
        let names: Vec<_> = tera.get_template_names().map(str::to_owned).collect();
        let used: HashSet<String> = TEXTS
            .iter()
            .filter(|(name, _)| names.iter().any(|known| known == name))
            .flat_map(|(_, text)| text.split(|letter: char| !letter.is_alphanumeric() && letter != '_'))
            .map(str::to_owned)
            .collect();
        let mut fields = HashSet::new();
        collect(&serde_json::to_value(context).expect("a context is a map"), &mut fields);
        let unused: Vec<_> = fields.difference(&used).collect();
        assert!(unused.is_empty(), "no template uses the fields {unused:?}");
    }

    fn collect(value: &Value, fields: &mut HashSet<String>) {
        match value {
            Value::Object(map) => {
                for (name, value) in map {
                    fields.insert(name.clone());
                    collect(value, fields);
                }
            }
            Value::Array(values) => values.iter().for_each(|value| collect(value, fields)),
            _ => {}
        }
    }

    macro_rules! texts {
        ($($folder:literal / $name:literal)*) => {
            &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/", $folder, "/", $name))),)*]
        };
    }

    const TEXTS: &[(&str, &str)] = texts! {
        "."/"header.tera"
        "cuda"/"body.cu.tera" "cuda"/"signature.cu.tera" "cuda"/"direct.cu.tera" "cuda"/"shared.cu.tera"
        "cuda"/"copy_preamble.cu.tera" "cuda"/"bulk_preamble.cu.tera" "cuda"/"bulk_in.cu.tera"
        "cuda"/"bulk_out.cu.tera" "cuda"/"bulk.cu.tera"
        "wgsl"/"kernel.wgsl.tera"
        "rust"/"kernel.rs.tera"
    };

    #[test]
    fn every_template_renders_in_every_context() {
        for (layout, dtype) in [("contiguous", "f32"), ("interleaved", "f32"), ("contiguous", "f64")] {
            for (alpha, beta) in
                [("one", "zero"), ("runtime", "zero"), ("one", "one"), ("runtime", "runtime")]
            {
                let fields = Fields {
                    m: Some(5),
                    n: Some(16),
                    k: Some(9),
                    layout: Some(layout.to_owned()),
                    dtype: Some(dtype.to_owned()),
                    alpha: Some(alpha.to_owned()),
                    beta: Some(beta.to_owned()),
                    ..Fields::default()
                };
                let request = lower(&fields).expect("the fields are valid");
                for choice in crate::plan::choices(&request) {
                    show(&request, choice.target, choice.mapping);
                }
                for mapping in candidates(&request.spec, request.layout) {
                    show(&request, Target::Cuda, mapping);
                }
            }
        }
    }

    fn show(request: &crate::Request, target: Target, mapping: crate::plan::Mapping) {
        let plan = Plan::new(&request.spec, request.layout, target, mapping);
        let kernel = kernel::build(&request.spec, &plan);
        let reasons = vec!["asked for by a test".to_owned()];
        let input = Input { spec: &request.spec, plan: &plan, kernel: &kernel, reasons: &reasons };
        for source in render(&input) {
            assert!(source.text().contains(&kernel.symbol));
        }
    }
}
