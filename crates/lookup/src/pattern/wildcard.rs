//! Wildcards: `*` any run, `?` any one character, `\` escapes.
//!
//! In: a lower-cased pattern, then lower-cased text. Out: yes or no. Holds: the pattern cut into steps.
//! Limits: time is at most the pattern's length times the text's.

/// A step of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Byte(u8),
    /// One character.
    One,
    /// Any run of bytes.
    Run,
}

/// A pattern with wildcards.
pub(super) struct Wildcard {
    steps: Vec<Step>,
    prefix: Vec<u8>,
}

impl Wildcard {
    pub(super) fn new(text: &[u8]) -> Wildcard {
        let mut steps = Vec::with_capacity(text.len());
        let mut bytes = text.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            steps.push(match byte {
                b'*' => Step::Run,
                b'?' => Step::One,
                b'\\' => Step::Byte(bytes.next().unwrap_or(b'\\')),
                byte => Step::Byte(byte),
            });
        }
        let prefix =
            steps.iter().map_while(|step| if let Step::Byte(byte) = step { Some(*byte) } else { None });
        Wildcard { prefix: prefix.collect(), steps }
    }

    /// Returns the bytes that every match begins with.
    pub(super) fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// The bytes that every match has, in order.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let byte = |step: &Step| if let Step::Byte(byte) = step { Some(*byte) } else { None };
        self.steps.iter().filter_map(byte).collect()
    }

    pub(super) fn matches(&self, text: &[u8]) -> bool {
        let (mut at, mut seen) = (0, 0);
        // The place to continue after the last run, and how much of the text was used.
        let mut retry: Option<(usize, usize)> = None;
        loop {
            let taken = match self.steps.get(at) {
                Some(Step::Run) => {
                    at += 1;
                    retry = Some((at, seen));
                    continue;
                }
                Some(Step::One) => (seen < text.len()).then(|| character_bytes(text, seen)),
                Some(Step::Byte(byte)) => (text.get(seen) == Some(byte)).then_some(1),
                None if seen == text.len() => return true,
                None => None,
            };
            match (taken, retry) {
                (Some(bytes), _) => {
                    at += 1;
                    seen += bytes;
                }
                (None, Some((behind, took))) if took < text.len() => {
                    retry = Some((behind, took + 1));
                    (at, seen) = (behind, took + 1);
                }
                _ => return false,
            }
        }
    }
}

/// Bytes of the character at a position; 1 for bytes that are no UTF-8.
fn character_bytes(text: &[u8], at: usize) -> usize {
    let bytes = match text[at] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return 1,
    };
    let end = (at + bytes).min(text.len());
    if std::str::from_utf8(&text[at..end]).is_ok() { bytes } else { 1 }
}
