//! Tests of rsyslog to filter expressions.
//!
//! In: a selector, a property filter, an expression. Out: the same as a filter of the language.
//! Limits: what has no counterpart fails the whole test; a rule never takes more messages than it did.

use super::calls::extended;
use super::property::Needs;
use super::quoted;
use super::syntax::{Expression, Test};
use super::value::{Operand, operand};

/// A test as a filter expression. None: it takes every message.
pub(super) fn filter(test: &Test, needs: &mut Needs) -> Result<Option<String>, String> {
    Ok(match test {
        Test::Selector(selector) if selector == "*.*" => None,
        Test::Selector(selector) => Some(selected(selector)?),
        Test::Property { name, negated, operation, value } => {
            let subject = Operand::variable(name, needs)?;
            let found = compared(&subject, operation, &Operand::text(value))?;
            Some(if *negated { format!("not {found}") } else { found })
        }
        Test::Expression(Expression::Number(number)) if *number != 0 => None,
        Test::Expression(expression) => Some(condition(expression, needs)?),
    })
}

/// A selector, checked.
fn selected(selector: &str) -> Result<String, String> {
    crate::words::selector(selector).map_err(|bad| format!("`{}` is not {}", bad.word, bad.wanted))?;
    Ok(format!("selector({})", quoted(selector)))
}

fn condition(expression: &Expression, needs: &mut Needs) -> Result<String, String> {
    match expression {
        Expression::Not(inner) => Ok(format!("not ({})", condition(inner, needs)?)),
        Expression::Pair(left, operator, right) if matches!(operator.as_str(), "and" | "or") => {
            let side = |side: &Expression, needs: &mut Needs| {
                let text = condition(side, needs)?;
                let is_other =
                    matches!(side, Expression::Pair(_, inner, _) if inner != operator && inner == "or");
                Ok::<String, String>(if is_other { format!("({text})") } else { text })
            };
            let (left, right) = (side(left, needs)?, side(right, needs)?);
            Ok(format!("{left} {operator} {right}"))
        }
        Expression::Pair(left, operator, right) => comparison(left, operator, right, needs),
        Expression::Call(name, arguments) => tested(name, arguments, needs),
        Expression::Number(number) => {
            Ok(if *number == 0 { "not selector(\"*.*\")" } else { "selector(\"*.*\")" }.to_string())
        }
        other => {
            let value = operand(other, needs)?;
            let template = quoted(&value.template);
            Ok(format!("({template} ne \"\" and {template} ne \"0\")"))
        }
    }
}

/// Functions that are true or false.
fn tested(name: &str, arguments: &[Expression], needs: &mut Needs) -> Result<String, String> {
    match (name, arguments) {
        ("prifilt", [Expression::Text(selector)]) => selected(selector),
        ("exists", [variable]) => Ok(format!("{} ne \"\"", quoted(&operand(variable, needs)?.template))),
        ("re_match" | "re_match_i", [subject, Expression::Text(pattern)]) => {
            let operation = if name.ends_with("_i") { "ereregex_i" } else { "ereregex" };
            compared(&operand(subject, needs)?, operation, &Operand::text(pattern))
        }
        _ => Err(format!("function `{name}()` as a condition is not supported")),
    }
}

fn comparison(
    left: &Expression,
    operator: &str,
    right: &Expression,
    needs: &mut Needs,
) -> Result<String, String> {
    let subject = operand(left, needs)?;
    let Expression::List(items) = right else {
        return compared(&subject, operator, &operand(right, needs)?);
    };
    // A list is any of its members; `!=` is none of them.
    let (operator, is_none) = if matches!(operator, "!=" | "<>") { ("==", true) } else { (operator, false) };
    let mut found = Vec::new();
    for item in items {
        found.push(compared(&subject, operator, &operand(item, needs)?)?);
    }
    if found.is_empty() {
        return Err("an empty list is not supported".to_string());
    }
    let any = format!("({})", found.join(" or "));
    Ok(if is_none { format!("not {any}") } else { any })
}

/// `subject operation value`.
fn compared(subject: &Operand, operation: &str, value: &Operand) -> Result<String, String> {
    let (operation, flags) = match operation.strip_suffix("_i") {
        Some(operation) => (operation, &["ignore-case"][..]),
        None => (operation, &[][..]),
    };
    let literal = || {
        value.literal.clone().ok_or_else(|| format!("`{operation}` with a computed value is not supported"))
    };
    // The blank behind the tag is not part of the text here.
    let behind_blank = |text: String| match subject.is_message {
        true => text.strip_prefix(' ').map(str::to_string).unwrap_or(text),
        false => text,
    };
    Ok(match operation {
        "contains" => matched(subject, &literal()?, "string", &[&["substring"], flags].concat()),
        "startswith" => matched(subject, &behind_blank(literal()?), "string", &[&["prefix"], flags].concat()),
        "endswith" => matched(subject, &format!("{}\\z", escaped(&literal()?)), "pcre", flags),
        "regex" => matched(subject, &anchored(extended(&literal()?), subject), "pcre", flags),
        "ereregex" => matched(subject, &anchored(literal()?, subject), "pcre", flags),
        "isempty" => format!("{} eq \"\"", quoted(&subject.template)),
        "isequal" if subject.is_program => ordered(subject, "==", value, behind_blank),
        "isequal" => format!(
            "{} eq {}",
            quoted(&subject.template),
            quoted(&behind_blank(literal()?).replace('$', "$$"))
        ),
        "==" | "!=" | "<>" | "<" | ">" | "<=" | ">=" => ordered(subject, operation, value, behind_blank),
        other => return Err(format!("operation `{other}` is not supported")),
    })
}

/// A comparison: of numbers if one side is a number, of texts otherwise.
fn ordered(
    subject: &Operand,
    operation: &str,
    value: &Operand,
    behind_blank: impl Fn(String) -> String,
) -> String {
    let is_equality = matches!(operation, "==" | "!=" | "<>");
    if let (true, true, Some(program)) = (subject.is_program, is_equality, &value.literal) {
        let found = format!("program({})", quoted(&format!("^{}(/|$)", escaped(program))));
        return if operation == "==" { found } else { format!("not {found}") };
    }
    let left = quoted(&subject.template);
    let digits = value.literal.as_ref().filter(|literal| literal.parse::<i64>().is_ok());
    if value.is_number || subject.is_number || (!is_equality && digits.is_some()) {
        let operation = if operation == "<>" { "!=" } else { operation };
        return match digits {
            Some(digits) => format!("{left} {operation} {digits}"),
            None => format!("{left} {operation} {}", quoted(&value.template)),
        };
    }
    let word = match operation {
        "==" => "eq",
        "<" => "lt",
        ">" => "gt",
        "<=" => "le",
        ">=" => "ge",
        _ => "ne",
    };
    format!("{left} {word} {}", quoted(&behind_blank(value.template.clone())))
}

/// A pattern against a value.
fn matched(subject: &Operand, pattern: &str, kind: &str, flags: &[&str]) -> String {
    let (name, target) = match subject.name.as_deref() {
        Some("MESSAGE") => ("message", String::new()),
        Some("PROGRAM") => ("program", String::new()),
        Some("HOST") => ("host", String::new()),
        Some(name) => ("match", format!(" value({})", quoted(name))),
        None => ("match", format!(" template({})", quoted(&subject.template))),
    };
    let kind = if kind == "pcre" { String::new() } else { format!(" type(\"{kind}\")") };
    let flags = if flags.is_empty() { String::new() } else { format!(" flags({})", flags.join(" ")) };
    format!("{name}({}{target}{kind}{flags})", quoted(pattern))
}

/// A pattern for the text of the message: its first blank is not part of it here.
fn anchored(pattern: String, subject: &Operand) -> String {
    match pattern
        .strip_prefix("^ ")
        .filter(|rest| subject.is_message && !rest.starts_with(['*', '?', '+', '{']))
    {
        Some(rest) => format!("^{rest}"),
        None => pattern,
    }
}

/// A text as a pattern that matches it.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        if !letter.is_alphanumeric() && letter.is_ascii() {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}
