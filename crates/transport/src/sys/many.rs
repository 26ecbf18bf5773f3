//! Many datagrams by one system call (`recvmmsg`).
//!
//! In: a socket. Out: the bytes and the sender of each datagram. Holds: one slot a datagram.
//! Limits: [`Datagrams::SLOTS`] datagrams a call, each of at most the size given at the start; longer ones are cut and say so.
#![allow(unsafe_code)]

use socket2::SockAddr;
use std::{
    io,
    mem::MaybeUninit,
    net::SocketAddr,
    os::fd::{AsRawFd, BorrowedFd},
};

const SLOTS: usize = Datagrams::SLOTS;
/// Room for one control message with credentials and one with the size of segments.
const CONTROL_BYTES: usize = 64;

/// A line of the processor's cache.
const LINE_BYTES: usize = 64;
/// Slots at a distance of a power of two would share few sets of the cache; an odd number of lines spreads them.
const STAGGER_LINES: usize = 13;

/// The slots.
pub struct Datagrams {
    bytes: Vec<u8>,
    slot_bytes: usize,
    /// Distance between slots.
    stride: usize,
    names: Vec<libc::sockaddr_storage>,
    controls: Vec<[u64; CONTROL_BYTES / 8]>,
}

/// One datagram.
pub struct Received<'a> {
    /// Its bytes, cut at the size of a slot.
    pub bytes: &'a [u8],
    /// Sender, when it has an internet address.
    pub peer: Option<SocketAddr>,
    /// Process, user and group of a local sender, if requested.
    pub credentials: Option<(i32, u32, u32)>,
    /// The datagram was longer than the slot.
    pub cut: bool,
    /// With [`coalesce`]: the slot holds several datagrams of this size, the last one may be shorter. 0: it is one.
    pub segment: usize,
}

impl Datagrams {
    /// Datagrams a call.
    pub const SLOTS: usize = 64;

    /// Slots for datagrams of that size.
    pub fn new(slot_bytes: usize) -> Datagrams {
        // SAFETY: all-zero bytes are a valid `sockaddr_storage`, which is a plain record of numbers.
        let name: libc::sockaddr_storage = unsafe { MaybeUninit::zeroed().assume_init() };
        let stride = slot_bytes.next_multiple_of(LINE_BYTES) + STAGGER_LINES * LINE_BYTES;
        Datagrams {
            // Zeroed memory that the kernel gives page by page, as slots are used.
            bytes: vec![0; SLOTS * stride],
            slot_bytes,
            stride,
            names: vec![name; SLOTS],
            controls: vec![[0; CONTROL_BYTES / 8]; SLOTS],
        }
    }

    /// Receives available datagrams into at most `limit` slots, without waiting, and passes on each. Returns how many
    /// slots were filled.
    pub fn receive(
        &mut self,
        socket: BorrowedFd<'_>,
        limit: usize,
        mut each: impl FnMut(Received<'_>),
    ) -> io::Result<usize> {
        let mut vectors: [libc::iovec; SLOTS] = std::array::from_fn(|slot| libc::iovec {
            iov_base: self.bytes[slot * self.stride..].as_mut_ptr().cast(),
            iov_len: self.slot_bytes,
        });
        let mut headers: [libc::mmsghdr; SLOTS] = std::array::from_fn(|slot| {
            // SAFETY: all-zero bytes are a valid `mmsghdr`: null pointers and zero lengths.
            let mut header: libc::mmsghdr = unsafe { MaybeUninit::zeroed().assume_init() };
            header.msg_hdr.msg_iov = &raw mut vectors[slot];
            header.msg_hdr.msg_iovlen = 1;
            header.msg_hdr.msg_name = (&raw mut self.names[slot]).cast();
            header.msg_hdr.msg_namelen = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
            header.msg_hdr.msg_control = self.controls[slot].as_mut_ptr().cast();
            header.msg_hdr.msg_controllen = CONTROL_BYTES as _;
            header
        });
        // SAFETY: every header points to one vector, one name and one control buffer of `self` or this frame, with
        // their true lengths; all outlive the call. `SLOTS` is the length of `headers`, of which no more are used.
        let count = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                headers.as_mut_ptr(),
                limit.min(SLOTS) as libc::c_uint,
                libc::MSG_DONTWAIT as _,
                std::ptr::null_mut(),
            )
        };
        if count < 0 {
            return Err(io::Error::last_os_error());
        }
        let count = count as usize;
        for (slot, header) in headers.iter().enumerate().take(count) {
            let size = (header.msg_len as usize).min(self.slot_bytes);
            let start = slot * self.stride;
            each(Received {
                bytes: &self.bytes[start..start + size],
                peer: address(&self.names[slot], header.msg_hdr.msg_namelen),
                credentials: control(&header.msg_hdr, libc::SOL_SOCKET, libc::SCM_CREDENTIALS)
                    .map(|sender: libc::ucred| (sender.pid, sender.uid, sender.gid)),
                cut: header.msg_hdr.msg_flags & libc::MSG_TRUNC != 0,
                segment: control(&header.msg_hdr, libc::SOL_UDP, libc::UDP_GRO)
                    .map_or(0, |size: libc::c_int| usize::try_from(size).unwrap_or(0)),
            });
        }
        Ok(count)
    }
}

fn address(name: &libc::sockaddr_storage, size: libc::socklen_t) -> Option<SocketAddr> {
    if size == 0 {
        return None;
    }
    // SAFETY: the kernel wrote `size` bytes of an address into the storage; the copy covers the whole storage.
    let ((), address) = unsafe {
        SockAddr::try_init(|storage, length| {
            storage.cast::<libc::sockaddr_storage>().write(*name);
            *length = size;
            Ok(())
        })
    }
    .ok()?;
    address.as_socket()
}

/// Lets the kernel pass successive datagrams of one sender as one, in slots of 64 KiB: `segment` is then
/// their size. Kernels before 5.0 refuse.
pub fn coalesce(socket: BorrowedFd<'_>) -> io::Result<()> {
    let yes: libc::c_int = 1;
    // SAFETY: the option's value is one number that outlives the call, given with its true size.
    let failed = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_UDP,
            libc::UDP_GRO,
            (&raw const yes).cast(),
            size_of_val(&yes) as libc::socklen_t,
        )
    };
    if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Data of a control message with which the kernel describes a datagram.
trait ControlData: Copy {}
impl ControlData for libc::ucred {}
impl ControlData for libc::c_int {}

/// The data of a control message, `None` when it is not there or too short.
fn control<T: ControlData>(header: &libc::msghdr, level: libc::c_int, kind: libc::c_int) -> Option<T> {
    // SAFETY: the header was filled by `recvmmsg`, so its control length covers whole control messages in a buffer
    // that is alive and aligned to 8 bytes; the macros stay inside it. The data is read unaligned, and only when the
    // message is long enough for it; every pattern of bits is a value of the two types that are `ControlData`.
    unsafe {
        let mut control = libc::CMSG_FIRSTHDR(header);
        while !control.is_null() {
            let size = libc::CMSG_LEN(size_of::<T>() as libc::c_uint) as usize;
            if (*control).cmsg_level == level
                && (*control).cmsg_type == kind
                && (*control).cmsg_len as usize >= size
            {
                return Some(libc::CMSG_DATA(control).cast::<T>().read_unaligned());
            }
            control = libc::CMSG_NXTHDR(header, control);
        }
    }
    None
}

#[cfg(test)]
mod tests;
