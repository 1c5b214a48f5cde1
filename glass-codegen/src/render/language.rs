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
    #[cfg(test)]
    texts: Vec<&'static str>,
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
        Language {
            tera,
            patterns,
            #[cfg(test)]
            texts: templates.iter().map(|(_, text)| *text).collect(),
        }
    }

    /// Renders a file.
    pub(super) fn file(&self, template: &str, context: &impl serde::Serialize) -> String {
        #[cfg(test)]
        super::tests::every_field_is_used(&self.texts, context);
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
        Lines::at(1)
    }

    /// No lines; the first will stand so many levels deep.
    pub(super) fn at(depth: usize) -> Lines {
        Lines { text: String::new(), depth }
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

    /// Ends the nesting and begins another one.
    pub(super) fn reopen(&mut self, statement: &str) {
        self.close(statement);
        self.depth += 1;
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}
