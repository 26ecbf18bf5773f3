//! The key that assigns a message to a context.
//!
//! In: a scope, a message, the rendered id. Out: a key; messages of equal keys belong together.
//! Holds: the scope's fields and the id. Limits: none of its own; ids are as long as what they are rendered from.

use message::{Batch, Field};

/// The fields that must be equal, besides the id, for two messages to belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Scope {
    /// Host, program and process id.
    #[default]
    Process,
    /// Host and program.
    Program,
    /// Host.
    Host,
    /// Nothing.
    Global,
}

impl Scope {
    /// All names, for messages to users.
    pub const NAMES: [&str; 4] = ["process", "program", "host", "global"];

    /// Returns the scope of a name, in either case.
    pub fn from_name(name: &str) -> Option<Scope> {
        let scopes = [Scope::Process, Scope::Program, Scope::Host, Scope::Global];
        let place = Scope::NAMES.iter().position(|known| known.eq_ignore_ascii_case(name))?;
        scopes.get(place).copied()
    }

    /// Returns the fields that it compares, the widest first.
    fn fields(self) -> &'static [Field] {
        const FIELDS: [Field; 3] = [Field::Host, Field::Program, Field::Pid];
        match self {
            Scope::Process => &FIELDS,
            Scope::Program => &FIELDS[..2],
            Scope::Host => &FIELDS[..1],
            Scope::Global => &[],
        }
    }
}

/// The key of a context: the scope, each of its fields with its length before it, then the id.
#[derive(Clone, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    scope: u8,
    bytes: Box<[u8]>,
    /// Offset of the id in `bytes`.
    id: usize,
}

impl Key {
    /// Makes the key of a message.
    pub(crate) fn of(scope: Scope, batch: &Batch, index: usize, id: &[u8]) -> Key {
        let mut bytes = Vec::with_capacity(id.len() + 64);
        for field in scope.fields() {
            let value = batch.fixed(index, *field);
            bytes.extend_from_slice(&(value.len() as u32).to_le_bytes());
            bytes.extend_from_slice(value);
        }
        let start = bytes.len();
        bytes.extend_from_slice(id);
        Key { scope: scope as u8, bytes: bytes.into(), id: start }
    }

    /// Returns the rendered id.
    pub(crate) fn id(&self) -> &[u8] {
        &self.bytes[self.id..]
    }

    /// Returns the number of bytes that it takes.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the fields of the scope with their values.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (Field, &[u8])> {
        let scope = [Scope::Process, Scope::Program, Scope::Host, Scope::Global][usize::from(self.scope)];
        let mut rest = &self.bytes[..self.id];
        scope.fields().iter().map_while(move |field| {
            let (length, after) = rest.split_first_chunk::<4>()?;
            let (value, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            rest = after;
            Some((*field, value))
        })
    }
}
