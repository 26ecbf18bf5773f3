//! Joins pattern databases: writes the content of each `<patterndb>`, one after the other, into one.
//!
//! In: the text of a file. Out: XML, appended. Files of version 1 are brought to the form of today.
//! Holds nothing between files. Limits: text that is not well-formed is an error with its position.

use super::markup::{LoadError, Mark, Markup};
use quick_xml::escape::escape;

/// Appends the content of a database.
pub fn merge(text: &str, out: &mut String) -> Result<(), LoadError> {
    let mut markup = Markup::new(text);
    let mut version = 0u32;
    let mut in_rule = false;
    while let Some(mark) = markup.next()? {
        match mark {
            Mark::Start { name, attributes } if name == "patterndb" => {
                let written = attributes.iter().find(|(name, _)| name == "version");
                version = written.and_then(|(_, version)| version.parse().ok()).unwrap_or(0);
            }
            Mark::End { name } if name == "patterndb" => {}
            Mark::Start { name, attributes } => {
                in_rule |= name == "rule";
                let group = if in_rule { group(&name, version) } else { None };
                out.extend(group.map(|group| format!("<{group}>\n")));
                out.push_str(&format!("<{}", today(&name)));
                for (name, value) in &attributes {
                    out.push_str(&format!(" {name}='{}'", attribute(value)));
                }
                out.push('>');
            }
            Mark::End { name } => {
                in_rule &= name != "rule";
                out.push_str(&format!("</{}>", today(&name)));
                let group = if in_rule { group(&name, version) } else { None };
                out.extend(group.map(|group| format!("\n</{group}>")));
            }
            Mark::Text(text) => out.push_str(&escape(text.as_str())),
        }
    }
    Ok(())
}

/// Prints a value between quotes. Line breaks and tabs are written as references: as they are, readers take them for
/// spaces.
fn attribute(value: &str) -> String {
    escape(value).replace('\t', "&#9;").replace('\n', "&#10;").replace('\r', "&#13;")
}

/// Rulesets had another name in version 1.
fn today(name: &str) -> &str {
    if name == "program" { "ruleset" } else { name }
}

/// Returns the element that groups an element of a rule since version 2.
fn group(name: &str, version: u32) -> Option<&'static str> {
    match name {
        "pattern" if version == 1 => Some("patterns"),
        "url" if version == 1 => Some("urls"),
        _ => None,
    }
}
