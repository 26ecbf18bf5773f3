//! `network-load-balancer()`: receivers that share the messages and replace each other.
//!
//! In: its options. Out: a destination for each receiver, with the others as its `failover()`, and the outlet that shares
//! messages among them. Limits: at least one receiver.

use super::socket::remote_port;
use crate::assemble::{
    lowering::Lowering,
    options::{connections::server, driver::Options},
    parts::late_bound_outlet::LateBoundOutlet,
};
use config::Diagnostic;
use config::tree::Call;
use delivery::{DestinationDriver, Failback, Server, SocketKind};
use std::{sync::Arc, time::Duration};

/// Interval and number of the checks that notice a recovered receiver: without them another receiver would keep its
/// share.
const FAILBACK: Failback = Failback { interval: Duration::from_secs(60), successes: 3 };

impl<'t> Lowering<'t> {
    /// Makes the outlet that leads to all receivers in turn. `None` after an error, which is in the report.
    pub(crate) fn load_balancer(&mut self, id: &str, options: &Options<'t>) -> Option<Arc<LateBoundOutlet>> {
        let port = remote_port(options);
        let targets: Vec<Server> = options
            .all("targets")
            .flat_map(Call::texts)
            .flat_map(|text| text.split_whitespace().map(|one| server(one, port)).collect::<Vec<_>>())
            .collect();
        if targets.is_empty() {
            let message = "`targets()` names no receiver";
            self.report.push(Diagnostic::error(options.call.span, message));
            return None;
        }
        let mut outlets = Vec::new();
        for (index, to) in targets.iter().cloned().enumerate() {
            let (kind, framing) = self.remote_socket(options, to)?;
            let (driver, render) = self.socket(options, kind, framing)?;
            let DestinationDriver::Socket(mut target) = driver else { return None };
            if options.own("failover").and_then(Call::truth).unwrap_or(true) {
                let others = targets[index + 1..].iter().chain(&targets[..index]).cloned();
                target.failover = others.chain(target.failover).collect();
                // Checks over TCP say nothing about a receiver of datagrams.
                if matches!(target.kind, SocketKind::Tcp(..)) {
                    target.failback.get_or_insert(FAILBACK);
                }
            }
            let part = format!("{id}.{index}");
            let driver = self.spoofing(options, DestinationDriver::Socket(target));
            if !self.add_target(&part, options, driver, render) {
                return None;
            }
            outlets.push(self.late_bound_outlet(&part).1);
        }
        Some(Arc::new(LateBoundOutlet::sharing(outlets)))
    }
}
