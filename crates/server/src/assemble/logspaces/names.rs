//! Names of logspaces: what may be one, and what a text becomes that may not.
//!
//! In: names as they are written, and what a name with macros came to for a message. Out: names of folders.
//! Holds: nothing. Limits: [`NAME_BYTES_MAX`]; two texts share a name only if they differ in case alone.

use evidence::Digest;

/// Longest name of a logspace.
pub(crate) const NAME_BYTES_MAX: usize = 64;
/// Hexadecimal digits that keep changed names apart.
const DIGITS: usize = 12;

/// Returns true if the name is allowed for a logspace: it becomes the name of a folder.
pub(crate) fn is_logspace_name(name: &str) -> bool {
    let fits = !name.is_empty() && !name.starts_with('.') && name.len() <= NAME_BYTES_MAX;
    fits && name.bytes().all(is_plain)
}

/// Makes a name from any bytes. A text that may be a name stays, in lower case: names of hosts have no case. In others
/// each byte that no name has becomes `_`, and the beginning of their digest follows, so that different texts stay
/// apart.
pub(crate) fn folder_name(text: &[u8]) -> String {
    let lower = text.to_ascii_lowercase();
    let plain: String =
        lower.iter().map(|byte| if is_plain(*byte) { char::from(*byte) } else { '_' }).collect();
    if plain.as_bytes() == lower.as_slice() && is_logspace_name(&plain) {
        return plain;
    }
    let cut: String = plain.chars().take(NAME_BYTES_MAX - DIGITS - 1).collect();
    let digest: String = Digest::of(&lower).to_string().chars().take(DIGITS).collect();
    let first = if cut.is_empty() || cut.starts_with('.') { "_" } else { "" };
    format!("{first}{}-{digest}", cut.get(first.len()..).unwrap_or_default())
}

/// Makes the name of a logspace from the path of a logstore: `/` becomes `-`, except in functions of templates.
pub(crate) fn name_of_path(path: &str) -> String {
    let mut name = String::new();
    let mut depth = 0_usize;
    let mut last = ' ';
    for letter in path.trim_start_matches('/').chars() {
        match letter {
            '(' if last == '$' || depth > 0 => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        name.push(if letter == '/' && depth == 0 { '-' } else { letter });
        last = letter;
    }
    name
}

/// Returns the name for a special logspace of a name with macros: its text up to the first macro, and a word.
pub(crate) fn beside(template: &str, word: &str) -> String {
    let before = template.split('$').next().unwrap_or_default();
    folder_name(format!("{before}{word}").as_bytes())
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

#[cfg(test)]
mod tests {
    //! Rows of names.

    use super::*;

    #[track_caller]
    fn check(text: &[u8], want: &str) {
        let name = folder_name(text);
        assert_eq!(name, want);
        assert!(is_logspace_name(&name), "{name}");
    }

    #[test]
    fn a_text_becomes_the_name_of_a_folder() {
        check(b"log-web1.example.org", "log-web1.example.org");
        check(b"log-WEB1", "log-web1");
        check(b"log-a/b", "log-a_b-15ff086a52f5");
        check(b"log-a_b", "log-a_b");
        check(b"..", "_.-5ec1f7e700f3");
        check(b".hidden", "_hidden-1692419006a8");
        check(b"", "_-e3b0c44298fc");
        check(b"log-\0\n\x1b[31m", "log-____31m-af7687b35423");
        check("log-\u{444}".as_bytes(), "log-__-43102e3fbf78");
        check(b"../../etc/passwd", "_._.._etc_passwd-3754d6cb3a38");
        check(&[b'x'; 200], &format!("{}-aa20c23e3201", "x".repeat(51)));
    }

    #[test]
    fn different_texts_have_different_names() {
        let texts: [&[u8]; 8] = [b"a/b", b"a_b", b"a\\b", b"a b", b"a\0b", b".a", b"_a", &[b'a'; 65]];
        let names: std::collections::HashSet<String> = texts.iter().map(|text| folder_name(text)).collect();
        assert_eq!(names.len(), texts.len());
        assert_ne!(folder_name(&[b'a'; 65]), folder_name(&[b'a'; 66]));
    }

    #[test]
    fn paths_become_names() {
        let rows = [
            ("/var/log/messages.lgs", "var-log-messages.lgs"),
            ("/logs/$HOST/$(substr $PROGRAM 0 /)/x", "logs-$HOST-$(substr $PROGRAM 0 /)-x"),
            ("plain", "plain"),
            ("/a(b/c)", "a(b-c)"),
            ("/$(f (a/b) /)/", "$(f (a/b) /)-"),
        ];
        for (path, want) in rows {
            assert_eq!(name_of_path(path), want);
        }
        assert_eq!(beside("log-$HOST-x", "all"), "log-all");
        assert_eq!(beside("$HOST", "overflow"), "overflow");
        assert_eq!(beside("Log-${HOST}", "all"), "log-all");
    }
}
