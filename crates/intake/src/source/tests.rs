//! Rows for the effect of settings on messages.

use super::*;
use crate::{
    options::DatagramListener,
    testing::{here, source_options},
};
use transport::{Registry, testing::Collected};

fn settings(component: &str, driver: SourceDriver) -> Settings {
    Settings {
        id: "s#0".to_owned(),
        component: component.to_owned(),
        driver,
        options: Arc::new(source_options()),
        intake: Collected::new(),
        counters: Registry::default().register("src", "s#0", ""),
    }
}

#[track_caller]
fn check(component: &str, transport: Transport, want: &str) {
    let origin = settings(component, SourceDriver::Stdin).origin(transport, None, "h".to_owned());
    assert_eq!((origin.transport_name.as_str(), origin.host_from.as_str()), (want, "h"), "{component}");
}

#[test]
fn transports_have_the_names_of_their_protocols() {
    for (transport, network, syslog) in [
        (Transport::Udp, "rfc3164+udp", "rfc5426"),
        (Transport::Tcp, "rfc3164+tcp", "rfc6587"),
        (Transport::Tls, "rfc3164+tls", "rfc5425"),
    ] {
        check("network", transport, network);
        check("syslog", transport, syslog);
    }
    check("gelf", Transport::Udp, "gelf+udp");
    check("gelf", Transport::Tcp, "gelf+tcp");
    check("relp", Transport::Tcp, "relp+tcp");
    check("relp", Transport::Tls, "relp+tls");
    check("unix-dgram", Transport::UnixDgram, "local+unix-dgram");
    check("unix-stream", Transport::UnixStream, "local+unix-stream");
    check("file", Transport::Local, "local+file");
}

#[test]
fn datagrams_have_a_larger_window_that_holds_nobody_back() {
    let stream = settings("network", SourceDriver::Stdin);
    let datagram = settings("network", SourceDriver::Datagram(DatagramListener::new(here(1))));
    let (one, many) = (stream.window(), datagram.window());
    assert_eq!((many.messages, many.bytes), (one.messages * DATAGRAM_WINDOWS, one.bytes * DATAGRAM_WINDOWS));
    assert!(SettingsCell::new(stream).in_flight().is_some());
    assert!(SettingsCell::new(datagram).in_flight().is_none());
}

#[test]
fn messages_have_the_tag_of_their_source() {
    let mut options = source_options();
    options.tags = vec!["mine".to_owned()];
    let settings = Settings { options: Arc::new(options), ..settings("file", SourceDriver::Stdin) };
    let origin = settings.origin(Transport::Local, None, String::new());
    assert_eq!(
        (origin.tags.as_slice(), &*origin.source),
        (&["mine".to_owned(), ".source.s".to_owned()][..], "s")
    );
}
