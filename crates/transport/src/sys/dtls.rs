//! Parts of DTLS that the `openssl` crate lacks: the cookie exchange, the timer of a handshake, a limit on the memory
//! for fragmented messages.
//!
//! In: its objects, borrowed. Out: plain values. Holds: nothing. Limits: those of OpenSSL.
#![allow(unsafe_code)]

use foreign_types::ForeignTypeRef;
use openssl::{
    ssl::{SslContextBuilder, SslStream},
    x509::{X509StoreContextRef, X509VerifyResult},
};
use openssl_sys::{SSL, SSL_CTX_ctrl, SSL_ctrl};
use std::{
    ffi::{c_int, c_long, c_void},
    time::Duration,
};

/// `DTLS_CTRL_GET_TIMEOUT`, `DTLS_CTRL_HANDLE_TIMEOUT`, `SSL_CTRL_SET_MTU`, `SSL_CTRL_SET_MAX_CERT_LIST` of openssl/ssl.h.
const GET_TIMEOUT: c_int = 73;
const HANDLE_TIMEOUT: c_int = 74;
const SET_MTU: c_int = 17;
const SET_MAX_CERT_LIST: c_int = 51;

/// `BIO_ADDR` of openssl/bio.h; opaque.
#[repr(C)]
struct BioAddress {
    opaque: [u8; 0],
}

unsafe extern "C" {
    fn DTLSv1_listen(ssl: *mut SSL, client: *mut BioAddress) -> c_int;
    fn BIO_ADDR_new() -> *mut BioAddress;
    fn BIO_ADDR_free(address: *mut BioAddress);
}

/// Takes a ClientHello with a cookie from the stream below, as if the one without a cookie had come first. Returns
/// true if the handshake may continue.
pub(crate) fn listen<S>(stream: &mut SslStream<S>) -> bool {
    // SAFETY: the address is made here, given to one call that may write to it, and freed once; nothing is done when
    // there is no memory for it. The stream is borrowed by us alone, and has its session.
    unsafe {
        let client = BIO_ADDR_new();
        if client.is_null() {
            return false;
        }
        let listened = DTLSv1_listen(stream.ssl().as_ptr(), client);
        BIO_ADDR_free(client);
        listened > 0
    }
}

/// Returns how long the current step of a handshake still waits for the peer before it is repeated.
pub(crate) fn timer<S>(stream: &SslStream<S>) -> Option<Duration> {
    let mut left = libc::timeval { tv_sec: 0, tv_usec: 0 };
    // SAFETY: the command writes one `timeval`, which outlives the call.
    let runs = unsafe { SSL_ctrl(stream.ssl().as_ptr(), GET_TIMEOUT, 0, (&raw mut left).cast::<c_void>()) };
    let micros =
        u64::try_from(left.tv_sec).unwrap_or(0) * 1_000_000 + u64::try_from(left.tv_usec).unwrap_or(0);
    (runs == 1).then(|| Duration::from_micros(micros))
}

/// Repeats the current step when its time is over. Returns false when it was repeated often enough.
pub(crate) fn expire<S>(stream: &mut SslStream<S>) -> bool {
    // SAFETY: the command takes no argument; it may write to what is below, which the stream owns.
    unsafe { SSL_ctrl(stream.ssl().as_ptr(), HANDLE_TIMEOUT, 0, std::ptr::null_mut()) >= 0 }
}

/// Changes the size of the largest datagram of a handshake.
pub(crate) fn set_mtu<S>(stream: &mut SslStream<S>, bytes: usize) {
    let bytes = c_long::try_from(bytes).unwrap_or(c_long::MAX);
    // SAFETY: the command takes a number; the stream is borrowed by us alone.
    unsafe { SSL_ctrl(stream.ssl().as_ptr(), SET_MTU, bytes, std::ptr::null_mut()) };
}

/// The reason why a peer's certificate is refused, as far as an alert can express it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    Expired,
    Revoked,
    UnknownAuthority,
    BadSignature,
    OtherUse,
    Other,
}

/// Makes the alert that the peer gets fit the reason.
pub(crate) fn refuse(context: &mut X509StoreContextRef, why: Refusal) {
    let code = match why {
        Refusal::Expired => openssl_sys::X509_V_ERR_CERT_HAS_EXPIRED,
        Refusal::Revoked => openssl_sys::X509_V_ERR_CERT_REVOKED,
        Refusal::UnknownAuthority => openssl_sys::X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
        Refusal::BadSignature => openssl_sys::X509_V_ERR_CERT_SIGNATURE_FAILURE,
        Refusal::OtherUse => openssl_sys::X509_V_ERR_INVALID_PURPOSE,
        Refusal::Other => openssl_sys::X509_V_ERR_CERT_REJECTED,
    };
    // SAFETY: the number is one that the library knows, which is all that is asked for.
    context.set_error(unsafe { X509VerifyResult::from_raw(code) });
}

/// Limits the size of a handshake message: a peer may make us store ten of this size at once.
pub(crate) fn set_message_bytes_max(context: &mut SslContextBuilder, bytes: usize) {
    let bytes = c_long::try_from(bytes).unwrap_or(c_long::MAX);
    // SAFETY: the command takes a number; the context is borrowed by us alone.
    unsafe { SSL_CTX_ctrl(context.as_ptr(), SET_MAX_CERT_LIST, bytes, std::ptr::null_mut()) };
}
