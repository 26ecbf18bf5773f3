//! Options on real sockets.

use super::*;
use socket2::{Domain, Type};

fn sockets() -> [(Socket, SocketAddr); 2] {
    let of =
        |domain, address: &str| (Socket::new(domain, Type::DGRAM, None).unwrap(), address.parse().unwrap());
    [of(Domain::IPV4, "192.0.2.7:0"), of(Domain::IPV6, "[2001:db8::7]:0")]
}

#[test]
fn both_versions_of_ip_have_them() {
    let options = IpOptions { tos: Some(16), ttl: Some(7), freebind: true, interface: Some("lo".to_owned()) };
    for (socket, address) in sockets() {
        options.set(&socket, &address).unwrap();
        let (tos, ttl) = match address.is_ipv4() {
            true => (socket.tos_v4().unwrap(), socket.ttl_v4().unwrap()),
            false => (socket.tclass_v6().unwrap(), socket.unicast_hops_v6().unwrap()),
        };
        assert_eq!((tos, ttl), (16, 7), "{address}");
    }
}

#[test]
fn without_options_nothing_changes() {
    for (socket, address) in sockets() {
        IpOptions::default().set(&socket, &address).unwrap();
        assert!(socket.bind(&address.into()).is_err(), "{address} is none of this machine");
    }
}
