//! `amqp()` as a source of the set of sources.
//!
//! In: its options. Out: a running reader. Holds: nothing. Limits: none.

use super::{consumer::read_queue, options::AmqpSource};
use intake::{Input, InputTask};
use transport::{Endpoint, tls::TlsError};

impl Input for AmqpSource {
    fn identity(&self) -> String {
        let tls = self.server.tls.as_ref().map(|tls| &tls.options);
        let AmqpSource { login, queue, prefetch, deliveries_max, metadata, .. } = self;
        let limits = (self.frame_bytes, self.heartbeat, self.timeout, self.reopen_after);
        let what = format!("{queue:?} {prefetch} {deliveries_max:?} {metadata:?} {limits:?}");
        format!("amqp {} {login:?} {tls:?} {what}", self.instance())
    }

    fn instance(&self) -> String {
        let Endpoint { host, port, .. } = &self.server;
        format!("amqp,source,{},{host},{port},{}", self.vhost, self.queue.name())
    }

    fn load_tls(&self) -> Result<(), TlsError> {
        self.server.tls.as_ref().map_or(Ok(()), |tls| tls.settings().map(drop))
    }

    fn start(&self, task: InputTask) {
        task.reactors.clone().spawn(read_queue(self.clone(), task));
    }
}
