//! The page and the API, as the configuration describes them.
//!
//! In: `options { page(...); }`. Out: addresses, the policy for calls, limits of searches and exports.
//! Holds: nothing.

use api::{Limits, Policy};
use config::tree::Call;
use directory::LdapOptions;
use std::{net::SocketAddr, path::PathBuf, sync::Arc};
use transport::tls::TlsOptions;

/// The options of the page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct PageSpec {
    /// `tls()`; without it the page speaks plain HTTP.
    pub(crate) tls: Option<TlsOptions>,
    /// `redirect-from()`
    pub(crate) redirects: Vec<SocketAddr>,
    /// The options that calls obey.
    pub(crate) policy: Arc<Policy>,
    /// Limits of searches and exports.
    pub(crate) limits: PageLimits,
    /// `objects-dir()`: files of saved objects; without it the folder `objects` beside the configuration.
    pub(crate) objects_dir: Option<PathBuf>,
    /// `directory()`: people who have no password here.
    pub(crate) directory: Option<LdapOptions>,
}

/// Limits of searches and exports, as far as the configuration sets them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PageLimits {
    searches_memory: Option<u64>,
    search_memory: Option<u64>,
    exports: Option<usize>,
    exports_per_user: Option<usize>,
}

impl PageLimits {
    /// The limits that the option sets.
    pub(crate) fn of(page: &Call) -> PageLimits {
        let number = |name: &str| page.option(name)?.number().and_then(|number| u64::try_from(number).ok());
        let count = |name: &str| number(name).and_then(|count| usize::try_from(count).ok());
        PageLimits {
            searches_memory: number("searches-memory"),
            search_memory: number("search-memory"),
            exports: count("exports"),
            exports_per_user: count("exports-per-user"),
        }
    }

    /// Returns the machine's limits, overridden by configured ones.
    pub(crate) fn over(self, machine: Limits) -> Limits {
        let searches_memory = self.searches_memory.unwrap_or(machine.searches_memory);
        let each = match self.searches_memory {
            Some(all) => all / 4,
            None => machine.search_memory,
        };
        Limits {
            searches_memory,
            search_memory: self.search_memory.unwrap_or(each).min(searches_memory),
            kept_results: api::kept_results(searches_memory),
            exports: self.exports.unwrap_or(machine.exports),
            exports_per_user: self.exports_per_user.unwrap_or(machine.exports_per_user),
        }
    }
}
