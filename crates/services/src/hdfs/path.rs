//! Names of files.
//!
//! In: the rendered `hdfs-file()`. Out: a path that stays inside what the configuration writes. Holds: nothing.
//! Limits: [`PATH_BYTES_MAX`]; `hdfs-max-filename-length()` for the name, which is cut.

/// Longest path that HDFS takes.
pub(super) const PATH_BYTES_MAX: usize = 8000;

/// Returns a path that begins with a slash: without empty parts, `.` and `..`, control characters, and what names of HDFS
/// cannot have. The name of the file has at most `name_bytes_max` bytes.
pub(super) fn cleaned(rendered: &[u8], name_bytes_max: usize) -> String {
    let text = String::from_utf8_lossy(rendered);
    let text = text.strip_prefix('/').unwrap_or(&text);
    let mut parts: Vec<String> = text.split('/').map(part).collect();
    if let Some(name) = parts.last_mut() {
        let mut end = name_bytes_max.clamp(1, name.len().max(1)).min(name.len());
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        name.truncate(end);
        if name.is_empty() {
            name.push('_');
        }
    }
    format!("/{}", parts.join("/"))
}

fn part(text: &str) -> String {
    match text {
        "" => "_".to_owned(),
        "." | ".." => "_".repeat(text.len()),
        text => {
            let clean =
                |letter: char| if letter.is_control() || matches!(letter, ':' | '\\') { '_' } else { letter };
            text.chars().map(clean).collect()
        }
    }
}
