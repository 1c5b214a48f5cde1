//! Templates of one language, and statement lines filled from them.

use std::collections::HashMap;
use tera::{Context, Tera};

/// A line template: text, then an argument and more text, and so on.
struct Pattern {
    params: &'static [&'static str],
    /// Pieces of text with the position of the argument that follows; `None` ends the line.
    pieces: Vec<(String, Option<usize>)>,
}

/// The loaded templates of one language.
pub(super) struct Language {
    tera: Tera,
    statements: HashMap<&'static str, Pattern>,
}

impl Language {
    /// Loads the templates and draws the line pattern of every statement component.
    ///
    /// A body has hundreds of lines, and expansions run unoptimised: each component is rendered once, with
    /// markers for arguments, and its pattern is filled from then on.
    pub(super) fn new(
        templates: &[(&'static str, &'static str)],
        statements: &[(&'static str, &'static [&'static str])],
    ) -> Language {
        let mut tera = Tera::default();
        tera.autoescape_on(Vec::<&str>::new());
        let calls: Vec<(String, String)> = statements
            .iter()
            .map(|(name, params)| {
                let arguments: String = params.iter().map(|param| format!("{param}={{{param}}} ")).collect();
                (format!("call {name}"), format!("{{{{<{name} {arguments}/>}}}}"))
            })
            .collect();
        // The newline that ends every template file is not part of its text.
        let files = templates.iter().map(|(name, text)| (*name, text.strip_suffix('\n').unwrap_or(text)));
        let all = files.chain(calls.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        tera.add_raw_templates(all).expect("templates parse");
        let statements = statements
            .iter()
            .map(|(name, params)| {
                let mut context = Context::new();
                for (position, param) in params.iter().enumerate() {
                    context.insert(*param, &marker(position));
                }
                let line =
                    tera.render(&format!("call {name}"), &context).expect("a component takes its parameters");
                (*name, Pattern { params, pieces: pieces(&line) })
            })
            .collect();
        Language { tera, statements }
    }

    /// Renders a file.
    pub(super) fn file(&self, template: &str, context: &impl serde::Serialize) -> String {
        let context = Context::from_serialize(context).expect("a context is a map");
        let text = self.tera.render(template, &context);
        text.unwrap_or_else(|error| panic!("template `{template}`: {error}")) + "\n"
    }

    /// Renders one statement from the arguments that its component declares, by name.
    pub(super) fn statement(&self, name: &str, arguments: &[(&str, &str)]) -> String {
        let pattern = &self.statements[name];
        let mut line = String::new();
        for (text, position) in &pattern.pieces {
            line += text;
            if let Some(position) = position {
                let param = pattern.params[*position];
                let argument = arguments.iter().find(|(name, _)| *name == param);
                line += argument.unwrap_or_else(|| panic!("statement `{name}` lacks `{param}`")).1;
            }
        }
        line
    }
}

fn marker(position: usize) -> String {
    format!("\u{1}{position}\u{2}")
}

fn pieces(line: &str) -> Vec<(String, Option<usize>)> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some((text, after)) = rest.split_once('\u{1}') {
        let (position, tail) = after.split_once('\u{2}').expect("a marker ends");
        pieces.push((text.to_owned(), Some(position.parse().expect("a marker holds a position"))));
        rest = tail;
    }
    pieces.push((rest.to_owned(), None));
    pieces
}

/// Lines of a body, indented by nesting depth relative to the body itself.
#[derive(Default)]
pub(super) struct Lines {
    lines: Vec<String>,
    depth: usize,
}

impl Lines {
    /// Adds a statement of one or more lines.
    pub(super) fn push(&mut self, statement: &str) {
        for line in statement.lines() {
            self.lines.push(format!("{:1$}{line}", "", 4 * self.depth));
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

    pub(super) fn into_vec(self) -> Vec<String> {
        self.lines
    }
}
