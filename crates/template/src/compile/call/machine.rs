//! Functions that ask the machine: `uuid`, `dns-resolve-ip`, `getent`.
//!
//! In: words. Out: a compiled question. Holds nothing. Limits: none of its own.

use crate::{
    compile::{
        arguments::Word,
        call_compiler::CallCompiler,
        error::TemplateError,
        options::{Options, truth},
    },
    renderer::{Database, NameLookup},
    template::MachineFunction,
};

impl CallCompiler<'_> {
    pub(super) fn uuid(&self, words: &[Word]) -> Result<MachineFunction, TemplateError> {
        if words.is_empty() { Ok(MachineFunction::Uuid) } else { self.wrong("no argument expected") }
    }

    /// Compiles a look-up of a name:
    /// `[--use-dns yes|no|persist-only] [--dns-cache yes|no] [--use-fqdn yes|no] [--normalize-hostnames yes|no] IP`.
    pub(super) fn host_name(&self, words: &[Word]) -> Result<MachineFunction, TemplateError> {
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
        Ok(MachineFunction::HostName { lookup: asked.then_some(lookup), address })
    }

    /// Compiles `DATABASE KEY [MEMBER]`.
    pub(super) fn entry(&self, words: &[Word]) -> Result<MachineFunction, TemplateError> {
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
        Ok(MachineFunction::Entry { database, key: self.one(key)?, member })
    }
}
