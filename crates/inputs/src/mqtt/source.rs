//! `mqtt()` as a source of the set of sources.
//!
//! In: its options. Out: a running reader. Holds: nothing. Limits: none.

use super::{options::MqttSource, subscriber::subscribe};
use intake::{Input, InputTask};
use transport::tls::TlsError;

impl Input for MqttSource {
    fn identity(&self) -> String {
        let tls = self.server.tls.as_ref().map(|tls| &tls.options);
        let (instance, login) = (self.instance(), &self.login);
        format!("mqtt {instance} {login:?} {:?} {:?} {tls:?} {:?}", self.session, self.qos, self.reopen_after)
    }

    fn instance(&self) -> String {
        format!("mqtt,source,{},{},{}", self.server.host, self.server.port, self.topic)
    }

    fn load_tls(&self) -> Result<(), TlsError> {
        self.server.tls.as_ref().map_or(Ok(()), |tls| tls.settings().map(drop))
    }

    fn start(&self, task: InputTask) {
        task.reactors.clone().spawn(subscribe(self.clone(), task));
    }
}
