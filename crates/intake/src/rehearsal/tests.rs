//! Bytes without a source, decoded as sources do.

use super::*;
use crate::{
    options::{DatagramListener, StreamListener},
    testing::{here, source_options, spec},
};
use message::Origin;
use transport::testing::Collected;

fn of(
    driver: SourceDriver,
    peer: Option<&str>,
    run: impl Fn(&mut Rehearsal),
) -> (Vec<String>, Vec<Arc<Origin>>) {
    let collected = Collected::new();
    let peer = peer.map(|peer| peer.parse().unwrap());
    run(&mut Rehearsal::new(spec(driver, source_options(), collected.clone()), peer));
    let origins =
        collected.batches(|batches| batches.iter().flat_map(|batch| batch.origins.clone()).collect());
    (collected.wait(0), origins)
}

#[test]
fn streams_are_split_and_messages_are_whole() {
    let tcp = || SourceDriver::Stream(StreamListener::new(here(1)));
    let peer = Some("192.0.2.7:99");
    let (lines, origins) = of(tcp(), peer, |source| source.stream(b"<13>a: one\n<13>b: two\n<13>c: three"));
    assert_eq!(lines, ["192.0.2.7|a|one", "192.0.2.7|b|two", "192.0.2.7|c|three"]);
    assert!(origins.iter().all(|origin| origin.peer.is_some() && origin.host_from == "192.0.2.7"));
    let (lines, _) = of(tcp(), peer, |source| source.stream(b"<13>a: one\n"));
    assert_eq!(lines, ["192.0.2.7|a|one"]);
    let (lines, _) = of(tcp(), peer, |source| source.message(b"<13>a: one\ntwo"));
    assert_eq!(lines, ["192.0.2.7|a|one\ntwo"]);
    assert!(of(tcp(), peer, |source| source.stream(b"")).0.is_empty());
}

#[test]
fn the_transport_is_that_of_the_driver() {
    let unix = || ListenAddress::Unix("/run/x".into());
    for (driver, want) in [
        (SourceDriver::Stream(StreamListener::new(here(1))), Transport::Tcp),
        (SourceDriver::Stream(StreamListener::new(unix())), Transport::UnixStream),
        (SourceDriver::Datagram(DatagramListener::new(here(1))), Transport::Udp),
        (SourceDriver::Datagram(DatagramListener::new(unix())), Transport::UnixDgram),
        (SourceDriver::System { with_kernel: true }, Transport::UnixDgram),
        (SourceDriver::Stdin, Transport::Local),
    ] {
        let (_, origins) = of(driver, None, |source| source.message(b"<13>a: one"));
        assert_eq!(origins[0].transport, want);
    }
}
