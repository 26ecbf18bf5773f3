//! Parameters in a query: `${name}` in the position of a value.
//!
//! In: the cursor at the position of a value. Out: the name and its range. A `${` inside of quotes or of a regular expression
//! is text, so that a parameter is never a part of one.

use super::{
    Parser,
    cursor::{Cursor, ends_term},
};
use crate::language::{
    error::QueryError,
    tree::{Parameter, ParameterPosition, is_parameter_name},
};

impl Parser {
    /// Parses a parameter; none when another value follows.
    pub(super) fn parameter(&mut self, position: ParameterPosition) -> Result<Option<String>, QueryError> {
        if !starts_parameter(&self.cursor) {
            return Ok(None);
        }
        let start = self.cursor.position();
        self.cursor.advance(2);
        let name_start = self.cursor.position();
        while self.cursor.peek().is_some_and(|c| c != '}' && !c.is_whitespace()) {
            self.cursor.advance(1);
        }
        let name = self.cursor.slice(name_start, self.cursor.position());
        if !self.cursor.eat('}') || !is_parameter_name(&name) {
            let length = self.cursor.position() - start;
            let remedy = "write ${host}: a letter, then letters, digits and _ in lower case";
            return Err(QueryError::new(start, length, "this is no name of a parameter", remedy));
        }
        let range = self.cursor.place_from(start);
        let is_followed = self.cursor.peek().is_some_and(|c| match position {
            ParameterPosition::Word => !ends_term(c) || matches!(c, '"' | '~' | ':' | '[' | '{' | '('),
            ParameterPosition::Literal => !c.is_whitespace() && !matches!(c, ')' | ']' | '}' | '|' | '^'),
        });
        if is_followed {
            let message = format!("text follows ${{{name}}} without a blank");
            let remedy = "a parameter is a whole value; write a blank after it";
            return Err(QueryError::new(start, range.end - start, message, remedy));
        }
        self.parameters.push(Parameter { name: name.clone(), range, position });
        Ok(Some(name))
    }
}

/// Returns true if `${` comes next.
fn starts_parameter(cursor: &Cursor) -> bool {
    cursor.peek() == Some('$') && cursor.peek_at(1) == Some('{')
}
