//! Encrypted letters. Their form on disk is described in `docs/format/dead-letters.md`.
//!
//! In: letters, recipients. Out: the same encrypted, each with the key that it is encrypted with, wrapped for every recipient: a
//! letter is opened with a private key and needs nothing else. Holds: a key that is drawn at the start and is on no disk.
//! Limits: [`KEY_LETTERS_MAX`] letters a key. Readable without a key are a letter's head, its size, and who can open it; the table
//! it was for and the words of the receiver may quote the message, and are encrypted.

use crate::letter::{Letter, LetterError, LetterHead, VERSION};
use evidence::{Keys, Lock, Recipient, SegmentKey, TAG_BYTES};
use std::{fmt, io};

/// Version of the layout of encrypted letters.
const SEALED_VERSION: u8 = 2;
/// Most letters under one key: far below what the cipher allows, and wrapping a key costs little.
const KEY_LETTERS_MAX: u32 = 65_536;
/// Bytes of the id that a key is bound to.
const ID_BYTES: usize = 16;

/// Encrypts letters.
#[derive(Default)]
pub(crate) struct Sealer {
    recipients: Vec<Recipient>,
    key: Option<DrawnKey>,
}

struct DrawnKey {
    lock: Lock,
    id: [u8; ID_BYTES],
    letters: u32,
}

impl Sealer {
    /// Makes one for some recipients; without any, letters are not encrypted.
    pub(crate) fn new(recipients: Vec<Recipient>) -> Sealer {
        Sealer { recipients, key: None }
    }

    /// Returns whether letters are encrypted.
    pub(crate) fn encrypts(&self) -> bool {
        !self.recipients.is_empty()
    }

    /// Returns the recipients.
    pub(crate) fn recipients(&self) -> &[Recipient] {
        &self.recipients
    }

    /// Appends the bytes of a letter, encrypted if there are recipients. Fails when the system has no randomness.
    pub(crate) fn encode(&mut self, letter: &Letter, out: &mut Vec<u8>) -> io::Result<()> {
        let mut plain = Vec::new();
        letter.encode(&mut plain);
        if self.recipients.is_empty() {
            out.append(&mut plain);
            return Ok(());
        }
        let key = match self.key.take() {
            Some(key) if key.letters < KEY_LETTERS_MAX => key,
            _ => self.draw(letter)?,
        };
        let key = self.key.insert(key);
        let failed = || io::Error::other("a dead letter cannot be encrypted");
        let number = key.letters;
        key.letters += 1;
        let tag = key.lock.seal(number, &mut plain).ok_or_else(failed)?;
        letter.head().encode(SEALED_VERSION, out);
        out.extend_from_slice(&key.id);
        out.extend_from_slice(&number.to_le_bytes());
        out.extend_from_slice(&tag);
        let length = u32::try_from(key.lock.envelope.len()).map_err(|_| failed())?;
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&key.lock.envelope);
        out.append(&mut plain);
        Ok(())
    }

    /// Draws a key, which is bound to the id of the first letter under it.
    fn draw(&self, first: &Letter) -> io::Result<DrawnKey> {
        let mut id = [0; ID_BYTES];
        id[..8].copy_from_slice(&first.id.incarnation.to_le_bytes());
        id[8..].copy_from_slice(&first.id.sequence.to_le_bytes());
        let lock = Lock::draw(id, &self.recipients);
        let lock = lock.ok_or_else(|| io::Error::other("no key can be drawn for dead letters"))?;
        Ok(DrawnKey { lock, id, letters: 0 })
    }
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealer({} recipients)", self.recipients.len())
    }
}

/// A letter as it is stored.
pub(crate) struct StoredLetter<'a> {
    /// The part that needs no key.
    pub(crate) head: LetterHead,
    /// All of its bytes.
    pub(crate) bytes: &'a [u8],
    /// The encrypted part; `None` when it is not encrypted.
    sealed: Option<Sealed<'a>>,
}

struct Sealed<'a> {
    id: [u8; ID_BYTES],
    number: u32,
    tag: [u8; TAG_BYTES],
    envelope: &'a [u8],
    text: &'a [u8],
}

impl<'a> Sealed<'a> {
    fn of(bytes: &'a [u8]) -> Option<Sealed<'a>> {
        let (id, rest) = bytes.split_first_chunk()?;
        let (number, rest) = rest.split_first_chunk()?;
        let (tag, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (envelope, text) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some(Sealed { id: *id, number: u32::from_le_bytes(*number), tag: *tag, envelope, text })
    }
}

impl<'a> StoredLetter<'a> {
    /// Reads what can be read without a key.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<StoredLetter<'a>, LetterError> {
        let (version, head, rest) = LetterHead::decode(bytes, &[VERSION, SEALED_VERSION])?;
        let sealed = match version {
            SEALED_VERSION => Some(Sealed::of(rest).ok_or(LetterError::Form)?),
            _ => None,
        };
        Ok(StoredLetter { head, bytes, sealed })
    }

    /// Returns whether it is encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.sealed.is_some()
    }

    /// Returns the whole letter.
    pub(crate) fn open(&self, opener: &mut Opener) -> Result<Letter, LetterError> {
        let Some(sealed) = &self.sealed else { return Letter::decode(self.bytes) };
        let key = opener.key(sealed).ok_or(LetterError::Locked)?;
        let mut plain = vec![0; sealed.text.len()];
        if !key.open(sealed.number, sealed.text, &sealed.tag, &mut plain) {
            return Err(LetterError::Changed);
        }
        // The head in clear text is no part of what the tag covers, but the encrypted letter has it too.
        Letter::decode(&plain).ok().filter(|letter| letter.head() == self.head).ok_or(LetterError::Changed)
    }
}

/// Opens letters with private keys. Letters that come after each other have the same key, which is unwrapped once.
pub(crate) struct Opener {
    keys: Keys,
    last: Option<(Vec<u8>, Option<SegmentKey>)>,
}

impl Opener {
    /// Makes one with these keys.
    pub(crate) fn new(keys: Keys) -> Opener {
        Opener { keys, last: None }
    }

    fn key(&mut self, sealed: &Sealed<'_>) -> Option<&SegmentKey> {
        if self.last.as_ref().is_none_or(|(envelope, _)| envelope != sealed.envelope) {
            self.last = Some((sealed.envelope.to_vec(), self.keys.open(sealed.envelope, sealed.id)));
        }
        self.last.as_ref()?.1.as_ref()
    }
}
