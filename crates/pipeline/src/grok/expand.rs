//! A grok pattern as one regular expression.
//!
//! In: a pattern and the library. Out: the expression, in which every value has a group of its own, and the names and
//! types of those groups. Ruby syntax that PCRE2 does not have is translated: `\h`, `(?m)`, `?*`, classes in classes.
//! Holds: nothing between patterns. Limits: [`DEPTH_MAX`], [`EXPANDED_BYTES_MAX`].

use super::{
    error::{DEPTH_MAX, EXPANDED_BYTES_MAX, GrokError},
    kind::Kind,
    library::GrokLibrary,
};

/// Names of groups: this and a number.
pub(super) const GROUP: &str = "g";

/// An expanded pattern.
#[derive(Debug, Default)]
pub(super) struct ExpandedPattern {
    pub(super) text: String,
    /// Names and types of the values, by the number in the name of the group.
    pub(super) names: Vec<(String, Kind)>,
}

/// Expands a pattern.
pub(super) fn expand(pattern: &str, library: &GrokLibrary) -> Result<ExpandedPattern, GrokError> {
    let mut expanded = ExpandedPattern::default();
    append(pattern, library, "", 0, &mut expanded)?;
    Ok(expanded)
}

fn append(
    pattern: &str,
    library: &GrokLibrary,
    name: &str,
    depth: usize,
    out: &mut ExpandedPattern,
) -> Result<(), GrokError> {
    if depth > DEPTH_MAX {
        return Err(GrokError::Depth { name: name.to_owned() });
    }
    let mut rest = pattern;
    while let Some(next) = rest.find(['%', '\\', '(', '[', '?']) {
        out.text.push_str(&rest[..next]);
        rest = &rest[next..];
        if out.text.len() > EXPANDED_BYTES_MAX {
            return Err(GrokError::Long);
        }
        if let Some((after, end)) = rest.strip_prefix("%{").and_then(|after| Some((after, after.find('}')?)))
        {
            refer(&after[..end], library, depth, out)?;
            rest = &after[end + 1..];
        } else if let Some(after) = rest.strip_prefix('\\') {
            rest = escape(after, "[0-9A-Fa-f]", &mut out.text);
        } else if let Some((group, after)) = named_group(rest) {
            group_start(value_name(group), Kind::Text, out);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("?*") {
            // Perhaps one, as often as you like; PCRE2 knows no quantifier of a quantifier.
            out.text.push('*');
            rest = after;
        } else if let Some(after) = rest.strip_prefix("(?m") {
            out.text.push_str("(?s");
            rest = after;
        } else if let Some(after) = rest.strip_prefix('[') {
            rest = class(after, &mut out.text);
        } else {
            out.text.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    out.text.push_str(rest);
    if out.text.len() > EXPANDED_BYTES_MAX {
        return Err(GrokError::Long);
    }
    Ok(())
}

/// Copies what a backslash escapes; `digit` replaces `\h`, a hexadecimal digit in Ruby and a blank in PCRE2.
fn escape<'p>(after: &'p str, digit: &str, out: &mut String) -> &'p str {
    let escaped = after.chars().next();
    match escaped {
        Some('h') => out.push_str(digit),
        Some(other) => out.extend(['\\', other]),
        None => out.push('\\'),
    }
    &after[escaped.map_or(0, char::len_utf8)..]
}

/// Copies a class of characters up to its end. Classes in classes, which PCRE2 does not know, become one.
fn class<'p>(after: &'p str, out: &mut String) -> &'p str {
    out.push('[');
    let mut rest = after;
    if let Some(negated) = rest.strip_prefix('^') {
        out.push('^');
        rest = negated;
    }
    if let Some(literal) = rest.strip_prefix(']') {
        out.push_str("\\]");
        rest = literal;
    }
    let mut depth = 1usize;
    while depth > 0 {
        let Some(next) = rest.find(['[', ']', '\\']) else { break };
        out.push_str(&rest[..next]);
        let mark = rest.as_bytes()[next];
        rest = &rest[next + 1..];
        match mark {
            b'\\' => rest = escape(rest, "0-9A-Fa-f", out),
            b']' => depth -= 1,
            _ => match rest.strip_prefix(':').and_then(|name| name.split_once(":]")) {
                Some((name, after)) => {
                    out.push_str(&format!("[:{name}:]"));
                    rest = after;
                }
                None => depth += 1,
            },
        }
    }
    if depth == 0 {
        out.push(']');
    }
    rest
}

/// Expands `NAME`, `NAME:value` or `NAME:value:type`.
fn refer(
    reference: &str,
    library: &GrokLibrary,
    depth: usize,
    out: &mut ExpandedPattern,
) -> Result<(), GrokError> {
    let mut parts = reference.splitn(3, ':');
    let name = parts.next().unwrap_or_default();
    let value = parts.next().filter(|value| !value.is_empty());
    let kind = match parts.next() {
        None | Some("") => Kind::Text,
        Some(kind) => Kind::from_name(kind).ok_or_else(|| GrokError::Kind { name: kind.to_owned() })?,
    };
    let Some(pattern) = library.get(name) else { return Err(GrokError::Unknown { name: name.to_owned() }) };
    match value {
        Some(value) => group_start(value_name(value), kind, out),
        None => out.text.push_str("(?:"),
    }
    append(pattern, library, name, depth + 1, out)?;
    out.text.push(')');
    Ok(())
}

fn group_start(name: String, kind: Kind, out: &mut ExpandedPattern) {
    let number = out.names.len();
    out.names.push((name, kind));
    out.text.push_str(&format!("(?<{GROUP}{number}>"));
}

/// Splits the name in `(?<name>` from the rest; look-behinds have none.
fn named_group(text: &str) -> Option<(&str, &str)> {
    let after = text.strip_prefix("(?<")?;
    if after.starts_with(['=', '!']) {
        return None;
    }
    after.split_once('>')
}

/// Returns the name of a value: `[source][ip]` is `source.ip`.
fn value_name(name: &str) -> String {
    // Some patterns of the library say that a value may be missing; every value may.
    let name = name.strip_suffix('?').unwrap_or(name);
    match name.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        Some(inner) => inner.replace("][", "."),
        None => name.to_owned(),
    }
}
