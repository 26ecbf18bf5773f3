//! Calls on real pipes, sockets and programs of this machine.

use super::*;
use socket2::{Domain, Socket, Type};
use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Read, Write},
    net::UdpSocket,
    os::{
        fd::AsFd,
        unix::{
            fs::FileTypeExt,
            net::UnixStream,
            process::{CommandExt, ExitStatusExt},
        },
    },
    process::{Command, Stdio},
};

#[test]
fn reads_return_once_they_may_not_wait() {
    let (mut near, mut far) = UnixStream::pair().unwrap();
    // Twice, because inherited descriptors may have it already.
    set_nonblocking(near.as_fd()).unwrap();
    set_nonblocking(near.as_fd()).unwrap();
    assert_eq!(near.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
    far.write_all(b"x").unwrap();
    assert_eq!(near.read(&mut [0]).unwrap(), 1);
}

#[test]
fn the_other_flags_of_a_descriptor_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    fs::write(&path, "old ").unwrap();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    set_nonblocking(file.as_fd()).unwrap();
    file.write_all(b"new").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "old new");
}

#[test]
fn a_full_socket_takes_no_bytes() {
    let (mut near, mut far) = UnixStream::pair().unwrap();
    set_nonblocking(near.as_fd()).unwrap();
    assert!(wait_writable(near.as_fd(), Duration::ZERO).unwrap());
    while near.write(&[0; 4096]).is_ok() {}
    assert!(!wait_writable(near.as_fd(), Duration::from_millis(1)).unwrap());
    set_nonblocking(far.as_fd()).unwrap();
    while far.read(&mut [0; 65_536]).is_ok() {}
    assert!(wait_writable(near.as_fd(), Duration::from_secs(60)).unwrap());
}

#[test]
fn waits_for_bytes_on_what_it_owns() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (near, mut far) = UnixStream::pair().unwrap();
        set_nonblocking(near.as_fd()).unwrap();
        let ready = readiness(near).unwrap();
        far.write_all(b"x").unwrap();
        assert!(ready.readable().await.unwrap().ready().is_readable());
    });
}

#[test]
fn makes_a_pipe_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    make_pipe(&path, 0o600).unwrap();
    assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
    make_pipe(&path, 0o600).unwrap();
    let error = |path: &Path| make_pipe(path, 0o600).unwrap_err().kind();
    assert_eq!(error(&folder.path().join("none/pipe")), ErrorKind::NotFound);
    assert_eq!(error(&folder.path().join("a\0b")), ErrorKind::InvalidInput);
}

#[test]
fn a_signal_ends_all_programs_of_a_group() {
    // The shell waits for `cat`, which would write its input if it were still alive.
    let mut shell = Command::new("/bin/sh")
        .args(["-c", "echo ready; cat; true"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let (mut input, mut output) = (shell.stdin.take().unwrap(), shell.stdout.take().unwrap());
    input.write_all(b"go").unwrap();
    let mut ready = [0; 8];
    output.read_exact(&mut ready).unwrap();
    assert_eq!(&ready, b"ready\ngo");
    signal_group(shell.id());
    // There may be no reader.
    let _ = input.write_all(b"alive");
    drop(input);
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!((rest.as_str(), shell.wait().unwrap().signal()), ("", Some(libc::SIGTERM)));
    // The group is gone, and no process has such a number.
    signal_group(shell.id());
    signal_group(u32::MAX);
}

#[test]
fn counts_what_the_kernel_dropped() {
    let receiver = Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
    receiver.set_recv_buffer_size(4096).unwrap();
    receiver.bind(&"127.0.0.1:0".parse::<std::net::SocketAddr>().unwrap().into()).unwrap();
    let receiver = UdpSocket::from(receiver);
    receiver.set_nonblocking(true).unwrap();
    assert_eq!(socket_drops(receiver.as_fd()).unwrap(), 0);
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    let sent = 100;
    for _ in 0..sent {
        sender.send_to(&[0; 1000], receiver.local_addr().unwrap()).unwrap();
    }
    let mut received = 0;
    while receiver.recv(&mut [0; 1000]).is_ok() {
        received += 1;
    }
    assert!((1..sent).contains(&received), "{received}");
    assert_eq!(socket_drops(receiver.as_fd()).unwrap(), sent - received);
    let file = File::open("/dev/null").unwrap();
    assert_eq!(socket_drops(file.as_fd()).unwrap_err().raw_os_error(), Some(libc::ENOTSOCK));
}

#[test]
fn a_forced_buffer_is_as_large_as_asked() {
    let wanted = 32 << 20;
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
    let before = socket.recv_buffer_size().unwrap();
    match force_receive_buffer(socket.as_fd(), wanted) {
        Ok(()) => assert!(socket.recv_buffer_size().unwrap() >= wanted),
        Err(error) => {
            let kept = (error.kind(), socket.recv_buffer_size().unwrap());
            assert_eq!(kept, (ErrorKind::PermissionDenied, before));
        }
    }
    let file = File::open("/dev/null").unwrap();
    assert!(force_receive_buffer(file.as_fd(), wanted).is_err());
}
