//! `nats()` as a source of the set of sources.
//!
//! In: its options. Out: a running reader. Holds: nothing. Limits: none.

use super::{options::NatsSource, reader::read_stream};
use intake::{Input, InputTask};
use transport::tls::TlsError;

impl Input for NatsSource {
    fn identity(&self) -> String {
        let tls: Vec<_> =
            self.servers.iter().map(|server| server.tls.as_ref().map(|tls| &tls.options)).collect();
        let NatsSource { login, stream, subject, consumer, fetch, metadata, .. } = self;
        let what = format!("{stream:?} {subject:?} {consumer:?} {fetch} {metadata:?}");
        let times = format!("{:?} {:?}", self.timeout, self.reopen_after);
        format!("nats {} {login:?} {what} {tls:?} {times}", self.instance())
    }

    fn instance(&self) -> String {
        let server = self.servers.iter().map(|server| format!("{}:{}", server.host, server.port));
        let server = server.collect::<Vec<_>>().join(",");
        let what = self.stream.as_ref().or(self.subject.as_ref()).map_or("", String::as_str);
        format!("nats,source,{server},{what},{}", self.durable)
    }

    fn load_tls(&self) -> Result<(), TlsError> {
        let mut settings = self.servers.iter().filter_map(|server| server.tls.as_ref());
        settings.try_for_each(|tls| tls.settings().map(drop))
    }

    fn start(&self, task: InputTask) {
        task.reactors.clone().spawn(read_stream(self.clone(), task));
    }
}
