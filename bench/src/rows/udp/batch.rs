//! Many datagrams by one system call, both ways.
//!
//! In: a socket, and slices to send or slots to receive into. Out: the number sent or received. Holds: the
//! slots. Datagrams of one size pass through the kernel as one, and are split at their receiver unless it
//! accepts them as one: so sending costs a tenth, and the receiver has the processors for itself.
//! Limits: [`BATCH`] datagrams per call.
#![allow(unsafe_code)]

use std::{io, mem::MaybeUninit, net::UdpSocket, os::fd::AsRawFd};

/// Datagrams a call.
pub(crate) const BATCH: usize = 64;
/// More than the longest datagram of the corpus.
const SLOT_BYTES: usize = 2048;

fn header(vector: *mut libc::iovec) -> libc::mmsghdr {
    // SAFETY: all-zero bytes are a valid `mmsghdr`: null pointers and zero lengths.
    let mut header: libc::mmsghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    header.msg_hdr.msg_iov = vector;
    header.msg_hdr.msg_iovlen = 1;
    header
}

/// Sends at most [`BATCH`] datagrams on a connected socket.
pub(crate) fn send(socket: &UdpSocket, datagrams: &[&[u8]]) -> io::Result<usize> {
    let count = datagrams.len().min(BATCH);
    let mut vectors: [libc::iovec; BATCH] = std::array::from_fn(|slot| {
        let bytes = datagrams.get(slot).copied().unwrap_or_default();
        libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() }
    });
    let mut headers: [libc::mmsghdr; BATCH] = std::array::from_fn(|slot| header(&raw mut vectors[slot]));
    // SAFETY: the first `count` headers each point to one vector over a borrowed slice; all outlive the call, which
    // only reads the slices.
    let sent = unsafe { libc::sendmmsg(socket.as_raw_fd(), headers.as_mut_ptr(), count as libc::c_uint, 0) };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(sent as usize) }
}

/// Sends at most [`BATCH`] datagrams of one size on a connected socket (`UDP_SEGMENT`).
pub(crate) fn send_run(socket: &UdpSocket, datagrams: &[&[u8]]) -> io::Result<usize> {
    let count = datagrams.len().min(BATCH);
    let size = datagrams.first().map_or(0, |first| first.len());
    assert!(datagrams.iter().all(|datagram| datagram.len() == size), "a run is of one size");
    let mut vectors: [libc::iovec; BATCH] = std::array::from_fn(|slot| {
        let bytes = datagrams.get(slot).copied().unwrap_or_default();
        libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() }
    });
    let mut control = [0_u64; 4];
    let mut header = header(vectors.as_mut_ptr()).msg_hdr;
    header.msg_iovlen = count as _;
    header.msg_control = control.as_mut_ptr().cast();
    // SAFETY: the sizes are constants of the system. The control buffer is aligned, alive, and longer than one message
    // with a number of two bytes, so its first message lies in it. The header points to `count` vectors over
    // borrowed slices, which the call only reads.
    let sent = unsafe {
        header.msg_controllen = libc::CMSG_SPACE(size_of::<u16>() as libc::c_uint) as _;
        let message = libc::CMSG_FIRSTHDR(&raw const header);
        (*message).cmsg_level = libc::SOL_UDP;
        (*message).cmsg_type = libc::UDP_SEGMENT;
        (*message).cmsg_len = libc::CMSG_LEN(size_of::<u16>() as libc::c_uint) as _;
        libc::CMSG_DATA(message).cast::<u16>().write_unaligned(size as u16);
        libc::sendmsg(socket.as_raw_fd(), &raw const header, 0)
    };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(count) }
}

/// Slots to receive into.
pub(crate) struct Slots(Vec<u8>);

impl Slots {
    pub(crate) fn new() -> Slots {
        Slots(vec![0; BATCH * SLOT_BYTES])
    }

    /// Waits for one datagram at least, and appends each with a line feed.
    pub(crate) fn receive(&mut self, socket: &UdpSocket, out: &mut Vec<u8>) -> io::Result<usize> {
        let mut vectors: [libc::iovec; BATCH] = std::array::from_fn(|slot| libc::iovec {
            iov_base: self.0[slot * SLOT_BYTES..].as_mut_ptr().cast(),
            iov_len: SLOT_BYTES,
        });
        let mut headers: [libc::mmsghdr; BATCH] = std::array::from_fn(|slot| header(&raw mut vectors[slot]));
        // SAFETY: every header points to one vector over a slot of its own within the buffer; all outlive the call.
        let count = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                headers.as_mut_ptr(),
                BATCH as libc::c_uint,
                libc::MSG_WAITFORONE,
                std::ptr::null_mut(),
            )
        };
        if count < 0 {
            return Err(io::Error::last_os_error());
        }
        for (slot, header) in headers.iter().enumerate().take(count as usize) {
            let start = slot * SLOT_BYTES;
            out.extend_from_slice(&self.0[start..start + header.msg_len as usize]);
            out.push(b'\n');
        }
        Ok(count as usize)
    }
}

/// Sets the receive buffer, beyond the system's limit where that is allowed.
pub(crate) fn receive_buffer(socket: &UdpSocket, bytes: usize) -> io::Result<()> {
    let bytes = bytes as libc::c_int;
    for option in [libc::SO_RCVBUFFORCE, libc::SO_RCVBUF] {
        // SAFETY: the option's value is one number that outlives the call, given with its true size.
        let failed = unsafe {
            libc::setsockopt(
                socket.as_raw_fd(),
                libc::SOL_SOCKET,
                option,
                (&raw const bytes).cast(),
                size_of_val(&bytes) as libc::socklen_t,
            )
        };
        if failed == 0 {
            return Ok(());
        }
    }
    Err(io::Error::last_os_error())
}
