//! One line of the corpus: `<pri>Mon dd hh:mm:ss host program[pid]: text`.
//!
//! In: a line. Out: its parts, borrowed. Limits: missing parts are empty.

/// The parts.
pub(crate) struct Line<'a> {
    pub(crate) pri: u64,
    pub(crate) host: &'a str,
    pub(crate) program: &'a str,
    pub(crate) text: &'a str,
}

impl<'a> Line<'a> {
    pub(crate) fn read(line: &'a str) -> Line<'a> {
        let (pri, rest) =
            line.strip_prefix('<').and_then(|line| line.split_once('>')).unwrap_or(("13", line));
        let rest = rest.get("Nov  1 00:00:00 ".len()..).unwrap_or_default();
        let (host, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let (tag, text) = rest.split_once(": ").unwrap_or((rest, ""));
        let program = tag.split_once('[').map_or(tag, |(program, _)| program);
        Line { pri: pri.parse().unwrap_or(13), host, program, text }
    }
}
