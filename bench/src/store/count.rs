//! The expected results of the queries, counted line by line over the plain file without any code of the server.
//!
//! In: the file and the queries. Out: a count for each. Holds: one chunk of lines per thread.

use super::questions::{Finds, Question};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    thread,
};

/// Bytes of lines that one thread reads at a time.
const CHUNK_BYTES: usize = 64 << 20;

/// Counts of the queries, in their order.
pub(super) fn counts(path: &Path, questions: &[Question]) -> io::Result<Vec<u64>> {
    let mut file = File::open(path)?;
    let threads = thread::available_parallelism()?.get();
    let (mut sums, mut rest) = (vec![0; questions.len()], Vec::new());
    loop {
        let mut chunks = Vec::new();
        for _ in 0..threads {
            chunks.extend(whole_lines(&mut file, &mut rest)?);
        }
        if chunks.is_empty() {
            return Ok(sums);
        }
        thread::scope(|scope| {
            let workers: Vec<_> =
                chunks.iter().map(|chunk| scope.spawn(|| count(chunk, questions))).collect();
            for worker in workers {
                let found = worker.join().map_err(|_| io::Error::other("counting ended by a bug"))?;
                sums.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
            }
            Ok::<(), io::Error>(())
        })?;
    }
}

/// The next chunk up to its last newline; `rest` keeps the bytes after it.
fn whole_lines(file: &mut File, rest: &mut Vec<u8>) -> io::Result<Option<Vec<u8>>> {
    let mut chunk = std::mem::take(rest);
    file.take(CHUNK_BYTES as u64).read_to_end(&mut chunk)?;
    let end = chunk.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    *rest = chunk.split_off(end);
    Ok((!chunk.is_empty()).then_some(chunk))
}

pub(super) fn count(chunk: &[u8], questions: &[Question]) -> Vec<u64> {
    let lowered = chunk.to_ascii_lowercase();
    let mut sums = vec![0; questions.len()];
    for line in lowered.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let line = Line::read(line);
        for (sum, question) in sums.iter_mut().zip(questions) {
            *sum += u64::from(line.has(&question.finds));
        }
    }
    sums
}

/// One line of the corpus, in lower case.
struct Line<'a> {
    host: &'a [u8],
    /// Words of the text, then of program and host: a phrase is searched in the text alone and never spans
    /// the boundary.
    words: Vec<&'a [u8]>,
    text_words: usize,
}

impl<'a> Line<'a> {
    /// `<pri>Mon dd hh:mm:ss host program[pid]: text`.
    fn read(line: &'a [u8]) -> Line<'a> {
        let stamp = line.iter().position(|byte| *byte == b'>').map_or(0, |at| at + 1);
        let line = line.get(stamp + "nov  1 00:00:00 ".len()..).unwrap_or_default();
        let (host, line) = cut(line, b" ");
        let (tag, text) = cut(line, b": ");
        let (program, _) = cut(tag, b"[");
        let mut all: Vec<_> = words(text).collect();
        let text_words = all.len();
        all.extend(words(program).chain(words(host)));
        Line { host, words: all, text_words }
    }

    fn has(&self, finds: &Finds) -> bool {
        let any = |test: &dyn Fn(&[u8]) -> bool| self.words.iter().any(|word| test(word));
        match finds {
            Finds::Any => true,
            Finds::Word(wanted) => any(&|word| word == wanted.as_bytes()),
            Finds::Starts(start) => any(&|word| word.starts_with(start.as_bytes())),
            Finds::Ends(end) => any(&|word| word.ends_with(end.as_bytes())),
            Finds::Has(part) => any(&|word| word.windows(part.len()).any(|bytes| bytes == part.as_bytes())),
            Finds::Near(wanted) => any(&|word| one_edit(word, wanted.as_bytes())),
            Finds::Phrase(wanted) => self.words[..self.text_words]
                .windows(wanted.len())
                .any(|words| words.iter().zip(*wanted).all(|(word, wanted)| *word == wanted.as_bytes())),
            Finds::Host(wanted) => self.host == wanted.as_bytes(),
            Finds::All(parts) => parts.iter().all(|part| self.has(part)),
            Finds::One(parts) => parts.iter().any(|part| self.has(part)),
            Finds::Not(part) => !self.has(part),
        }
    }
}

/// Splits at the first separator.
fn cut<'a>(bytes: &'a [u8], separator: &[u8]) -> (&'a [u8], &'a [u8]) {
    match bytes.windows(separator.len()).position(|window| window == separator) {
        Some(at) => (&bytes[..at], &bytes[at + separator.len()..]),
        None => (bytes, &[]),
    }
}

/// Splits into words as described in the manual: letters, digits, `_`, and inside of them `.` and `-`.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | 0x80..);
    let edge = |byte: &u8| matches!(byte, b'.' | b'-');
    text.split(move |byte| !inside(byte)).filter_map(move |word| {
        let start = word.iter().position(|byte| !edge(byte))?;
        let end = word.iter().rposition(|byte| !edge(byte))?;
        Some(&word[start..=end])
    })
}

/// Returns true when the words are equal, or differ by one inserted, deleted or changed letter.
fn one_edit(left: &[u8], right: &[u8]) -> bool {
    let (short, long) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(short, long)| short == long).count();
    let after = if short.len() == long.len() { (same + 1).min(short.len()) } else { same };
    short[after..] == long[(same + 1).min(long.len())..]
}

#[cfg(test)]
mod tests;
