//! Owners and modes of the files and folders that drivers create.
//!
//! In: options of a driver. Out: [`FilePermissions`]. Limits: a user or group that does not exist is a warning; files
//! then belong to that of the server. A check looks up no names.

use super::{
    lowering::Lowering,
    options::{driver::Options, identity},
};
use config::{
    Diagnostic,
    tree::{Arg, Call},
};
use transport::FilePermissions;

impl<'t> Lowering<'t> {
    /// Returns owner and mode of files that a driver creates.
    pub(crate) fn permissions(
        &mut self,
        options: &Options<'t>,
        mode: Option<u32>,
        names: [&str; 3],
    ) -> FilePermissions {
        let owner = self.identity(options.any(names[0]), identity::user, "user");
        let group = self.identity(options.any(names[1]), identity::group, "group");
        let written = options.any(names[2]).and_then(mode_of);
        FilePermissions { owner, group, mode: written.unwrap_or(mode) }
    }

    /// Returns owner and mode of missing folders, if `create-dirs()` is set.
    pub(crate) fn folders(&mut self, options: &Options<'t>) -> Option<FilePermissions> {
        let names = ["dir-owner", "dir-group", "dir-perm"];
        options.is_yes("create-dirs").then(|| self.permissions(options, Some(0o700), names))
    }

    fn identity(
        &mut self,
        option: Option<&Call>,
        number: fn(&str) -> Option<u32>,
        noun: &str,
    ) -> Option<u32> {
        let arg = option?.args.first()?;
        let name = match arg {
            Arg::Number(number, _) => number.to_string(),
            arg => arg.text()?.to_owned(),
        };
        if name.starts_with('-') || !self.environment.looks_up {
            return None;
        }
        let found = number(&name);
        if found.is_none() {
            let message =
                format!("there is no {noun} `{name}`; what is created keeps the {noun} of the server");
            self.report.push(Diagnostic::warning(arg.span(), message));
        }
        found
    }
}

/// Parses `perm(0640)`. -1, -2 and nothing leave the choice to the system, which is `Some(None)`; `None`: not a mode.
fn mode_of(option: &Call) -> Option<Option<u32>> {
    let Some(arg) = option.args.first() else { return Some(None) };
    match arg {
        Arg::Number(number, _) => Some(u32::try_from(*number).ok()),
        arg => u32::from_str_radix(arg.text()?, 8).ok().map(Some),
    }
}
