//! Calls on one descriptor, process group or path.
//!
//! In: borrowed descriptors. Out: results. Holds: nothing. Limits: none.
#![allow(unsafe_code)]

use std::{
    ffi::CString,
    io,
    os::{
        fd::{AsRawFd, BorrowedFd, OwnedFd},
        unix::{ffi::OsStrExt, process::CommandExt},
    },
    path::Path,
    process::Command,
    time::Duration,
};
use tokio::io::{Interest, unix::AsyncFd};

fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Makes reads and writes return instead of wait.
pub fn set_nonblocking(descriptor: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the descriptor is borrowed, so open; the calls take and return plain numbers.
    let flags = checked(unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_GETFL) })?;
    // SAFETY: as above.
    checked(unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK) })?;
    Ok(())
}

/// Waits until the descriptor accepts bytes, at most for a time. Returns true if it does.
pub fn wait_writable(descriptor: BorrowedFd<'_>, most: Duration) -> io::Result<bool> {
    let mut poll = libc::pollfd { fd: descriptor.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
    // SAFETY: `poll` is one valid record that outlives the call, and its count is given as 1.
    let ready = checked(unsafe { libc::poll(&raw mut poll, 1, most.as_millis() as libc::c_int) })?;
    Ok(ready > 0)
}

/// Waits for bytes on a descriptor that `owner` owns.
pub fn readiness<T: AsRawFd + Into<OwnedFd>>(owner: T) -> io::Result<AsyncFd<T>> {
    // SAFETY: what can become an `OwnedFd` owns one descriptor, always the same, and closes it only when dropped;
    // `AsyncFd` takes it off the reactor before it drops the owner.
    Ok(unsafe { AsyncFd::register_with_interest(owner, Interest::READABLE) }?)
}

/// Makes a named pipe. One that is there already is fine.
pub fn make_pipe(path: &Path, mode: u32) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: `path` is a string that ends with NUL and outlives the call.
    match checked(unsafe { libc::mkfifo(path.as_ptr(), mode) }) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Sends SIGTERM to a process group that we started.
pub fn signal_group(leader: u32) {
    if let Ok(leader) = libc::pid_t::try_from(leader)
        && leader > 1
    {
        // SAFETY: the call takes plain numbers; a group that is gone gives an error, which changes nothing.
        unsafe { libc::kill(-leader, libc::SIGTERM) };
    }
}

/// Sends SIGKILL to a process group that we started.
pub fn kill_group(leader: u32) {
    if let Ok(leader) = libc::pid_t::try_from(leader)
        && leader > 1
    {
        // SAFETY: the call takes plain numbers; a group that is gone gives an error, which changes nothing.
        unsafe { libc::kill(-leader, libc::SIGKILL) };
    }
}

/// Has the kernel kill the process of a command when the thread that starts it ends, and so when we do, however.
pub fn end_with_this_thread(command: &mut Command) {
    // SAFETY: between fork and exec the closure makes one system call with plain numbers, which allocates nothing and takes no
    // lock.
    unsafe {
        command.pre_exec(|| {
            checked(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong)).map(|_| ())
        });
    }
}

/// Datagrams that the kernel dropped on a socket because its buffer was full.
pub fn socket_drops(socket: BorrowedFd<'_>) -> io::Result<u32> {
    /// `SK_MEMINFO_DROPS` of linux/sock_diag.h.
    const DROPS: usize = 8;
    let mut values = [0_u32; 16];
    let mut size = size_of_val(&values) as libc::socklen_t;
    // SAFETY: the buffer holds `size` bytes and outlives the call, which writes at most `size` bytes of numbers.
    checked(unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MEMINFO,
            values.as_mut_ptr().cast(),
            &raw mut size,
        )
    })?;
    Ok(values[DROPS])
}

/// Sets the receive buffer past `net.core.rmem_max`, which needs the right to do so.
pub fn force_receive_buffer(socket: BorrowedFd<'_>, size: usize) -> io::Result<()> {
    let size = libc::c_int::try_from(size).unwrap_or(libc::c_int::MAX);
    // SAFETY: the option's value is one number that outlives the call, given with its true size.
    checked(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_RCVBUFFORCE,
            (&raw const size).cast(),
            size_of_val(&size) as libc::socklen_t,
        )
    })?;
    Ok(())
}

#[cfg(test)]
mod tests;
