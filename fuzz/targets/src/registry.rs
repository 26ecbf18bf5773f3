//! The targets by name.
//!
//! In: a name. Out: a function that takes bytes. Limits: bytes that are not a valid input of a target are
//! skipped, as libFuzzer does.

use crate::{files, languages, messages, peers, servers};
use arbitrary::{Arbitrary, Unstructured};

/// A target: its name, which is also that of its folder in the corpus, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: &[Target] = &[
    ("accounting", |bytes| with(bytes, messages::accounting::run)),
    ("amqp", servers::amqp::run),
    ("certificate", peers::certificate::run),
    ("codec", messages::codec::run),
    ("configuration", languages::configuration::run),
    ("convert", languages::convert::run),
    ("decode", |bytes| with(bytes, messages::decode::run)),
    ("diskq", messages::diskq::run),
    ("dtls", |bytes| with(bytes, peers::dtls::run)),
    ("evidence", files::evidence::run),
    ("frames", |bytes| with(bytes, messages::frames::run)),
    ("gelf", |bytes| with(bytes, messages::gelf::run)),
    ("grpc", peers::grpc::run),
    ("journal", files::journal::run),
    ("kmsg", |bytes| with(bytes, messages::kmsg::run)),
    ("lumberjack", |bytes| with(bytes, peers::lumberjack::run)),
    ("mongodb", servers::mongodb::run),
    ("mqtt", servers::mqtt::run),
    ("mysql", servers::mysql::run),
    ("nats", servers::nats::run),
    ("parser", languages::parser::run),
    ("patterndb", languages::patterndb::run),
    ("proxy", peers::proxy::run),
    ("question", |bytes| with(bytes, languages::question::run)),
    ("redis", servers::redis::run),
    ("relp", |bytes| with(bytes, peers::relp::run)),
    ("riemann", servers::riemann::run),
    ("sctp", peers::sctp::run),
    ("sctp_endpoint", peers::sctp_endpoint::run),
    ("sdata", messages::sdata::run),
    ("segment", files::segment::run),
    ("shipped", |bytes| with(bytes, messages::shipped::run)),
    ("sltp", peers::sltp::run),
    ("smtp", |bytes| with(bytes, peers::smtp::run)),
    ("stomp", servers::stomp::run),
    ("tail", |bytes| with(bytes, files::tail::run)),
];

/// Returns the target of a name.
pub fn target(name: &str) -> Option<fn(&[u8])> {
    TARGETS.iter().find(|(known, _)| *known == name).map(|(_, run)| *run)
}

/// Makes the input of a target from bytes; bytes that are not a valid input are skipped.
fn with<'b, T: Arbitrary<'b>>(bytes: &'b [u8], run: fn(T)) {
    if let Ok(input) = T::arbitrary_take_rest(Unstructured::new(bytes)) {
        run(input);
    }
}
