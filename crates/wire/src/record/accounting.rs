//! Records of process accounting: the kernel writes them to `/var/log/account/pacct` when a process ends.
//!
//! In: one record of [`ACCOUNTING_BYTES`] bytes, version 3 of `acct(5)`, in either byte order. Out: a message
//! whose values are its fields, as syslog-ng names and prints them. Holds: nothing. Limits: never fails: a
//! record of another size or version becomes a marked message that says so.

use message::{Batch, Format, Mark, Message, Priority, Span, ValueKind};

/// Size of a record.
pub const ACCOUNTING_BYTES: usize = 64;
/// The supported version, and the bit that says that numbers are big-endian.
const VERSION: u8 = 3;
const BIG_ENDIAN: u8 = 0x80;
/// Prefix of the names of the fields.
const PREFIX: &str = ".pacct.";
/// Offset of the command, the last field.
const COMMAND_AT: usize = 48;
/// 32-bit numbers, with their offsets.
const WORDS: [(&str, usize); 5] =
    [("ac_exitcode", 4), ("ac_uid", 8), ("ac_gid", 12), ("ac_pid", 16), ("ac_ppid", 20)];
/// Times in the kernel's short floating-point format: 13 bits of mantissa, and 3 bits of exponent to the base
/// 8.
const TIMES: [(&str, usize); 2] = [("ac_utime", 32), ("ac_stime", 34)];
/// Other numbers in that format.
const COUNTS: [(&str, usize); 6] =
    [("ac_mem", 36), ("ac_io", 38), ("ac_rw", 40), ("ac_minflt", 42), ("ac_majflt", 44), ("ac_swaps", 46)];

/// Adds a record that lies in the received bytes of the batch.
pub fn push_accounting(batch: &mut Batch, raw: Span, pri: Priority, origin: u16) {
    let bytes = batch.received_bytes.clone();
    let record = bytes.get(raw.start()..raw.start() + raw.len()).unwrap_or_default();
    let mut message = Message::default();
    (message.raw, message.origin, message.pri) = (raw, origin, pri);
    (message.format, message.event) = (Format::Raw, batch.received);
    let record = match Record::read(record) {
        Ok(record) => record,
        Err(reason) => {
            message.text = batch.add_extra(reason.to_string().as_bytes());
            message.marks.add(Mark::ParseError);
            return batch.messages.push(message);
        }
    };
    let index = batch.len();
    batch.messages.push(message);
    let mut set = |name: &str, value: &[u8]| {
        let value = batch.add_extra(value);
        batch.set_value(index, &format!("{PREFIX}{name}"), value, ValueKind::String);
    };
    set("ac_flag", format!("{:02x}", record.bytes[0]).as_bytes());
    set("ac_tty", record.half(2).to_string().as_bytes());
    WORDS.iter().for_each(|(name, at)| set(name, record.word(*at).to_string().as_bytes()));
    set("ac_btime", format!("{}.00", record.word(24)).as_bytes());
    set("ac_etime", format!("{:9.2}", f32::from_bits(record.word(28))).as_bytes());
    TIMES.iter().for_each(|(name, at)| set(name, format!("{}.00", record.short_float(*at)).as_bytes()));
    COUNTS.iter().for_each(|(name, at)| set(name, record.short_float(*at).to_string().as_bytes()));
    set("ac_comm", record.command());
}

/// The reasons why bytes are not a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AccountingError {
    Size(usize),
    Version(u8),
}

impl std::fmt::Display for AccountingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AccountingError::Size(size) => {
                write!(f, "a record of process accounting has {ACCOUNTING_BYTES} bytes, this one {size}")
            }
            AccountingError::Version(version) => write!(
                f,
                "only version {VERSION} of process accounting is read, this record is of version {version}"
            ),
        }
    }
}

/// A record of the supported version.
struct Record<'a> {
    bytes: &'a [u8; ACCOUNTING_BYTES],
    is_big_endian: bool,
}

impl Record<'_> {
    fn read(bytes: &[u8]) -> Result<Record<'_>, AccountingError> {
        let size = bytes.len();
        let bytes = bytes.try_into().map_err(|_| AccountingError::Size(size))?;
        let record: Record = Record { bytes, is_big_endian: bytes[1] & BIG_ENDIAN != 0 };
        match bytes[1] & !BIG_ENDIAN {
            VERSION => Ok(record),
            version => Err(AccountingError::Version(version)),
        }
    }

    fn half(&self, at: usize) -> u16 {
        let bytes = [self.bytes[at], self.bytes[at + 1]];
        if self.is_big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
    }

    fn word(&self, at: usize) -> u32 {
        let (first, second) = (u32::from(self.half(at)), u32::from(self.half(at + 2)));
        if self.is_big_endian { (first << 16) + second } else { (second << 16) + first }
    }

    fn short_float(&self, at: usize) -> u64 {
        let half = u64::from(self.half(at));
        (half & 0x1fff) << ((half >> 13) * 3)
    }

    /// Returns the name of the command: its field up to a NUL, or the whole field.
    fn command(&self) -> &[u8] {
        let name = &self.bytes[COMMAND_AT..];
        &name[..memchr::memchr(0, name).unwrap_or(name.len())]
    }
}

#[cfg(test)]
mod tests;
