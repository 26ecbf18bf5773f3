//! Sockets that a parent passes to a child: the tests start themselves again, as a service manager would.

use super::*;
use std::{
    net::{SocketAddr, TcpListener},
    os::{fd::OwnedFd, unix::net::UnixListener},
    process::{Command, Stdio},
};

/// Set in the child: the addresses of the sockets that it should have inherited.
const ADDRESSES: &str = "INHERITED_ADDRESSES";

/// Runs the test of that name again, with a TCP listener as descriptor 3 and a unix listener as 4.
fn run_again(name: &str, pid: &str, count: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let addresses = format!("{} {}", tcp.local_addr().unwrap(), path.display());
    let unix = UnixListener::bind(&path).unwrap();
    let line = format!(
        "exec 3<&0 4<&1 0</dev/null 1>&2; export LISTEN_PID={pid} LISTEN_FDS={count}; exec \"$0\" --exact {name}"
    );
    let child = Command::new("/bin/sh")
        .args(["-c", &line])
        .arg(env::current_exe().unwrap())
        .env(ADDRESSES, addresses)
        .stdin(Stdio::from(OwnedFd::from(tcp)))
        .stdout(Stdio::from(OwnedFd::from(unix)))
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
}

/// Returns the addresses in the child.
fn addresses() -> Option<(SockAddr, SockAddr)> {
    let text = env::var(ADDRESSES).ok()?;
    let (tcp, path) = text.split_once(' ').unwrap();
    Some((tcp.parse::<SocketAddr>().unwrap().into(), SockAddr::unix(path).unwrap()))
}

#[test]
fn gives_each_inherited_socket_once() {
    let Some((tcp, unix)) = addresses() else {
        return run_again("sys::inherited::tests::gives_each_inherited_socket_once", "$$", "2");
    };
    let other: SockAddr = "127.0.0.1:1".parse::<SocketAddr>().unwrap().into();
    assert!(inherited_socket(&other, Type::STREAM).is_none(), "another address");
    assert!(inherited_socket(&tcp, Type::DGRAM).is_none(), "another kind");
    assert!(inherited_socket(&unix, Type::DGRAM).is_none(), "another kind");
    for address in [&unix, &tcp] {
        let socket = inherited_socket(address, Type::STREAM).unwrap();
        assert!(socket.is_listener().unwrap());
        assert!(inherited_socket(address, Type::STREAM).is_none(), "it is taken");
    }
}

#[test]
fn takes_nothing_that_was_meant_for_another_process() {
    let Some((tcp, unix)) = addresses() else {
        return run_again(
            "sys::inherited::tests::takes_nothing_that_was_meant_for_another_process",
            "$((1 + $$))",
            "2",
        );
    };
    for address in [tcp, unix] {
        assert!(inherited_socket(&address, Type::STREAM).is_none());
    }
}

#[test]
fn takes_no_more_than_it_was_left() {
    let Some((tcp, unix)) = addresses() else {
        return run_again("sys::inherited::tests::takes_no_more_than_it_was_left", "$$", "1");
    };
    assert!(inherited_socket(&unix, Type::STREAM).is_none());
    assert!(inherited_socket(&tcp, Type::STREAM).is_some());
}
