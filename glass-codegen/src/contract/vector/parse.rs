//! The text of one equation to a tree of names and operators.

use crate::spec::Operator;

/// A formula whose names mean nothing yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    Name(String),
    /// The shortest decimal text of an f32.
    Number(String),
    Integer(u32),
    Call(Operator, Vec<Tree>),
    /// `sum(..)`: a formula summed over all elements.
    Sum(Box<Tree>),
}

/// `target = formula`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Equation {
    pub(super) target: String,
    pub(super) of: Tree,
}

/// What is wrong and what is allowed instead.
type Mistake = (String, &'static str);

/// Deepest nesting: more is no formula that anyone wrote.
const MAX_DEPTH: usize = 64;

/// Most words and symbols: formulas are trees, and trees are walked by recursion.
const MAX_TOKENS: usize = 1000;

/// Functions by their names, with the number of their arguments.
const FUNCTIONS: [(&str, Operator, usize); 4] = [
    ("abs", Operator::Abs, 1),
    ("fma", Operator::Fma, 3),
    ("select", Operator::Select, 3),
    ("finite", Operator::Finite, 1),
];
const ALLOWED_FUNCTIONS: &str = "abs(x), fma(x, y, z), select(c, x, y), finite(x), sum(x)";

/// Longer spellings first.
const SYMBOLS: [&str; 16] =
    ["<=", ">=", "==", "!=", "<", ">", "=", "+", "-", "*", "/", "(", ")", ",", "&", "|"];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    Number(String),
    Integer(u32),
    Symbol(&'static str),
}

/// Reads an equation.
pub(super) fn equation(text: &str) -> Result<Equation, Mistake> {
    let tokens = tokens(text)?;
    if tokens.len() > MAX_TOKENS {
        return Err((
            format!("has {} words and symbols; allowed are {MAX_TOKENS}", tokens.len()),
            "several equations, of which later ones use the names of earlier ones",
        ));
    }
    let mut parser = Parser { tokens, position: 0, depth: 0 };
    let wanted = "a name, `=` and a formula, such as `r = fma(alpha, q, r)`";
    let Some(Token::Name(target)) = parser.next() else {
        return Err(("does not begin with a name".to_owned(), wanted));
    };
    if !parser.takes("=") {
        return Err((format!("has no `=` after `{target}`"), wanted));
    }
    let of = parser.formula()?;
    match parser.next() {
        None => Ok(Equation { target, of }),
        Some(token) => Err((format!("does not end before {}", token.spelled()), "one formula")),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, Mistake> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(Token::Name(rest[..length].to_owned()));
            length
        } else if first.is_ascii_digit() || first == '.' {
            let length = number_length(rest);
            tokens.push(number(&rest[..length])?);
            length
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            tokens.push(Token::Symbol(symbol));
            symbol.len()
        } else if first == '!' {
            tokens.push(Token::Symbol("!"));
            1
        } else {
            let allowed = "ASCII names, numbers and + - * / < <= > >= == != & | ! ( ) , =";
            return Err((format!("contains `{}`", first.escape_default()), allowed));
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// Digits, a point, an exponent with its sign.
fn number_length(text: &str) -> usize {
    let mut previous = ' ';
    let ends = |c: char| {
        let is_sign_of_exponent = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E');
        previous = c;
        !(c.is_ascii_alphanumeric() || c == '.' || c == '_' || is_sign_of_exponent)
    };
    text.find(ends).unwrap_or(text.len())
}

fn number(text: &str) -> Result<Token, Mistake> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        let word =
            text.parse().map_err(|_| (format!("contains the word {text}"), "words up to 4294967295"))?;
        return Ok(Token::Integer(word));
    }
    match text.parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(Token::Number(format!("{value:?}"))),
        _ => Err((
            format!("contains the number `{text}`"),
            "finite numbers such as 0.5 or 1e-3, words such as 1",
        )),
    }
}

impl Token {
    fn spelled(&self) -> String {
        match self {
            Token::Name(text) | Token::Number(text) => format!("`{text}`"),
            Token::Integer(word) => format!("`{word}`"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
        }
    }
}

struct Parser {
    tokens: Vec<Token>,
    position: usize,
    depth: usize,
}

impl Parser {
    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.position).cloned();
        self.position += 1;
        token
    }

    fn takes(&mut self, symbol: &'static str) -> bool {
        let is_next = self.tokens.get(self.position) == Some(&Token::Symbol(symbol));
        self.position += usize::from(is_next);
        is_next
    }

    fn formula(&mut self) -> Result<Tree, Mistake> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err((
                format!("nests deeper than {MAX_DEPTH}"),
                "several equations, of which later ones use the names of earlier ones",
            ));
        }
        let formula = self.alternatives();
        self.depth -= 1;
        formula
    }

    fn alternatives(&mut self) -> Result<Tree, Mistake> {
        let mut left = self.conditions()?;
        while self.takes("|") {
            left = Tree::Call(Operator::Or, vec![left, self.conditions()?]);
        }
        Ok(left)
    }

    fn conditions(&mut self) -> Result<Tree, Mistake> {
        let mut left = self.comparison()?;
        while self.takes("&") {
            left = Tree::Call(Operator::And, vec![left, self.comparison()?]);
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Tree, Mistake> {
        let left = self.terms()?;
        let found = [
            ("<", Operator::Less, false),
            ("<=", Operator::LessEqual, false),
            (">", Operator::Less, true),
            (">=", Operator::LessEqual, true),
            ("==", Operator::Equal, false),
            ("!=", Operator::NotEqual, false),
        ]
        .into_iter()
        .find(|(symbol, ..)| self.takes(symbol));
        let Some((_, operator, is_reversed)) = found else { return Ok(left) };
        let right = self.terms()?;
        Ok(Tree::Call(operator, if is_reversed { vec![right, left] } else { vec![left, right] }))
    }

    fn terms(&mut self) -> Result<Tree, Mistake> {
        let mut left = self.factors()?;
        loop {
            let operator = if self.takes("+") {
                Operator::Add
            } else if self.takes("-") {
                Operator::Sub
            } else {
                return Ok(left);
            };
            left = Tree::Call(operator, vec![left, self.factors()?]);
        }
    }

    fn factors(&mut self) -> Result<Tree, Mistake> {
        let mut left = self.signed()?;
        loop {
            let operator = if self.takes("*") {
                Operator::Mul
            } else if self.takes("/") {
                Operator::Div
            } else {
                return Ok(left);
            };
            left = Tree::Call(operator, vec![left, self.signed()?]);
        }
    }

    fn signed(&mut self) -> Result<Tree, Mistake> {
        let mut signs = Vec::new();
        loop {
            if self.takes("-") {
                signs.push(Operator::Neg);
            } else if self.takes("!") {
                signs.push(Operator::Not);
            } else {
                break;
            }
        }
        if signs.len() > MAX_DEPTH {
            return Err((format!("nests deeper than {MAX_DEPTH}"), "one sign"));
        }
        let mut tree = self.atom()?;
        for sign in signs.into_iter().rev() {
            tree = match (sign, tree) {
                (Operator::Neg, Tree::Call(Operator::Neg, mut args)) => args.remove(0),
                (sign, tree) => Tree::Call(sign, vec![tree]),
            };
        }
        Ok(tree)
    }

    fn atom(&mut self) -> Result<Tree, Mistake> {
        match self.next() {
            Some(Token::Number(text)) => Ok(Tree::Number(text)),
            Some(Token::Integer(word)) => Ok(Tree::Integer(word)),
            Some(Token::Name(name)) if self.takes("(") => self.called(&name),
            Some(Token::Name(name)) => Ok(Tree::Name(name)),
            Some(Token::Symbol("(")) => {
                let inner = self.formula()?;
                if self.takes(")") { Ok(inner) } else { Err(self.unclosed()) }
            }
            Some(token) => Err((
                format!("has {} where a value should be", token.spelled()),
                "a name, a number, a function or `(`",
            )),
            None => Err(("ends where a value should be".to_owned(), "a name, a number, a function or `(`")),
        }
    }

    fn called(&mut self, name: &str) -> Result<Tree, Mistake> {
        let mut args = vec![self.formula()?];
        while self.takes(",") {
            args.push(self.formula()?);
        }
        if !self.takes(")") {
            return Err(self.unclosed());
        }
        if name == "sum" && args.len() == 1 {
            return Ok(Tree::Sum(Box::new(args.remove(0))));
        }
        match FUNCTIONS.into_iter().find(|(known, ..)| *known == name) {
            Some((_, operator, n_args)) if n_args == args.len() => Ok(Tree::Call(operator, args)),
            Some(_) => Err((format!("gives `{name}` {} argument(s)", args.len()), ALLOWED_FUNCTIONS)),
            None => Err((format!("calls `{name}` with {} argument(s)", args.len()), ALLOWED_FUNCTIONS)),
        }
    }

    fn unclosed(&self) -> Mistake {
        ("has a `(` without its `)`".to_owned(), "as many `)` as `(`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(tree: &Tree) -> String {
        match tree {
            Tree::Name(text) | Tree::Number(text) => text.clone(),
            Tree::Integer(word) => word.to_string(),
            Tree::Call(operator, args) => {
                format!("{operator:?}({})", args.iter().map(shown).collect::<Vec<_>>().join(" "))
            }
            Tree::Sum(tree) => format!("Sum({})", shown(tree)),
        }
    }

    #[test]
    fn operators_bind_as_in_rust() {
        for (text, tree) in [
            ("a = b", "b"),
            ("a = b + c * d - e / f", "Sub(Add(b Mul(c d)) Div(e f))"),
            ("a = -(b + c) * --d", "Mul(Neg(Add(b c)) d)"),
            ("a = b < c + 1 & !d | e >= 0.5", "Or(And(Less(b Add(c 1)) Not(d)) LessEqual(0.5 e))"),
            ("a = sum(x * y)", "Sum(Mul(x y))"),
            ("a=fma(-alpha,q,r)", "Fma(Neg(alpha) q r)"),
            ("a = 1e-3 + .25 + 100000000.0", "Add(Add(0.001 0.25) 100000000.0)"),
            ("a = select(finite(b), b, 3.0)", "Select(Finite(b) b 3.0)"),
        ] {
            assert_eq!(shown(&equation(text).unwrap().of), tree, "{text}");
        }
    }

    #[test]
    fn mistakes_say_what_is_wrong() {
        for (text, mistake) in [
            ("", "does not begin with a name"),
            ("3 = b", "does not begin with a name"),
            ("a + b", "has no `=` after `a`"),
            ("a = ", "ends where a value should be"),
            ("a = b c", "does not end before `c`"),
            ("a = (b", "has a `(` without its `)`"),
            ("a = fma(b, c)", "gives `fma` 2 argument(s)"),
            ("a = exp(b)", "calls `exp` with 1 argument(s)"),
            ("a = b ^ c", "contains `^`"),
            ("a = größe", "contains `\\u{f6}`"),
            ("a = 1.2.3", "contains the number `1.2.3`"),
            ("a = 1e99", "contains the number `1e99`"),
            ("a = 4294967296", "contains the word 4294967296"),
            ("a = b < c < d", "does not end before `<`"),
            ("a = * b", "has `*` where a value should be"),
        ] {
            assert_eq!(equation(text).unwrap_err().0, mistake, "{text}");
        }
        let deep = format!("a = {}b{}", "(".repeat(400), ")".repeat(400));
        assert_eq!(equation(&deep).unwrap_err().0, "nests deeper than 64");
        let signs = format!("a = {}b", "!".repeat(400));
        assert_eq!(equation(&signs).unwrap_err().0, "nests deeper than 64");
        let long = format!("a = b{}", " + b".repeat(100_000));
        assert_eq!(equation(&long).unwrap_err().0, "has 200003 words and symbols; allowed are 1000");
    }
}
