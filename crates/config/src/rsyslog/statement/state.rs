//! The state of `$` directives: settings for the next action or the next input.
//!
//! In: set by directives. Out: parameters for the objects that legacy actions and inputs become.

use std::collections::BTreeMap;

use crate::rsyslog::syntax::Parameters;

/// The values of directives.
#[derive(Clone, Default, Debug)]
pub(crate) struct State {
    /// Parameters of the next action only: queues, retries.
    pub(crate) next_action: BTreeMap<String, String>,
    /// Parameters of all files from here on: owner, mode.
    pub(crate) files: BTreeMap<String, String>,
    /// Template of files from here on.
    pub(crate) file_template: Option<String>,
    /// Template of forwards from here on.
    pub(crate) forward_template: Option<String>,
    /// Parameters of the next `imtcp`, `imudp` or `imfile` input.
    pub(crate) next_input: BTreeMap<String, String>,
    /// Parameters of a module, from `module(load="imtcp" ...)` or legacy directives.
    pub(crate) modules: BTreeMap<String, Parameters>,
    /// Files of the TLS driver: `cafile`, `certfile`, `keyfile`.
    pub(crate) tls: BTreeMap<String, String>,
    /// Control characters stay as they are received.
    pub(crate) keeps_controls: bool,
    /// Tabs stay as they are received.
    pub(crate) keeps_tabs: bool,
    /// `$outchannel` definitions: their files.
    pub(crate) channels: BTreeMap<String, String>,
}

impl State {
    /// Returns a parameter of an object, or of the module that it belongs to.
    pub(crate) fn own_or_module(
        &self,
        parameters: &mut Parameters,
        module: &str,
        name: &str,
    ) -> Option<String> {
        parameters.take(name).or_else(|| {
            let rows = &self.modules.get(module)?.rows;
            rows.iter().find(|row| row.name == name)?.values.first().cloned()
        })
    }
}
