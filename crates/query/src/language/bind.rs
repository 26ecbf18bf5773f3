//! Queries with parameters: texts of queries in which values are inserted, and conditions added.
//!
//! In: the text of a query, the values of its parameters, values of fields. Out: the text of a query. A value is written in the
//! form that the parser reads as this one value, so that no value can change the rest of the query. Limits: those of the parser.

use super::{
    error::QueryError,
    parse::parse,
    tree::{NodeKind, Operator, Parameter, ParameterPosition, Text},
};

/// The value of a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParameterValue {
    /// This text, without wildcards.
    Text(String),
    /// This number, as written: digits with a sign and a point.
    Number(String),
    /// Any value: `*`.
    Any,
}

impl ParameterValue {
    /// Returns a number; none when the text is not one of an optional sign, digits and an optional point with digits.
    pub fn number(text: &str) -> Option<ParameterValue> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let mut parts = digits.splitn(2, '.');
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = parts.next().is_some_and(is_digits) && parts.next().is_none_or(is_digits);
        is_number.then(|| ParameterValue::Number(text.to_owned()))
    }
}

/// Returns the parameters of a query, in the order of the text.
pub fn parameters(text: &str) -> Result<Vec<Parameter>, QueryError> {
    Ok(parse(text, Operator::And)?.parameters)
}

/// Inserts the values of parameters. An error when one has no value, or `*` where that is no value.
pub fn bind(text: &str, value: &dyn Fn(&str) -> Option<ParameterValue>) -> Result<String, QueryError> {
    let found = parameters(text)?;
    let chars: Vec<char> = text.chars().collect();
    if let Some(start) = stray(&chars, &found) {
        let remedy = "a parameter is a whole value, without quotes; write $\\{ to search for the characters";
        return Err(QueryError::new(start, 2, "${ cannot stand here", remedy));
    }
    let mut bound = String::with_capacity(text.len());
    let mut at = 0;
    for Parameter { name, range, position } in found {
        bound.extend(chars.get(at..range.start).unwrap_or_default());
        at = range.end;
        let fail = |message: String, remedy: &str| {
            QueryError::new(range.start, range.end - range.start, message, remedy)
        };
        match value(&name) {
            None => return Err(fail(format!("there is no parameter {name}"), "add it to the parameters")),
            Some(ParameterValue::Any) if position == ParameterPosition::Literal => {
                let message = format!("the parameter {name} has no value");
                return Err(fail(message, "after a comparison, after = and in a range it needs one"));
            }
            Some(ParameterValue::Any) => bound.push('*'),
            Some(ParameterValue::Text(text)) => Text::plain(&text).print_quoted(&mut bound),
            Some(ParameterValue::Number(text)) => Text::plain(&text).print_bare(&mut bound),
        }
    }
    bound.extend(chars.get(at..).unwrap_or_default());
    Ok(bound)
}

/// Returns the position of a `${` that is no parameter, such as one in quotes or in the name of a field.
fn stray(chars: &[char], found: &[Parameter]) -> Option<usize> {
    let is_known = |start: &usize| found.iter().any(|known| known.range.start == *start);
    let starts = chars.windows(2).enumerate().filter(|(_, pair)| *pair == ['$', '{']);
    starts.map(|(start, _)| start).find(|start| !is_known(start))
}

/// Adds conditions to a query: its messages must also have these values in these fields.
pub fn with_values(text: &str, values: &[(String, String)]) -> Result<String, QueryError> {
    if values.is_empty() {
        return Ok(text.to_owned());
    }
    let parsed = parse(text, Operator::And)?;
    let mut query = match parsed.tree.kind {
        NodeKind::Empty | NodeKind::All => String::new(),
        _ => format!("({})", parsed.tree),
    };
    for (field, value) in values {
        if !query.is_empty() {
            query.push_str(" AND ");
        }
        Text::plain(field).print_bare(&mut query);
        query.push(':');
        Text::plain(value).print_quoted(&mut query);
    }
    for pipe in &parsed.pipes {
        query.push_str(" | ");
        query.push_str(&pipe.text);
    }
    Ok(query)
}

#[cfg(test)]
mod tests;
