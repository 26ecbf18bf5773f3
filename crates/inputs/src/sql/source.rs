//! `sql()` as a source of the set of sources.
//!
//! In: its options. Out: a running reader. Holds: nothing. Limits: none.

use super::{options::SqlSource, reader::read_table};
use intake::{Input, InputTask};
use std::hash::{DefaultHasher, Hash, Hasher};
use transport::{
    sql::SqlServer,
    tls::{SenderTls, TlsError},
};

impl Input for SqlSource {
    fn identity(&self) -> String {
        let mut bare = self.clone();
        let tls = match &mut bare.server {
            SqlServer::Postgres(login) | SqlServer::Mysql(login) => login.tls.take(),
            SqlServer::Sqlite(_) => None,
        };
        // The password decides as well, and must not be read from it.
        let mut hasher = DefaultHasher::new();
        format!("{bare:?} {:?}", tls.as_ref().map(|tls| &tls.options)).hash(&mut hasher);
        format!("sql {} {:x}", self.name(), hasher.finish())
    }

    fn instance(&self) -> String {
        self.name()
    }

    fn load_tls(&self) -> Result<(), TlsError> {
        match &self.server {
            SqlServer::Postgres(login) | SqlServer::Mysql(login) => load(login.tls.as_ref()),
            SqlServer::Sqlite(_) => Ok(()),
        }
    }

    fn start(&self, task: InputTask) {
        read_table(self.clone(), task);
    }
}

fn load(tls: Option<&SenderTls>) -> Result<(), TlsError> {
    tls.map_or(Ok(()), |tls| tls.settings().map(drop))
}
