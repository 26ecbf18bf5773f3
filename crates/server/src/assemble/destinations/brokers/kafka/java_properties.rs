//! `properties-file()` of `kafka()`: settings in the form of clients in Java.
//!
//! In: the text of a file. Out: names and values with their lines. Holds: nothing.
//! Limits: escapes of Unicode are read as `java.util.Properties` reads them; a file above [`BYTES_MAX`] is refused by its reader.

use std::fmt;

/// Longest file.
pub(super) const BYTES_MAX: u64 = 1 << 20;

/// A setting and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct JavaProperty {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The number of its first line, from 1.
    pub line: usize,
}

/// The meaning of a name that only clients in Java have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JavaOnly {
    /// Nothing is lost without it.
    Unneeded,
    /// Something else has to be written.
    Instead(&'static str),
}

/// Names of clients in Java that librdkafka does not have.
const ONLY_JAVA: [(&str, JavaOnly); 12] = [
    // The option bootstrap-servers() is written anyway, and comes first.
    ("bootstrap.servers", JavaOnly::Unneeded),
    ("key.serializer", JavaOnly::Unneeded),
    ("value.serializer", JavaOnly::Unneeded),
    ("buffer.memory", JavaOnly::Unneeded),
    ("max.block.ms", JavaOnly::Unneeded),
    ("ssl.keystore.type", JavaOnly::Unneeded),
    ("ssl.truststore.type", JavaOnly::Unneeded),
    ("ssl.truststore.location", JavaOnly::Instead("ssl.ca.location=/path/of/ca.pem")),
    ("ssl.truststore.password", JavaOnly::Instead("ssl.ca.location=/path/of/ca.pem")),
    ("sasl.jaas.config", JavaOnly::Instead("sasl.username=NAME and sasl.password=PASSWORD")),
    ("partitioner.class", JavaOnly::Instead("partitioner=murmur2_random")),
    ("interceptor.classes", JavaOnly::Instead("nothing: there is no Java")),
];

impl JavaProperty {
    /// Returns what its name means when only clients in Java have it.
    pub(super) fn only_java(&self) -> Option<JavaOnly> {
        ONLY_JAVA.iter().find(|(name, _)| *name == self.name).map(|(_, meaning)| *meaning)
    }
}

impl fmt::Display for JavaProperty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` in line {}", self.name, self.line)
    }
}

/// Reads a file as `java.util.Properties` does: `name=value`, `name: value` or `name value`, comments after `#` and `!`,
/// and a line that ends with a backslash goes on in the next.
pub(super) fn read(text: &str) -> Vec<JavaProperty> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, first)) = lines.next() {
        let first = first.trim_start();
        if first.is_empty() || first.starts_with(['#', '!']) {
            continue;
        }
        let mut line = first.to_owned();
        while goes_on(&line) {
            line.pop();
            let Some((_, next)) = lines.next() else { break };
            line += next.trim_start();
        }
        let (name, value) = split(&line);
        found.push(JavaProperty { name: unescaped(name), value: unescaped(value), line: number + 1 });
    }
    found
}

/// Returns whether a line ends with a backslash that no other one escapes.
fn goes_on(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Splits a line at the first `=`, `:` or blank that is not escaped.
fn split(line: &str) -> (&str, &str) {
    let mut is_escaped = false;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'=' | b':' => return (&line[..at], line[at + 1..].trim_start()),
            b' ' | b'\t' => {
                let rest = line[at..].trim_start();
                return (&line[..at], rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start());
            }
            _ => {}
        }
    }
    (line, "")
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                out.push(code.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    //! Files as they are written, and as nobody should write them.

    use super::*;

    #[test]
    fn files_of_java_are_read() {
        let text = "# a comment\n! another\n\nacks=all\n  linger.ms : 5\ncompression.type zstd\nclient.id = a\\\n    b\nssl.key.password=a\\=b\\u0041\\\\\nempty\nlast=x\\";
        let rows = [
            ("acks", "all", 4),
            ("linger.ms", "5", 5),
            ("compression.type", "zstd", 6),
            ("client.id", "ab", 7),
            ("ssl.key.password", "a=bA\\", 9),
            ("empty", "", 10),
            ("last", "x", 11),
        ];
        let want: Vec<JavaProperty> = rows
            .iter()
            .map(|(name, value, line)| JavaProperty {
                name: (*name).to_owned(),
                value: (*value).to_owned(),
                line: *line,
            })
            .collect();
        assert_eq!(read(text), want);
        assert_eq!(
            read("a=\\uD800\\u"),
            [JavaProperty { name: "a".to_owned(), value: "\u{fffd}\u{fffd}".to_owned(), line: 1 }]
        );
    }
}
