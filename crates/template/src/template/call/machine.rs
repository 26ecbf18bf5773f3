//! Functions that ask the machine: `uuid`, `dns-resolve-ip`, `getent`.
//!
//! In: rendered arguments. Out: text. Holds options. What the machine does not know, or not yet, is the argument
//! itself for an address, and nothing for an entry.
//! Limits: none of its own.

use super::{Scope, Word};
use crate::template::{
    NameLookup, Template,
    machine::Database,
    options::{Options, truth},
    parse::TemplateError,
    render::Renderer,
};
use message::Batch;
use std::net::IpAddr;

/// A question to the machine.
#[derive(Clone, Debug)]
pub(in crate::template) enum Question {
    /// `uuid`
    Uuid,
    /// `dns-resolve-ip`; without a lookup the address stays.
    HostName { lookup: Option<NameLookup>, address: Template },
    /// `getent`
    Entry { database: Database, key: Template, member: String },
}

impl Scope<'_> {
    pub(super) fn uuid(&self, words: &[Word]) -> Result<Question, TemplateError> {
        if words.is_empty() { Ok(Question::Uuid) } else { self.wrong("no argument expected") }
    }

    /// Compiles a look-up of a name:
    /// `[--use-dns yes|no|persist-only] [--dns-cache yes|no] [--use-fqdn yes|no] [--normalize-hostnames yes|no] IP`.
    pub(super) fn host_name(&self, words: &[Word]) -> Result<Question, TemplateError> {
        let (mut lookup, mut asked) = (NameLookup::default(), true);
        let mut options = Options::new(words, &["use-dns", "dns-cache", "use-fqdn", "normalize-hostnames"]);
        while let Some((name, value)) = options.next()? {
            let truth = truth(&value);
            match (name, truth) {
                ("use-dns", _) if value.replace('_', "-") == "persist-only" => lookup.hosts_only = true,
                ("use-dns", Some(truth)) => asked = truth,
                ("dns-cache", Some(truth)) => lookup.cached = truth,
                ("use-fqdn", Some(truth)) => lookup.full = truth,
                (_, Some(truth)) => lookup.lower = truth,
                (_, None) => return self.wrong(format!("--{name} is yes or no, not {value}")),
            }
        }
        let address = self.only(options.rest())?;
        Ok(Question::HostName { lookup: asked.then_some(lookup), address })
    }

    /// Compiles `DATABASE KEY [MEMBER]`.
    pub(super) fn entry(&self, words: &[Word]) -> Result<Question, TemplateError> {
        let ([database, key] | [database, key, _]) = words else {
            return self.wrong("a database, a key and maybe a member expected");
        };
        let Some((database, members)) = Database::from_name(&database.text) else {
            let known = "passwd, group, services, protocols";
            return self.wrong(format!("unknown database {}; known are {known}", database.text));
        };
        let member = words.get(2).map_or(String::new(), |word| word.text.clone());
        if !member.is_empty() && !members.contains(&member.as_str()) {
            return self.wrong(format!("unknown member {member}; known are {}", members.join(", ")));
        }
        Ok(Question::Entry { database, key: self.one(key)?, member })
    }
}

/// Appends the answer.
pub(super) fn append(
    question: &Question,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) {
    let machine = renderer.site.machine.clone();
    match question {
        Question::Uuid => {
            let mut bytes = [0; 16];
            if let Some(machine) = machine {
                machine.fill_random(&mut bytes);
            }
            append_uuid(bytes, out);
        }
        Question::HostName { lookup, address } => {
            let text = address.value(batch, index, renderer);
            let asked = || {
                let address: IpAddr = std::str::from_utf8(&text).ok()?.trim().parse().ok()?;
                machine.as_deref()?.host_name(address, (*lookup)?)
            };
            match asked() {
                Some(name) => out.extend_from_slice(name.as_bytes()),
                None => out.extend_from_slice(&text),
            }
        }
        Question::Entry { database, key, member } => {
            let key = key.value(batch, index, renderer);
            let found = std::str::from_utf8(&key)
                .ok()
                .and_then(|key| machine.as_deref().and_then(|machine| machine.entry(*database, key, member)));
            out.extend_from_slice(found.unwrap_or_default().as_bytes());
        }
    }
}

/// Appends a random UUID: version 4 of RFC 9562.
fn append_uuid(mut bytes: [u8; 16], out: &mut Vec<u8>) {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        out.extend_from_slice(format!("{byte:02x}").as_bytes());
    }
}
