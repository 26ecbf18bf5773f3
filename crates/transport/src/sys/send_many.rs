//! Many datagrams by one system call (`sendmmsg`).
//!
//! In: a connected socket, slices. Out: how many of them went. Holds: nothing.
//! Limits: [`SENT_MAX`] datagrams a call.
#![allow(unsafe_code)]

use std::{
    io,
    mem::MaybeUninit,
    os::fd::{AsRawFd, BorrowedFd},
};

/// Most datagrams a call.
pub const SENT_MAX: usize = 64;

/// Sends the first datagrams. An error is that of the first one; that of a later one shows at the next call.
pub fn send_many(socket: BorrowedFd<'_>, datagrams: &[&[u8]]) -> io::Result<usize> {
    let count = datagrams.len().min(SENT_MAX);
    let mut vectors: [libc::iovec; SENT_MAX] = std::array::from_fn(|index| {
        let bytes = datagrams.get(index).copied().unwrap_or_default();
        libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() }
    });
    let mut headers: [libc::mmsghdr; SENT_MAX] = std::array::from_fn(|index| {
        // SAFETY: all-zero bytes are a valid `mmsghdr`: null pointers and zero lengths.
        let mut header: libc::mmsghdr = unsafe { MaybeUninit::zeroed().assume_init() };
        header.msg_hdr.msg_iov = &raw mut vectors[index];
        header.msg_hdr.msg_iovlen = 1;
        header
    });
    // SAFETY: each of the first `count` headers points to one vector over a borrowed slice with its true length; all
    // outlive the call, which only reads the slices and writes the headers.
    let sent = unsafe {
        libc::sendmmsg(
            socket.as_raw_fd(),
            headers.as_mut_ptr(),
            count as libc::c_uint,
            libc::MSG_NOSIGNAL as _,
        )
    };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(sent as usize) }
}

#[cfg(test)]
mod tests;
