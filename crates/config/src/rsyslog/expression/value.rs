//! Converts expressions of RainerScript to templates.
//!
//! In: an expression with a value. Out: a template that prints it.
//! Limits: functions without a counterpart fail, by name.

use crate::rsyslog::calls::{argument, extracted, in_quotes};
use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::syntax::Expression;
use crate::rsyslog::template::property::{self, Needs, Value};

/// A value as a template, and facts about it.
pub(crate) struct Operand {
    pub(crate) template: String,
    /// The name of the value, if it is one.
    pub(crate) name: Option<String>,
    /// True for the text of the message, with or without the leading blank.
    pub(crate) is_message: bool,
    /// True for the name of the program up to a slash.
    pub(crate) is_program: bool,
    /// It prints a number for sure.
    pub(crate) is_number: bool,
    /// True for a computed number: compared with digits in quotes it is still a number.
    pub(crate) is_computed: bool,
    /// The characters, if it is a literal.
    pub(crate) literal: Option<String>,
}

impl Operand {
    pub(crate) fn of(template: String) -> Operand {
        Operand {
            template,
            name: None,
            is_message: false,
            is_program: false,
            is_number: false,
            is_computed: false,
            literal: None,
        }
    }

    fn number(template: String) -> Operand {
        Operand { is_number: true, is_computed: true, ..Operand::of(template) }
    }

    /// Makes a literal text.
    pub(crate) fn text(text: &str) -> Operand {
        Operand { literal: Some(text.to_string()), ..Operand::of(text.replace('$', "$$")) }
    }

    /// Converts a property or a variable.
    pub(crate) fn variable(name: &str, needs: &mut Needs) -> Converted<Operand> {
        let key = name.to_ascii_lowercase();
        if key == "msg" {
            let message = Operand::of("${MESSAGE}".to_string());
            return Ok(Operand { name: Some("MESSAGE".to_string()), is_message: true, ..message });
        }
        if let Some(prefix) = property::time(&key) {
            return Ok(Operand::of(format!("${{{prefix}DATE}}")));
        }
        let Value { template, name } = property::property(name, needs)?;
        let is_number = template.ends_with("_NUM}") || template == "${PRI}";
        Ok(Operand { name, is_number, is_program: key == "programname", ..Operand::of(template) })
    }

    /// Returns it as one word of a template function that calculates.
    fn as_number(&self) -> String {
        if self.is_number { self.word() } else { leading_number(&self.word()) }
    }

    /// Returns it as one word of a template function.
    fn word(&self) -> String {
        let is_one = self.template.starts_with('$') && !self.template.contains([' ', '"', '\\']);
        match (&self.literal, is_one) {
            (Some(text), _) => argument(text),
            (None, true) => self.template.clone(),
            (None, false) if self.template.starts_with("$(") && self.template.ends_with(')') => {
                self.template.clone()
            }
            (None, false) => in_quotes(&self.template),
        }
    }
}

/// Converts an expression to a template.
pub(crate) fn operand(expression: &Expression, needs: &mut Needs) -> Converted<Operand> {
    match expression {
        Expression::Text(text) => Ok(Operand::text(text)),
        Expression::Number(number) => {
            Ok(Operand { literal: Some(number.to_string()), ..Operand::number(number.to_string()) })
        }
        Expression::Variable(name) => Operand::variable(name, needs),
        Expression::Call(name, arguments) => call(name, arguments, needs),
        Expression::Minus(inner) => {
            let inner = operand(inner, needs)?;
            match &inner.literal {
                Some(digits) => Ok(Operand {
                    literal: Some(format!("-{digits}")),
                    ..Operand::number(format!("-{digits}"))
                }),
                None => Ok(Operand::number(format!("$(- 0 {})", inner.as_number()))),
            }
        }
        Expression::Pair(left, operator, right) => {
            let (left, right) = (operand(left, needs)?, operand(right, needs)?);
            match operator.as_str() {
                "&" => Ok(Operand::of(format!("{}{}", printed(left, needs), printed(right, needs)))),
                "+" | "-" | "*" | "/" | "%" => {
                    Ok(Operand::number(format!("$({operator} {} {})", left.as_number(), right.as_number())))
                }
                other => Err(Refusal::unsupported(format!("`{other}` as a value"))),
            }
        }
        Expression::List(_) => Err(Refusal::unsupported("a list as a value")),
        Expression::Not(_) => Err(Refusal::instead(
            "`not` as a value is not supported: rsyslog applies it to what follows it at once, so put that in parentheses",
        )),
    }
}

/// Returns a value as it is printed: the text of the message has its blank in front.
pub(crate) fn printed(operand: Operand, needs: &mut Needs) -> String {
    if !operand.is_message {
        return operand.template;
    }
    needs.message = true;
    format!("$(template {})", property::MESSAGE_TEMPLATE)
}

/// Returns the number at the start of a text; 0 without one.
fn leading_number(word: &str) -> String {
    format!("$(extract \"^-?[0-9]+\" {word} 0)")
}

fn call(name: &str, arguments: &[Expression], needs: &mut Needs) -> Converted<Operand> {
    let mut words = Vec::new();
    let mut operands = Vec::new();
    for argument in arguments {
        let operand = operand(argument, needs)?;
        let mut word = operand.word();
        if operand.is_message {
            needs.message = true;
            word = format!("$(template {})", property::MESSAGE_TEMPLATE);
        }
        words.push(word);
        operands.push(operand);
    }
    let text = |function: &str| Operand::of(format!("$({function} {})", words.join(" ")));
    Ok(match (name, words.as_slice()) {
        ("strlen", [_]) => Operand::number(text("length").template),
        ("tolower" | "lower" | "lcase", [_]) => text("lowercase"),
        ("toupper" | "upper" | "ucase", [_]) => text("uppercase"),
        ("substring", [_, _, _]) => text("substr"),
        ("getenv", [_]) => text("env"),
        ("cnum", [word]) => Operand::number(leading_number(word)),
        ("cstr", [_]) => Operand { is_computed: false, ..operands.remove(0) },
        ("ltrim", [word]) => Operand::of(extracted("(?s)^ *(.*)", (0, 1), word, &argument(""))),
        ("rtrim", [word]) => Operand::of(extracted("(?s)^(.*?) *\\z", (0, 1), word, &argument(""))),
        ("wrap", [_, _]) => {
            let mut side = || printed(operands.remove(0), needs);
            let (inner, edge) = (side(), side());
            Operand::of(format!("{edge}{inner}{edge}"))
        }
        ("field", [_, _, _]) => return field(&operands, &words),
        ("re_extract" | "re_extract_i", [text, _, _, _, otherwise]) => {
            let taken = re_extract(&operands, text, otherwise)?;
            let ignores_case = name.ends_with("_i");
            return Ok(if ignores_case {
                Operand::of(taken.template.replacen("extract ", "extract --ignore-case ", 1))
            } else {
                taken
            });
        }
        _ => return Err(Refusal::unsupported(format!("function `{name}()`"))),
    })
}

/// Converts `field(text, delimiter, number)`.
fn field(operands: &[Operand], words: &[String]) -> Converted<Operand> {
    let delimiter = operands[1]
        .literal
        .clone()
        .ok_or_else(|| Refusal::unsupported("field() with a computed delimiter"))?;
    let delimiter = match delimiter.parse::<u32>().ok().filter(|_| operands[1].is_number) {
        Some(code) => {
            char::from_u32(code).ok_or(Refusal::Incomplete("field() without a delimiter"))?.to_string()
        }
        None => delimiter,
    };
    let missing = argument("***FIELD NOT FOUND***");
    Ok(Operand::of(format!("$(field {} {} {} {missing})", argument(&delimiter), words[2], words[0])))
}

/// Converts `re_extract(text, expression, match, group, otherwise)`.
fn re_extract(operands: &[Operand], text: &str, otherwise: &str) -> Converted<Operand> {
    let literal = |index: usize| operands[index].literal.as_ref();
    let number = |index: usize| literal(index).and_then(|number| number.parse::<usize>().ok());
    match (literal(1), number(2), number(3)) {
        (Some(expression), Some(nth), Some(group)) => {
            Ok(Operand::of(extracted(expression, (nth, group), text, otherwise)))
        }
        _ => Err(Refusal::unsupported("re_extract() with a computed expression or number")),
    }
}
