//! The ids of rows and snapshots for clients.
//!
//! In: numbers of rows in a scope. Out: the sequence number if that may be shown; otherwise an opaque text, because
//! sequence numbers reveal how many messages are between two. One AES block per number: the same row has the same name.
//! Holds: the key, which is stored in the data folder so that links stay valid. Limits: none.

use crate::{error::ApiError, scope::Scope};
use aws_lc_rs::cipher::{AES_128, DecryptingKey, DecryptionContext, EncryptingKey, UnboundCipherKey};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};
use utoipa::ToSchema;

/// Bytes of a block and of the key.
const BLOCK: usize = 16;
/// First byte of the block of a row, and of a member of a snapshot. 1 and 2 were those of ids with fewer members.
const ROW: u8 = 3;
const MARK: u8 = 4;

/// A row, or the moment of an answer: a number in a whole logspace, an opaque text in a filtered or multiple one.
#[derive(Serialize, Deserialize, ToSchema, Clone, PartialEq, Eq, Debug)]
#[serde(untagged)]
pub enum Id {
    /// A sequence number.
    Number(u64),
    /// An opaque name.
    Text(String),
}

impl Id {
    /// Parses the id of an address (URL).
    pub(crate) fn parse(text: &str) -> Id {
        text.parse().map_or_else(|_| Id::Text(text.to_owned()), Id::Number)
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Id::Number(number) => number.fmt(f),
            Id::Text(text) => f.write_str(text),
        }
    }
}

/// Makes and reads ids.
pub struct Ids {
    seal: EncryptingKey,
    open: DecryptingKey,
}

impl Ids {
    /// Loads the key from a file, or draws one and writes the file.
    pub fn load_or_draw(path: &Path) -> io::Result<Ids> {
        let key: [u8; BLOCK] = match fs::read(path) {
            Ok(bytes) => bytes.try_into().map_err(|_| io::Error::other("it has not 16 bytes"))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => draw(path)?,
            Err(error) => return Err(error),
        };
        Ids::with(&key).ok_or_else(|| io::Error::other("the key cannot be used"))
    }

    fn with(key: &[u8; BLOCK]) -> Option<Ids> {
        let unbound = || UnboundCipherKey::new(&AES_128, key).ok();
        Some(Ids { seal: EncryptingKey::ecb(unbound()?).ok()?, open: DecryptingKey::ecb(unbound()?).ok()? })
    }

    /// The name of a row.
    pub(crate) fn row(&self, scope: &Scope, place: u64) -> Id {
        match scope.is_plain() {
            true => Id::Number(place),
            false => Id::Text(BASE64_URL_SAFE_NO_PAD.encode(self.block(ROW, 0, place))),
        }
    }

    /// The row of a name.
    pub(crate) fn place(&self, scope: &Scope, id: &Id) -> Result<u64, ApiError> {
        let found = match id {
            Id::Number(number) => scope.is_plain().then_some(*number),
            Id::Text(text) => self.numbers(ROW, text).and_then(|numbers| numbers.first().copied()),
        };
        found.ok_or_else(|| ApiError::bad_request(format!("{id} names no row of this logspace")))
    }

    /// Returns the name of a snapshot, from the end of each member.
    pub(crate) fn mark(&self, scope: &Scope, ends: &[u64]) -> Id {
        match (scope.is_plain(), ends) {
            (true, [end]) => Id::Number(*end),
            _ => {
                let blocks = ends.iter().zip(0..).flat_map(|(end, index)| self.block(MARK, index, *end));
                Id::Text(BASE64_URL_SAFE_NO_PAD.encode(blocks.collect::<Vec<u8>>()))
            }
        }
    }

    /// The snapshot of a name. A logspace that came after it was taken is empty in it.
    pub(crate) fn ends(&self, scope: &Scope, id: &Id) -> Result<Vec<u64>, ApiError> {
        let found = match id {
            Id::Number(number) => scope.is_plain().then(|| vec![*number]),
            Id::Text(text) => self.numbers(MARK, text).filter(|ends| ends.len() <= scope.members.len()),
        };
        let found = found.map(|mut ends| {
            ends.resize(scope.members.len(), 0);
            ends
        });
        found.ok_or_else(|| ApiError::bad_request(format!("{id} names no snapshot of this logspace")))
    }

    fn block(&self, kind: u8, index: u16, number: u64) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        block[0] = kind;
        block[1..3].copy_from_slice(&index.to_be_bytes());
        block[8..].copy_from_slice(&number.to_be_bytes());
        // A whole block under a whole key can always be encrypted.
        let _ = self.seal.encrypt(&mut block);
        block
    }

    /// The numbers of blocks of a kind; none when one of them is not ours.
    fn numbers(&self, kind: u8, text: &str) -> Option<Vec<u64>> {
        let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        if bytes.is_empty() || bytes.len() % BLOCK != 0 || bytes.len() > BLOCK * query::MEMBERS_MAX {
            return None;
        }
        let plain = self.open.decrypt(&mut bytes, DecryptionContext::None).ok()?;
        let number = |(index, block): (usize, &[u8])| {
            let (head, number) = block.split_at_checked(8)?;
            let written = usize::from(u16::from_be_bytes([head[1], head[2]]));
            let is_ours = head[0] == kind && written == index && head[3..].iter().all(|byte| *byte == 0);
            is_ours.then(|| number.try_into().map(u64::from_be_bytes).ok())?
        };
        plain.chunks(BLOCK).enumerate().map(number).collect()
    }
}

fn draw(path: &Path) -> io::Result<[u8; BLOCK]> {
    let mut key = [0; BLOCK];
    getrandom::fill(&mut key).map_err(|_| io::Error::other("the system gives no random numbers"))?;
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(&key)?;
    file.sync_all()?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    //! Rows for ids.

    use super::*;

    #[test]
    fn texts_say_nothing_and_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.key");
        let ids = Ids::load_or_draw(&path).unwrap();
        let scope = Scope { name: "x".into(), kind: crate::ScopeKind::Multiple, members: Vec::new() };
        let (one, two) = (ids.row(&scope, 7), ids.row(&scope, 8));
        assert_ne!(one, two);
        assert_eq!(one, Ids::load_or_draw(&path).unwrap().row(&scope, 7), "links live on");
        assert_eq!(ids.place(&scope, &one).unwrap(), 7);
        let Id::Text(text) = &one else { panic!("{one}") };
        assert_eq!(text.len(), 22);
        let mark = ids.mark(&scope, &[3, u64::MAX]);
        assert_eq!(ids.numbers(MARK, &mark.to_string()), Some(vec![3, u64::MAX]));
        for wrong in ["", "x", "7", &text[1..], &mark.to_string()] {
            assert!(ids.place(&scope, &Id::parse(wrong)).is_err(), "{wrong}");
        }
        assert!(ids.ends(&scope, &one).is_err(), "a row is no snapshot");
        assert!(ids.ends(&scope, &mark).is_err(), "it is of two members");
        assert!(ids.ends(&scope, &Id::Number(7)).is_err() && ids.place(&scope, &Id::Number(7)).is_err());
    }

    /// Ids under a key of the test.
    fn ids() -> Ids {
        Ids::with(b"a key of sixteen").unwrap()
    }

    fn encoded(blocks: &[[u8; BLOCK]]) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(blocks.concat())
    }

    #[test]
    fn only_whole_blocks_of_ours_in_their_order_are_read() {
        let ids = ids();
        // A block that another program made with the key.
        let made = |plain: [u8; BLOCK]| {
            let mut block = plain;
            ids.seal.encrypt(&mut block).unwrap();
            block
        };
        let mut plain = [0; BLOCK];
        (plain[0], plain[15]) = (MARK, 9);
        let (zero, one) = (ids.block(MARK, 0, 8), ids.block(MARK, 1, 9));
        let most: Vec<[u8; BLOCK]> = (0..query::MEMBERS_MAX).map(|n| ids.block(MARK, n as u16, 7)).collect();
        let more: Vec<[u8; BLOCK]> = (0..=query::MEMBERS_MAX).map(|n| ids.block(MARK, n as u16, 7)).collect();
        let stray = |at: usize| {
            let mut stray = plain;
            stray[at] = 1;
            encoded(&[made(stray)])
        };
        let rows = [
            (encoded(&[zero]), Some(vec![8])),
            (encoded(&[zero, one]), Some(vec![8, 9])),
            (encoded(&[made(plain)]), Some(vec![9])),
            (encoded(&most), Some(vec![7; query::MEMBERS_MAX])),
            (encoded(&more), None),
            (encoded(&[one, zero]), None),
            (encoded(&[one]), None),
            (encoded(&[ids.block(ROW, 0, 8)]), None),
            (stray(3), None),
            (stray(7), None),
            (encoded(&[[7; BLOCK]]), None),
            (BASE64_URL_SAFE_NO_PAD.encode([zero.as_slice(), &[0]].concat()), None),
            (BASE64_URL_SAFE_NO_PAD.encode(&zero[1..]), None),
            (String::new(), None),
            ("no base64!".to_owned(), None),
        ];
        for (text, want) in rows {
            assert_eq!(ids.numbers(MARK, &text), want, "{text}");
        }
    }

    #[test]
    fn a_key_is_drawn_once_and_kept_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        for path in [&one, &two, &one] {
            Ids::load_or_draw(path).unwrap();
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let (first, second) = (fs::read(&one).unwrap(), fs::read(&two).unwrap());
        assert!(first.len() == BLOCK && first != second);
        fs::write(&one, "too short").unwrap();
        assert_eq!(Ids::load_or_draw(&one).err().unwrap().to_string(), "it has not 16 bytes");
        let folder = Ids::load_or_draw(folder.path()).err().unwrap();
        assert_ne!(folder.kind(), io::ErrorKind::AlreadyExists, "no key is drawn: {folder}");
    }
}
