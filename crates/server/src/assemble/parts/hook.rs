//! `hook-commands()` of sources and destinations.
//!
//! In: options of a driver. Out: a [`Hook`]. Holds: nothing. Limits: the commands are run elsewhere.

use crate::assemble::options::driver::Options;
use config::tree::Call;

/// The commands of one driver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Hook {
    /// `s_net#0`: name of the statement, `#`, number of the driver.
    pub(crate) id: String,
    /// When the server starts.
    pub(crate) startup: Option<String>,
    /// Before a configuration with it is taken into use.
    pub(crate) setup: Option<String>,
    /// When no configuration in use has it any more.
    pub(crate) teardown: Option<String>,
    /// When the server stops.
    pub(crate) shutdown: Option<String>,
}

impl Hook {
    /// Returns the commands of a driver.
    pub(crate) fn of(id: &str, options: &Options<'_>) -> Option<Hook> {
        let call = options.own("hook-commands")?;
        let command = |name: &str| {
            let text = call.option(name).and_then(Call::text);
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        Some(Hook {
            id: id.to_owned(),
            startup: command("startup"),
            setup: command("setup"),
            teardown: command("teardown"),
            shutdown: command("shutdown"),
        })
    }
}
