//! Parsers of a pattern, and the text that each matches: `@NUMBER:name@`, `@ESTRING:name: @`.
//!
//! In: the text between two at signs, once; the rest of a message, often. Out: how much of it the parser matches,
//! and which part of that is the value. Each matches at most one length: nothing is tried twice.
//! Holds: the parameter of the parser. Never allocates while it reads, never fails.
//! Limits: those of [`template::pattern`] for regular expressions; names of [`message::FIELD_NAME_BYTES_MAX`] bytes.

mod address;
mod number;

use memchr::memmem::Finder;
use message::{FIELD_NAME_BYTES_MAX, ValueKind};
use std::{fmt, ops::RangeInclusive};
use template::pattern::{Groups, Pattern, PatternError, PatternFlags, PatternKind};

/// The match of a parser: `length` bytes, of which `from..to` are the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScanMatch {
    pub(super) length: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl ScanMatch {
    fn whole(length: usize) -> ScanMatch {
        ScanMatch { length, from: 0, to: length }
    }
}

/// Error in a parser of a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ScannerError {
    /// A parser of that name does not exist.
    Unknown { name: String },
    /// The name of its value is longer than [`FIELD_NAME_BYTES_MAX`].
    Long { size: usize },
    /// Its parameter is missing.
    Parameter { parser: String },
    /// `NLSTRING` has a parameter.
    NoParameter,
    /// The parameter of `LLADDR` is no number of octets.
    Octets { text: String },
    /// `QSTRING` has no quotes.
    Quotes,
    /// The regular expression of `PCRE` does not compile.
    Pattern(PatternError),
}

impl fmt::Display for ScannerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScannerError::Unknown { name } => write!(f, "there is no parser {name}"),
            ScannerError::Long { size } => {
                write!(f, "name of {size} bytes is longer than {FIELD_NAME_BYTES_MAX}")
            }
            ScannerError::Parameter { parser } => {
                write!(f, "{parser} needs a parameter: @{parser}:name:parameter@")
            }
            ScannerError::NoParameter => f.write_str("NLSTRING takes no parameter"),
            ScannerError::Octets { text } => write!(f, "LLADDR takes a number of octets, not {text}"),
            ScannerError::Quotes => f.write_str("QSTRING needs one or two quotes: @QSTRING:name:\"@"),
            ScannerError::Pattern(error) => error.fmt(f),
        }
    }
}

/// One parser of a pattern.
#[derive(Debug)]
pub(super) struct Scanner {
    rule: ScanRule,
    /// Range of the first byte.
    first: RangeInclusive<u8>,
    /// Name of the type, as dumps show it.
    pub(super) type_name: &'static str,
    /// Name of the value with its prefix; empty when it is not stored.
    pub(super) name: String,
    /// The parameter as written: two parsers of equal type, name and parameter are one.
    param: Option<String>,
    /// Type of the value.
    pub(super) kind: ValueKind,
}

#[derive(Debug)]
enum ScanRule {
    /// Letters, digits and some other bytes.
    Word(ByteSet),
    /// Some bytes; perhaps none of them.
    Set {
        bytes: ByteSet,
        optional: bool,
    },
    /// All up to a byte, which is taken and not part of the value.
    UntilByte(u8),
    /// All up to a text, which is taken and not part of the value.
    UntilText(Box<Finder<'static>>),
    /// All up to the end of the line.
    Line,
    /// All.
    All,
    /// The text between a quote or bracket and the first one that closes it.
    Quoted(u8),
    Number,
    Float,
    Ipv4,
    Ipv6,
    Ip,
    /// Hexadecimal octets with colons, at most this number.
    Octets(usize),
    Hostname,
    /// An address of mail, perhaps within some bytes.
    Email(ByteSet),
    Expression(Box<Pattern>),
}

/// A set of bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ByteSet([u64; 4]);

impl ByteSet {
    fn of(bytes: &[u8]) -> ByteSet {
        let mut set = ByteSet([0; 4]);
        bytes.iter().for_each(|byte| set.0[usize::from(byte >> 6)] |= 1 << (byte & 63));
        set
    }

    #[inline]
    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// Returns the number of bytes at the start that are in the set.
    #[inline]
    fn run(&self, bytes: &[u8]) -> usize {
        bytes.iter().position(|byte| !self.has(*byte)).unwrap_or(bytes.len())
    }
}

const LETTERS_AND_DIGITS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Most octets of a link-layer address without a parameter: those of InfiniBand.
const OCTETS_MAX: usize = 20;

impl Scanner {
    /// Compiles `TYPE:name:param`, the text between two at signs.
    pub(super) fn parse(text: &str, prefix: &str) -> Result<Scanner, ScannerError> {
        let mut parts = text.splitn(3, ':');
        let type_name = parts.next().unwrap_or_default();
        let name = parts.next().unwrap_or_default();
        let param = parts.next();
        let (rule, first, type_name, kind) = compile(type_name, param)?;
        let name = if name.is_empty() { String::new() } else { format!("{prefix}{name}") };
        if name.len() > FIELD_NAME_BYTES_MAX {
            return Err(ScannerError::Long { size: name.len() });
        }
        Ok(Scanner { rule, first, type_name, name, param: param.map(str::to_owned), kind })
    }

    /// Returns true when two parsers always match the same and name it the same.
    pub(super) fn is_same(&self, other: &Scanner) -> bool {
        (self.type_name, &self.name, &self.param) == (other.type_name, &other.name, &other.param)
    }

    /// Matches as much as it can at the start of some bytes, which are not empty.
    #[inline]
    pub(super) fn take(&self, bytes: &[u8]) -> Option<ScanMatch> {
        if !self.first.contains(bytes.first()?) {
            return None;
        }
        match &self.rule {
            ScanRule::Word(set) => nonempty(set.run(bytes)),
            ScanRule::Set { bytes: set, optional } => {
                Some(set.run(bytes)).filter(|length| *length > 0 || *optional).map(ScanMatch::whole)
            }
            ScanRule::UntilByte(byte) => until(memchr::memchr(*byte, bytes)?, 1),
            ScanRule::UntilText(text) => until(text.find(bytes)?, text.needle().len()),
            ScanRule::Line => line(bytes).map(ScanMatch::whole),
            ScanRule::All => Some(ScanMatch::whole(bytes.len())),
            ScanRule::Quoted(quote) => inside(memchr::memchr(*quote, &bytes[1..])? + 2),
            ScanRule::Number => nonempty(number::whole(bytes)?),
            ScanRule::Float => nonempty(number::float(bytes)),
            ScanRule::Ipv4 => address::ipv4(bytes).map(ScanMatch::whole),
            ScanRule::Ipv6 => address::ipv6(bytes).map(ScanMatch::whole),
            ScanRule::Ip => address::ipv4(bytes).or_else(|| address::ipv6(bytes)).map(ScanMatch::whole),
            ScanRule::Octets(most) => address::octets(bytes, *most).map(ScanMatch::whole),
            ScanRule::Hostname => address::hostname(bytes).map(ScanMatch::whole),
            ScanRule::Email(around) => email(bytes, around),
            ScanRule::Expression(pattern) => expression(bytes, pattern),
        }
    }
}

type CompiledScanner = (ScanRule, RangeInclusive<u8>, &'static str, ValueKind);

fn compile(type_name: &str, param: Option<&str>) -> Result<CompiledScanner, ScannerError> {
    let bytes = param.unwrap_or_default().as_bytes();
    let required = |what: &str| match param {
        Some(_) => Ok(()),
        None => Err(ScannerError::Parameter { parser: what.to_owned() }),
    };
    let any = 0..=u8::MAX;
    let text = |rule, name| Ok((rule, any.clone(), name, ValueKind::String));
    match type_name {
        "STRING" => text(ScanRule::Word(ByteSet::of(&[LETTERS_AND_DIGITS, bytes].concat())), "STRING"),
        "ESTRING" => {
            required("ESTRING")?;
            match bytes {
                // Without a delimiter nothing ends the value.
                [] => text(ScanRule::All, "ESTRING"),
                [byte] => text(ScanRule::UntilByte(*byte), "ESTRING"),
                _ => text(ScanRule::UntilText(Box::new(Finder::new(bytes).into_owned())), "ESTRING"),
            }
        }
        "NLSTRING" if param.is_some() => Err(ScannerError::NoParameter),
        "NLSTRING" => text(ScanRule::Line, "NLSTRING"),
        "ANYSTRING" => text(ScanRule::All, "ANYSTRING"),
        "SET" | "OPTIONALSET" => {
            required(type_name)?;
            let optional = type_name == "OPTIONALSET";
            let rule = ScanRule::Set { bytes: ByteSet::of(bytes), optional };
            text(rule, if optional { "OPTIONALSET" } else { "SET" })
        }
        "NUMBER" => Ok((ScanRule::Number, b'-'..=b'9', "NUMBER", ValueKind::Integer)),
        "FLOAT" | "DOUBLE" => Ok((ScanRule::Float, b'-'..=b'9', "FLOAT", ValueKind::Double)),
        "IPv4" => Ok((ScanRule::Ipv4, b'0'..=b'9', "IPv4", ValueKind::String)),
        "IPv6" => text(ScanRule::Ipv6, "IPv6"),
        "IPvANY" => text(ScanRule::Ip, "IPvANY"),
        "MACADDR" => text(ScanRule::Octets(6), "MACADDR"),
        "LLADDR" => match param {
            None => text(ScanRule::Octets(OCTETS_MAX), "LLADDR"),
            Some(count) => match count.parse() {
                Ok(most @ 1..=255) => text(ScanRule::Octets(most), "LLADDR"),
                _ => Err(ScannerError::Octets { text: count.to_owned() }),
            },
        },
        "HOSTNAME" => text(ScanRule::Hostname, "HOSTNAME"),
        "EMAIL" => text(ScanRule::Email(ByteSet::of(bytes)), "EMAIL"),
        "PCRE" => {
            required("PCRE")?;
            let anchored = format!("\\A(?:{})", param.unwrap_or_default());
            let pattern = Pattern::compile(&anchored, PatternKind::Pcre, PatternFlags::default())
                .map_err(ScannerError::Pattern)?;
            text(ScanRule::Expression(Box::new(pattern)), "PCRE")
        }
        _ if type_name.starts_with("QSTRING") => {
            required("QSTRING")?;
            match bytes {
                [] => Err(ScannerError::Quotes),
                [open, close, ..] if open != close => {
                    Ok((ScanRule::Quoted(*close), *open..=*open, "QSTRING", ValueKind::String))
                }
                [quote, ..] => Ok((ScanRule::Quoted(*quote), *quote..=*quote, "QSTRING", ValueKind::String)),
            }
        }
        _ => Err(ScannerError::Unknown { name: type_name.to_owned() }),
    }
}

fn nonempty(length: usize) -> Option<ScanMatch> {
    (length > 0).then(|| ScanMatch::whole(length))
}

/// Makes a value that ends where a delimiter of some length starts.
fn until(end: usize, delimiter: usize) -> Option<ScanMatch> {
    Some(ScanMatch { length: end + delimiter, from: 0, to: end })
}

/// Makes a value within quotes; `length` counts them.
fn inside(length: usize) -> Option<ScanMatch> {
    Some(ScanMatch { length, from: 1, to: length - 1 })
}

/// Returns the length of the first line without its end, which must be there.
fn line(bytes: &[u8]) -> Option<usize> {
    let end = memchr::memchr(b'\n', bytes)?;
    Some(if end > 0 && bytes[end - 1] == b'\r' { end - 1 } else { end })
}

/// Matches a local part, `@`, and a host of at least two labels.
fn email(bytes: &[u8], around: &ByteSet) -> Option<ScanMatch> {
    const LOCAL: &[u8] = b"!#$%&'*+-/=?^_`{|}~.";
    let from = around.run(bytes);
    let address = &bytes[from..];
    let is_local = |byte: &u8| byte.is_ascii_alphanumeric() || LOCAL.contains(byte);
    let at = address.iter().position(|byte| !is_local(byte))?;
    let local = &address[..at];
    if address[at] != b'@' || local.first() == Some(&b'.') || local.last() == Some(&b'.') {
        return None;
    }
    let host = address::hostname(&address[at + 1..])?;
    let to = from + at + 1 + host;
    Some(ScanMatch { length: to + around.run(&bytes[to..]), from, to })
}

fn expression(bytes: &[u8], pattern: &Pattern) -> Option<ScanMatch> {
    let mut groups = Groups::default();
    if !pattern.find(bytes, 0, &mut groups) {
        return None;
    }
    groups.range(0).map(|(_, end)| ScanMatch::whole(end))
}
