//! `s3()` as a source of the set of sources.
//!
//! In: its options. Out: a running reader. Holds: nothing. Limits: none.

use super::{options::S3Source, reader::read_bucket};
use intake::{Input, InputTask};
use std::hash::{DefaultHasher, Hash, Hasher};
use transport::tls::TlsError;

impl Input for S3Source {
    fn identity(&self) -> String {
        let bucket = &self.bucket;
        let mut hasher = DefaultHasher::new();
        // The secrets decide as well, and must not be read from it.
        (&bucket.login.secret_key, &bucket.login.session_token).hash(&mut hasher);
        let pauses = (bucket.timeout, self.follow_every, self.full_list_every, self.reopen_after);
        format!("{:?} {:?} {:?}", bucket.login, bucket.region, bucket.tls.options).hash(&mut hasher);
        (pauses, self.workers, self.old, self.register_name()).hash(&mut hasher);
        format!("s3 {},{} {:x}", bucket.address, self.prefix, hasher.finish())
    }

    fn instance(&self) -> String {
        S3Source::instance(self)
    }

    fn load_tls(&self) -> Result<(), TlsError> {
        match self.bucket.address.starts_with("https:") {
            true => self.bucket.tls.settings().map(drop),
            false => Ok(()),
        }
    }

    fn start(&self, task: InputTask) {
        read_bucket(self.clone(), task);
    }
}
