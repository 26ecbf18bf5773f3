//! Converts tests of rsyslog to filter expressions.
//!
//! In: a selector, a property filter, an expression. Out: the same as a filter of the language.
//! Limits: a part without a counterpart fails the whole test; a rule never handles more messages than before.

use super::value::{Operand, operand, printed};
use crate::parse::quoted;
use crate::rsyslog::calls::extended;
use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::syntax::{Expression, Test};
use crate::rsyslog::template::property::{self, Needs};

/// Converts a test to a filter expression. `None`: it takes every message.
pub(crate) fn filter(test: &Test, needs: &mut Needs) -> Converted<Option<String>> {
    Ok(match test {
        Test::Selector(selector) if selector == "*.*" => None,
        Test::Selector(selector) => Some(selected(selector)?),
        Test::Property { name, negated, operation, value } => {
            let subject = Operand::variable(name, needs)?;
            let found = compared(&subject, operation, &Operand::text(value), needs)?;
            Some(if *negated { format!("not {found}") } else { found })
        }
        Test::Expression(Expression::Number(number)) if *number != 0 => None,
        Test::Expression(expression) => Some(condition(expression, needs)?),
    })
}

/// Converts a selector, and checks it.
fn selected(selector: &str) -> Converted<String> {
    crate::words::selector(selector)
        .map_err(|bad| Refusal::malformed(format!("`{}` is not {}", bad.word, bad.wanted)))?;
    Ok(format!("selector({})", quoted(selector)))
}

fn condition(expression: &Expression, needs: &mut Needs) -> Converted<String> {
    match expression {
        Expression::Not(inner) => Ok(format!("not ({})", condition(inner, needs)?)),
        Expression::Pair(left, operator, right) if matches!(operator.as_str(), "and" | "or") => {
            let side = |side: &Expression, needs: &mut Needs| {
                let text = condition(side, needs)?;
                let is_other =
                    matches!(side, Expression::Pair(_, inner, _) if inner != operator && inner == "or");
                Ok::<String, Refusal>(if is_other { format!("({text})") } else { text })
            };
            let (left, right) = (side(left, needs)?, side(right, needs)?);
            Ok(format!("{left} {operator} {right}"))
        }
        Expression::Pair(left, operator, right) => comparison(left, operator, right, needs),
        Expression::Call(name, arguments) => tested(name, arguments, needs),
        Expression::Number(number) => {
            Ok(if *number == 0 { "not selector(\"*.*\")" } else { "selector(\"*.*\")" }.to_string())
        }
        other => Ok(is_not_zero(operand(other, needs)?, needs)),
    }
}

/// Converts a value to a condition: it holds when the number at its start is not 0, so a word is false.
fn is_not_zero(value: Operand, needs: &mut Needs) -> String {
    match value.literal.as_ref().filter(|_| value.is_number) {
        Some(number) if number.parse() == Ok(0) => "not selector(\"*.*\")".to_string(),
        Some(_) => "selector(\"*.*\")".to_string(),
        None => format!("match(\"^-?0*[1-9]\" template({}))", quoted(&printed(value, needs))),
    }
}

/// Functions that are true or false.
fn tested(name: &str, arguments: &[Expression], needs: &mut Needs) -> Converted<String> {
    match (name, arguments) {
        ("prifilt", [Expression::Text(selector)]) => selected(selector),
        ("exists", [variable]) => Ok(format!("{} ne \"\"", quoted(&operand(variable, needs)?.template))),
        ("re_match" | "re_match_i", [subject, Expression::Text(pattern)]) => {
            let operation = if name.ends_with("_i") { "ereregex_i" } else { "ereregex" };
            compared(&operand(subject, needs)?, operation, &Operand::text(pattern), needs)
        }
        _ => {
            let value = operand(&Expression::Call(name.to_string(), arguments.to_vec()), needs)?;
            Ok(is_not_zero(value, needs))
        }
    }
}

fn comparison(left: &Expression, operator: &str, right: &Expression, needs: &mut Needs) -> Converted<String> {
    let subject = operand(left, needs)?;
    let Expression::List(items) = right else {
        let value = operand(right, needs)?;
        return compared(&subject, operator, &value, needs);
    };
    // A list matches if any of its members does; with `!=`, if none does.
    let (operator, is_none) = if matches!(operator, "!=" | "<>") { ("==", true) } else { (operator, false) };
    let mut found = Vec::new();
    for item in items {
        let value = operand(item, needs)?;
        found.push(compared(&subject, operator, &value, needs)?);
    }
    if found.is_empty() {
        return Err(Refusal::unsupported("an empty list"));
    }
    let any = format!("({})", found.join(" or "));
    Ok(if is_none { format!("not {any}") } else { any })
}

/// Converts `subject operation value`.
fn compared(subject: &Operand, operation: &str, value: &Operand, needs: &mut Needs) -> Converted<String> {
    let (operation, flags) = match operation.strip_suffix("_i") {
        Some(operation) => (operation, &["ignore-case"][..]),
        None => (operation, &[][..]),
    };
    let literal = || {
        value
            .literal
            .clone()
            .ok_or_else(|| Refusal::unsupported(format!("`{operation}` with a computed value")))
    };
    let whole;
    let subject = match subject.is_message && !ignores_first_blank(operation, value) {
        true => {
            needs.message = true;
            whole = Operand::of(format!("$(template {})", property::MESSAGE_TEMPLATE));
            &whole
        }
        false => subject,
    };
    Ok(match operation {
        "contains" => matched(subject, &literal()?, "string", &[&["substring"], flags].concat()),
        "startswith" => matched(subject, &literal()?, "string", &[&["prefix"], flags].concat()),
        "endswith" => matched(subject, &format!("{}\\z", escaped(&literal()?)), "pcre", flags),
        "regex" => matched(subject, &extended(&literal()?), "pcre", flags),
        "ereregex" => matched(subject, &literal()?, "pcre", flags),
        "isempty" => format!("{} eq \"\"", quoted(&subject.template)),
        "isequal" => ordered(subject, "==", &Operand::text(&literal()?), needs),
        "==" | "!=" | "<>" | "<" | ">" | "<=" | ">=" => ordered(subject, operation, value, needs),
        other => return Err(Refusal::unsupported(format!("operation `{other}`"))),
    })
}

/// Returns true when the blank that rsyslog's `%msg%` has after the tag makes no difference: the pattern is found
/// anywhere, and does not start with a blank.
fn ignores_first_blank(operation: &str, value: &Operand) -> bool {
    let Some(pattern) = &value.literal else { return false };
    let mut letters = pattern.chars();
    match operation {
        "contains" => letters.next() != Some(' '),
        "endswith" => letters.next().is_some_and(|first| first != ' '),
        "regex" | "ereregex" => {
            letters.next().is_some_and(char::is_alphanumeric)
                && !letters.next().is_some_and(|next| "*?{\\".contains(next))
                && !pattern.contains('|')
        }
        _ => false,
    }
}

/// Converts a comparison: of numbers if one side is computed as a number, of texts otherwise.
fn ordered(subject: &Operand, operation: &str, value: &Operand, needs: &mut Needs) -> String {
    let operation = if operation == "<>" { "!=" } else { operation };
    let is_equality = matches!(operation, "==" | "!=");
    if let (true, true, Some(program)) = (subject.is_program, is_equality, &value.literal)
        && !program.contains('/')
    {
        let found = format!("program({})", quoted(&format!("^{}(/|$)", escaped(program))));
        return if operation == "==" { found } else { format!("not {found}") };
    }
    let left = quoted(&subject.template);
    let digits = value.literal.as_ref().and_then(|literal| literal.parse::<i64>().ok());
    if value.is_number || (subject.is_computed && digits.is_some()) {
        let Some(number) = digits else {
            return format!("{left} {operation} {}", quoted(&value.template));
        };
        let compared = format!("{left} {operation} {number}");
        // A text without any digit counts as 0 only when it is empty.
        let holds_for_nothing = match operation {
            "==" => number == 0,
            "<" => 0 < number,
            ">" => 0 > number,
            "<=" => 0 <= number,
            ">=" => 0 >= number,
            _ => false,
        };
        return match (subject.is_number, operation) {
            (true, _) => compared,
            (false, "!=") if number == 0 => format!("({compared} and {left} ne \"\")"),
            (false, _) if holds_for_nothing => format!("({compared} or {left} eq \"\")"),
            (false, _) => compared,
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
    let right = match value.is_message {
        true => {
            needs.message = true;
            format!("$(template {})", property::MESSAGE_TEMPLATE)
        }
        false => value.template.clone(),
    };
    format!("{left} {word} {}", quoted(&right))
}

/// Returns the condition that a value matches a pattern.
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

/// Returns a pattern that matches a text.
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
