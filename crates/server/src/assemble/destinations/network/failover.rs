//! `failover()`: receivers that replace the first one while it is unreachable.
//!
//! In: options of a driver. Out: the other receivers, and how often the first one is probed. Holds: nothing.

use crate::assemble::{
    lowering::Lowering,
    options::{connections::server, driver::Options},
};
use config::tree::Call;
use delivery::{Failback, Server};
use std::time::Duration;

/// Default interval of `failback()`, and the number of successful checks.
const FAILBACK: (i64, i64) = (60, 3);

impl<'t> Lowering<'t> {
    /// `failover(servers(...) failback(...))` and the older `failover-servers(...)`.
    pub(crate) fn failover(&mut self, options: &Options<'t>, port: u16) -> (Vec<Server>, Option<Failback>) {
        let call = options.own("failover");
        let inside =
            |name: &str| call.and_then(|call| call.options().filter(|option| option.key() == name).last());
        let written = inside("servers").or_else(|| options.own("failover-servers"));
        let servers = written.map(Call::texts).unwrap_or_default();
        let failback = inside("failback").map(|failback| {
            let number = |name: &str, default| {
                failback
                    .options()
                    .find(|option| option.key() == name)
                    .and_then(Call::number)
                    .unwrap_or(default)
            };
            Failback {
                interval: Duration::from_secs(number("tcp-probe-interval", FAILBACK.0).unsigned_abs()),
                successes: u32::try_from(number("successful-probes-required", FAILBACK.1)).unwrap_or(1),
            }
        });
        (servers.iter().map(|text| server(text, port)).collect(), failback)
    }
}
