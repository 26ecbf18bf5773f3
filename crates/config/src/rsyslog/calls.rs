//! Words and calls of template functions.
//!
//! In: texts, expressions of rsyslog. Out: the same as they are written in a template of the language.

/// Prints a text as one word of a template function: a quote is put into quotes of the other kind, a backslash means
/// itself.
pub(super) fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"'\"'\""))
}

/// Prints a word of a template function.
pub(super) fn argument(text: &str) -> String {
    let is_plain =
        !text.is_empty() && text.chars().all(|one| one.is_ascii_alphanumeric() || "_.-/*".contains(one));
    match is_plain {
        true => text.to_string(),
        false => in_quotes(&text.replace('$', "$$")),
    }
}

/// Prints a call of the template function that extracts the match of an extended expression.
pub(super) fn extracted(
    expression: &str,
    (nth, group): (usize, usize),
    text: &str,
    otherwise: &str,
) -> String {
    let option = |name: &str, number: usize| match number {
        0 => String::new(),
        number => format!("--{name} {number} "),
    };
    let (nth, group) = (option("match", nth), option("group", group));
    format!("$(extract {nth}{group}{} {text} {otherwise})", in_quotes(expression))
}

/// Converts a basic regular expression to an extended one: escaped signs become plain ones, and plain ones escaped.
pub(super) fn extended(basic: &str) -> String {
    let mut out = String::new();
    let mut letters = basic.chars().peekable();
    let mut in_class = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if !in_class => match letters.next() {
                Some(mark @ ('(' | ')' | '{' | '}' | '|' | '+' | '?')) => out.push(mark),
                Some(other) => out.extend(['\\', other]),
                None => out.push_str("\\\\"),
            },
            '(' | ')' | '{' | '}' | '|' | '+' | '?' if !in_class => out.extend(['\\', letter]),
            '*' if out.is_empty() || out == "^" => out.push_str("\\*"),
            '[' if !in_class => {
                in_class = true;
                out.push('[');
                while let Some(next @ ('^' | ']')) = letters.peek().copied() {
                    out.push(next);
                    letters.next();
                    if next == ']' {
                        break;
                    }
                }
            }
            '[' if letters.peek() == Some(&':') => {
                out.push('[');
                while let Some(next) = letters.next() {
                    out.push(next);
                    if next == ':' && letters.peek() == Some(&']') {
                        out.extend(letters.next());
                        break;
                    }
                }
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            '\\' => out.push_str("\\\\"),
            other => out.push(other),
        }
    }
    out
}
