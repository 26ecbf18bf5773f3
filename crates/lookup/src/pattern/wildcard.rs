//! Wildcards: `*` any run, `?` any one character, `[äÄ]` one of these characters, `\` escapes.
//!
//! In: a lower-cased pattern, then lower-cased text. Out: yes or no. Holds: the pattern cut into steps.
//! Limits: time is at most the pattern's length times the text's.

/// A step of a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Step {
    Byte(u8),
    /// One of these characters, each in UTF-8; sorted.
    OneOf(Vec<Vec<u8>>),
    /// One character.
    One,
    /// Any run of bytes.
    Run,
}

/// Most beginnings that are looked up one by one.
const PREFIXES_MAX: usize = 16;

/// A pattern with wildcards.
pub(super) struct Wildcard {
    steps: Vec<Step>,
    prefixes: Vec<Vec<u8>>,
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
                b'[' => Step::OneOf(characters(&mut bytes)),
                byte => Step::Byte(byte),
            });
        }
        Wildcard { prefixes: prefixes(&steps), steps }
    }

    /// Returns texts of which every match begins with one, in order.
    pub(super) fn prefixes(&self) -> &[Vec<u8>] {
        &self.prefixes
    }

    /// Returns bytes of the classes of a [`CharFilter`](super::CharFilter) that every match has.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let byte = |step: &Step| match step {
            Step::Byte(byte) => Some(*byte),
            // Those that stand for each other are all outside of ASCII, which is one class.
            Step::OneOf(characters) => {
                let first = characters.first().and_then(|character| character.first().copied());
                first.filter(|_| characters.iter().all(|character| !character.is_ascii()))
            }
            Step::One | Step::Run => None,
        };
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
                Some(Step::OneOf(characters)) => {
                    let found = characters.iter().find(|character| text[seen..].starts_with(character));
                    found.map(Vec::len)
                }
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

/// Reads characters up to the bracket that closes them.
fn characters(bytes: &mut impl Iterator<Item = u8>) -> Vec<Vec<u8>> {
    let listed: Vec<u8> = bytes.take_while(|byte| *byte != b']').collect();
    let mut characters: Vec<Vec<u8>> = Vec::new();
    for byte in listed {
        match characters.last_mut() {
            // The second byte of a character, or a later one.
            Some(last) if byte & 0xc0 == 0x80 => last.push(byte),
            _ => characters.push(vec![byte]),
        }
    }
    characters.sort_unstable();
    characters
}

/// Returns texts of which every match begins with one, in order; at most [`PREFIXES_MAX`].
fn prefixes(steps: &[Step]) -> Vec<Vec<u8>> {
    let mut prefixes = vec![Vec::new()];
    for step in steps {
        match step {
            Step::Byte(byte) => prefixes.iter_mut().for_each(|prefix| prefix.push(*byte)),
            Step::OneOf(characters) if prefixes.len() * characters.len() <= PREFIXES_MAX => {
                let with = |prefix: &Vec<u8>| {
                    let prefix = prefix.clone();
                    characters.iter().map(move |character| [prefix.as_slice(), character.as_slice()].concat())
                };
                prefixes = prefixes.iter().flat_map(with).collect();
            }
            Step::OneOf(_) | Step::One | Step::Run => break,
        }
    }
    prefixes
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
