//! Just enough of DER to walk through a certificate.
//!
//! In: bytes from outside. Out: elements, borrowed. Never fails: a malformed element ends the walk.
//! Limits: lengths of at most four bytes; nothing is nested by us, so nothing recurses.

/// One element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Element<'a> {
    pub(super) tag: u8,
    pub(super) content: &'a [u8],
}

/// The elements that follow each other in some bytes.
#[derive(Clone, Copy)]
pub(super) struct Elements<'a>(pub(super) &'a [u8]);

impl<'a> Elements<'a> {
    /// The next element when it has a tag; else nothing is taken.
    pub(super) fn next_if(&mut self, tag: u8) -> Option<Element<'a>> {
        if self.0.first() == Some(&tag) { self.next() } else { None }
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Element<'a>;

    fn next(&mut self) -> Option<Element<'a>> {
        let (&tag, rest) = self.0.split_first()?;
        let (&short, mut rest) = rest.split_first()?;
        let mut size = usize::from(short);
        if short & 0x80 != 0 {
            let count = usize::from(short & 0x7f);
            if count == 0 || count > 4 {
                return None;
            }
            let digits = rest.get(..count)?;
            rest = rest.get(count..)?;
            size = digits.iter().fold(0, |size, digit| size << 8 | usize::from(*digit));
        }
        let content = rest.get(..size)?;
        self.0 = rest.get(size..)?;
        Some(Element { tag, content })
    }
}
