//! `lanes()`: a queue and a connection for each range of severities, so that severe messages do not wait behind others.
//!
//! In: the options of a driver with connections, or with requests. Out: a destination for each lane, and the outlet that divides messages among
//! them. Holds: nothing.
//! Limits: at most one lane for each severity; drivers without connections are refused.

use crate::assemble::{
    lowering::Lowering,
    options::driver::Options,
    parts::{late_bound_outlet::LateBoundOutlet, severity_lanes::SeverityLanes},
};
use config::Diagnostic;
use config::tree::{Arg, Call};
use delivery::{DestinationDriver, SocketKind, SocketTarget};
use message::{Outlet, Severity};
use std::{collections::BTreeMap, sync::Arc};

/// The severities that a lane can be named after: below them is another one.
const NAMES: &str = "one of emerg, alert, crit, err, warning, notice, info";

/// The lanes of a driver as they are written.
#[derive(Default)]
struct Lanes<'t> {
    /// By their least severe messages; with the options of `lane()`.
    severe: BTreeMap<Severity, Option<&'t Call>>,
    /// `rest()`
    rest: Option<&'t Call>,
}

impl<'t> Lowering<'t> {
    /// Makes a destination for each lane, and the outlet that divides messages among them. `None` after an error, which is
    /// in the report. The lane of all other messages has the id of the driver, and with it the queue of a driver without
    /// lanes: `d#0`; the others have the name of their severity, too: `d#0.err`.
    pub(crate) fn lanes(
        &mut self,
        id: &str,
        options: &Options<'t>,
        written: &'t Call,
    ) -> Option<Arc<LateBoundOutlet>> {
        if !options.has("lanes") {
            // The check has reported that the driver has no such option.
            return None;
        }
        let Lanes { severe, rest } = self.written_lanes(written)?;
        if let Some(option) = options.own("localport") {
            let message =
                "`localport()` is not possible with lanes(): their connections cannot have the same port";
            self.report.push(Diagnostic::error(option.name.span, message));
            return None;
        }
        let rest = self.lane(id, &options.of_lane(rest), written)?;
        let mut lanes: Vec<(Severity, Arc<dyn Outlet>)> = Vec::new();
        for (severity, call) in severe {
            let lane = self.lane(&format!("{id}.{}", severity.name()), &options.of_lane(call), written)?;
            // A receiver gets the marks of a sender once.
            if let Some(spec) = self.destinations.last_mut() {
                spec.queueing.marks = None;
            }
            lanes.push((severity, lane));
        }
        Some(Arc::new(LateBoundOutlet::connected(Arc::new(SeverityLanes::new(lanes, rest)))))
    }

    /// Makes the destination of one lane.
    fn lane(&mut self, id: &str, options: &Options<'t>, written: &Call) -> Option<Arc<LateBoundOutlet>> {
        let (driver, template) = self.target(options)?;
        if !is_connection(&driver) {
            let message = "`lanes()` is not possible here: each lane needs a connection, which UDP and DTLS do not have";
            self.report.push(
                Diagnostic::error(written.name.span, message).help("transport(tcp) and transport(tls) do"),
            );
            return None;
        }
        if let Some(option) = options.own("capacity-bytes")
            && options.own("disk-buffer").is_none()
        {
            let message = "`capacity-bytes()` of a lane needs disk-buffer() of its destination";
            self.report.push(Diagnostic::error(option.name.span, message));
            return None;
        }
        self.add_target(id, options, driver, template).then(|| self.late_bound_outlet(id).1)
    }

    fn written_lanes(&mut self, written: &'t Call) -> Option<Lanes<'t>> {
        let mut lanes = Lanes::default();
        for arg in &written.args {
            let (name, call) = match arg {
                Arg::Call(call) if call.key() == "rest" => {
                    if lanes.rest.replace(call).is_some() {
                        return self.refused_lane(arg, "`rest()` is there twice");
                    }
                    continue;
                }
                Arg::Call(call) => match call.plain().collect::<Vec<_>>().as_slice() {
                    [name] => (*name, Some(call)),
                    _ => return self.refused_lane(arg, "`lane()` takes one severity, and options"),
                },
                name @ (Arg::Word(_) | Arg::Text(_)) => (name, None),
                // The check has reported it.
                _ => return None,
            };
            let text = name.text().unwrap_or_default();
            let Some(severity) = Severity::from_name(text) else {
                return self.refused_lane(name, &format!("`{text}` is no severity"));
            };
            if severity == Severity::DEBUG {
                return self.refused_lane(name, "`debug` leaves no message for the lane of all others");
            }
            if lanes.severe.insert(severity, call).is_some() {
                return self.refused_lane(name, &format!("the lane `{}` is there twice", severity.name()));
            }
        }
        if lanes.severe.is_empty() {
            let message = "`lanes()` needs a severity: the least severe messages of a lane";
            self.report.push(Diagnostic::error(written.span, message).help(NAMES));
            return None;
        }
        Some(lanes)
    }

    fn refused_lane<T>(&mut self, arg: &Arg, message: &str) -> Option<T> {
        self.report.push(Diagnostic::error(arg.span(), message).help(NAMES));
        None
    }
}

/// Returns whether messages go over a connection, which can be one of several.
fn is_connection(driver: &DestinationDriver) -> bool {
    matches!(
        driver,
        DestinationDriver::Socket(SocketTarget { kind: SocketKind::Tcp(..), .. })
            | DestinationDriver::Relp(_)
            | DestinationDriver::Sltp(_)
            | DestinationDriver::Receiver(_)
    )
}
