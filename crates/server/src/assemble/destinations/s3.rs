//! `s3()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing.
//! Limits: roles of Amazon are refused; so are names that no bucket or object can have.

use super::{
    batches::batches,
    brokers::endpoint::{answer_within, machine_tls},
    disk_buffer::is_reliable_alone,
};
use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::{Diagnostic, tree::Call};
use delivery::{Batches, DestinationDriver};
use message::Render;
use services::{
    AddressError, CHUNK_BYTES_MAX, CHUNK_BYTES_MIN, MultipartLimits, S3Checksum, S3Compression, S3Login,
    S3Receiver, S3Target, bucket_address, check_prefix,
};
use std::time::Duration;

const REGION: &str = "us-east-1";
const SUFFIX: &str = ".log";
const CONTENT_TYPE: &str = "application/octet-stream";
/// Messages of a batch: half of what a destination holds, so that one can be filled while another is stored.
const BATCH_LINES: usize = 25_000;
/// Bytes of a batch: half of what a disk buffer has in memory, for the same reason.
const BATCH_BYTES: usize = 8 << 20;
const WORKERS: usize = 4;
const COMPRESSION_LEVEL: u32 = 9;
/// Longest wait for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);
/// How long an object waits for more messages. A request costs the same for a small object as for a large one, and readers
/// want few large ones; with a disk buffer nobody waits for it.
const WAIT_ON_DISK: Duration = Duration::from_secs(300);
/// Without a disk buffer sources with flow control wait with it.
const WAIT_IN_MEMORY: Duration = Duration::from_secs(10);
/// Without a disk buffer a longer wait than this is worth a warning.
const WAIT_IN_MEMORY_MAX: Duration = Duration::from_secs(60);

/// How long an object of several parts grows, as in syslog-ng.
const OBJECT_GROWS: Duration = Duration::from_secs(3600);
/// How long a piece of such an object waits for more messages: a larger one is compressed better.
const WAIT_OF_PIECE: Duration = Duration::from_secs(60);
/// Most objects that grow at a time, as in syslog-ng, and the most that may be asked for.
const UPLOADS: usize = 32;
const UPLOADS_MAX: usize = 1000;

impl<'t> Lowering<'t> {
    /// Makes the receiver of `s3()`. It renders by itself: the template beside it only shows what it sends.
    pub(crate) fn s3(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let login = self.s3_login(options)?;
        let (address, bucket, region) = self.s3_address(options)?;
        let key_suffix = self.s3_suffix(options)?;
        let key = self.s3_key(options, &key_suffix)?;
        let key_timestamp = match options.own("object-key-timestamp") {
            Some(option) => {
                let template = self.named_or_text(option)?;
                Some(self.template_renderer(template, options))
            }
            None => None,
        };
        let text = match options.own("template") {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template("${MESSAGE}\n", options)?,
        };
        let shown = self.template_renderer(text.clone(), options);
        let (batches, multipart) = self.s3_batches(options);
        let level = options.own("compresslevel").and_then(Call::number);
        let target = S3Target {
            address,
            bucket,
            region,
            login,
            key,
            key_timestamp,
            key_suffix,
            text: self.template_renderer(text, options),
            compression: match options
                .own_text("compression")
                .map(|word| word.to_ascii_lowercase())
                .as_deref()
            {
                Some("yes" | "on" | "1" | "gzip") => S3Compression::Gzip,
                Some("zstd") => S3Compression::Zstd,
                _ => S3Compression::None,
            },
            compression_level: level.and_then(|level| u32::try_from(level).ok()).unwrap_or(COMPRESSION_LEVEL),
            headers: self.s3_headers(options)?,
            checksum: match own_word(options, "use-checksum").as_deref() {
                Some("when-required") => S3Checksum::NotSent,
                _ => S3Checksum::Sent,
            },
            timeout: answer_within(options, ANSWER_WITHIN),
            tls: self.encryption(options, "")?.unwrap_or_else(machine_tls),
            batches,
            multipart,
        };
        Some((DestinationDriver::Receiver(Box::new(S3Receiver::new(target))), shown))
    }

    /// Reads the keys. A role is refused: its keys expire, and are to be had over another service.
    pub(crate) fn s3_login(&mut self, options: &Options<'t>) -> Option<S3Login> {
        if let Some(role) = options.own("role").filter(|option| option.text() != Some("")) {
            let error = Diagnostic::error(role.span, "`role()` is not supported yet");
            let help = "access-key() and secret-key() of a user with access to the bucket";
            self.report.push(error.help(help));
            return None;
        }
        let own = |name: &str| options.own_text(name).unwrap_or_default();
        let login = S3Login {
            access_key: own("access-key"),
            secret_key: own("secret-key"),
            session_token: options.own_text("session-token").filter(|token| !token.is_empty()),
        };
        let is_key = |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
        let token = login.session_token.as_deref();
        if is_key(&login.access_key) && is_key(&login.secret_key) && token.is_none_or(is_key) {
            return Some(login);
        }
        let span = options.own("access-key").map_or(options.call.name.span, |option| option.span);
        let error = Diagnostic::error(span, "`s3()` needs the id of a key, and the key");
        self.report.push(
            error.help("access-key(\"ID\") secret-key(\"KEY\"), and session-token(\"TOKEN\") if they expire"),
        );
        None
    }

    /// Returns the URL of the bucket, its name and its region.
    pub(crate) fn s3_address(&mut self, options: &Options<'t>) -> Option<(String, String, String)> {
        let own = |name: &str| options.own_text(name).filter(|text| !text.is_empty());
        let (bucket, region) = (own("bucket").unwrap_or_default(), own("region"));
        let region = region.unwrap_or_else(|| REGION.to_owned());
        match bucket_address(own("url").as_deref(), &bucket, &region) {
            Ok(address) => Some((address, bucket, region)),
            Err(error) => {
                let option = match error {
                    AddressError::Bucket => "bucket",
                    AddressError::Region => "region",
                    AddressError::Url => "url",
                };
                let span = options.own(option).map_or(options.call.name.span, |option| option.span);
                self.report.push(Diagnostic::error(span, format!("`{option}()`: {error}")));
                None
            }
        }
    }

    fn s3_suffix(&mut self, options: &Options<'t>) -> Option<String> {
        let Some(option) = options.own("object-key-suffix") else { return Some(SUFFIX.to_owned()) };
        let suffix = option.text().unwrap_or_default();
        if suffix.contains(|c: char| c.is_control() || matches!(c, '/' | '\\')) {
            let message =
                "`object-key-suffix()` is the end of a name, without slashes and control characters";
            self.report.push(Diagnostic::error(option.span, message));
            return None;
        }
        Some(suffix.to_owned())
    }

    fn s3_key(&mut self, options: &Options<'t>, suffix: &str) -> Option<Box<dyn Render>> {
        let written = options.own("object-key")?;
        let template = self.named_or_text(written)?;
        let key = self.template_renderer(template, options);
        // The beginning of a template is that of its names.
        let known = key.constant().or_else(|| written.text().filter(|text| text.starts_with('/')));
        if let Some(error) = known.and_then(|prefix| check_prefix(prefix, suffix).err()) {
            self.report.push(Diagnostic::error(written.span, format!("`object-key()`: {error}")));
            return None;
        }
        Some(key)
    }

    /// Returns the headers of all objects.
    fn s3_headers(&mut self, options: &Options<'t>) -> Option<Vec<(&'static str, String)>> {
        let encryption = own_word(options, "server-side-encryption");
        let encryption =
            encryption.map(|word| if word == "aes256" { word.to_ascii_uppercase() } else { word });
        let kms_key = options.own_text("kms-key").filter(|key| !key.is_empty());
        let uses_kms = encryption.as_ref().is_some_and(|word| word.starts_with("aws:kms"));
        if let Some(option) = options.own("kms-key").filter(|_| kms_key.is_some() && !uses_kms) {
            let error =
                Diagnostic::error(option.span, "`kms-key()` is of an encryption that is not asked for");
            self.report.push(error.help("server-side-encryption(\"aws:kms\")"));
            return None;
        }
        let content_type = options.own_text("content-type").unwrap_or_else(|| CONTENT_TYPE.to_owned());
        let class =
            own_word(options, "storage-class").map(|word| word.replace('-', "_").to_ascii_uppercase());
        let headers = [
            ("content-type", "content-type", Some(content_type)),
            ("storage-class", "x-amz-storage-class", class),
            ("canned-acl", "x-amz-acl", own_word(options, "canned-acl")),
            ("server-side-encryption", "x-amz-server-side-encryption", encryption),
            ("kms-key", "x-amz-server-side-encryption-aws-kms-key-id", kms_key),
        ];
        let mut all = Vec::new();
        for (option, name, value) in headers {
            let Some(value) = value else { continue };
            if value.is_empty() || value.bytes().any(|byte| !matches!(byte, b' '..=b'~')) {
                let span = options.own(option).map_or(options.call.name.span, |option| option.span);
                let message = format!("`{option}()` is no value of a header");
                self.report.push(Diagnostic::error(span, message));
                return None;
            }
            all.push((name, value));
        }
        Some(all)
    }

    /// Returns the limits of a batch, and those of an object when it may be larger than one.
    fn s3_batches(&mut self, options: &Options<'t>) -> (Batches, Option<MultipartLimits>) {
        let written = batches(options, BATCH_LINES, BATCH_BYTES);
        let most = options.own("max-object-size").and_then(Call::number).map(i64::unsigned_abs);
        let is_larger = most.is_some_and(|most| most > written.bytes as u64);
        let multipart = match (most, is_reliable_alone(options)) {
            (Some(most), true) if is_larger => Some(self.s3_multipart(options, most)),
            _ => None,
        };
        if multipart.is_none() {
            self.refuse_parts(options, is_larger.then_some(written.bytes));
        }
        let most = most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
        let is_on_disk = options.own("disk-buffer").is_some();
        let default = if is_on_disk { WAIT_ON_DISK } else { WAIT_IN_MEMORY };
        let wait = match (options.own("batch-timeout"), &multipart) {
            (Some(_), _) => written.wait,
            (None, Some(limits)) => Some(WAIT_OF_PIECE.min(limits.wait)),
            (None, None) => Some(minutes(options, "flush-grace-period").unwrap_or(default)),
        };
        if let Some(wait) = wait.filter(|wait| *wait > WAIT_IN_MEMORY_MAX && !is_on_disk) {
            let message = format!(
                "without `disk-buffer()`, messages wait in memory for up to {} seconds, and with flow control their \
                 sources too",
                wait.as_secs()
            );
            let warning = Diagnostic::warning(options.call.name.span, message);
            self.report.push(warning.help("disk-buffer(capacity-bytes(1G) reliable(yes))"));
        }
        let workers = options.own("workers").map_or(WORKERS, |_| written.workers);
        (Batches { bytes: most.min(written.bytes), wait, workers, ..written }, multipart)
    }

    /// Returns the limits of objects of several parts.
    fn s3_multipart(&mut self, options: &Options<'t>, object_bytes_max: u64) -> MultipartLimits {
        let chunk_bytes =
            self.within(options, "chunk-size", (CHUNK_BYTES_MIN, CHUNK_BYTES_MAX, CHUNK_BYTES_MIN));
        let uploads_max = self.within(options, "max-pending-uploads", (1, UPLOADS_MAX, UPLOADS));
        let wait = minutes(options, "flush-grace-period").unwrap_or(OBJECT_GROWS);
        MultipartLimits { chunk_bytes, object_bytes_max, wait, uploads_max }
    }

    /// Returns a number between two others; one outside gets a warning.
    fn within(
        &mut self,
        options: &Options<'t>,
        name: &str,
        (least, most, default): (usize, usize, usize),
    ) -> usize {
        let Some(option) = options.own(name) else { return default };
        let written = option.number().map_or(default, |number| usize::try_from(number).unwrap_or(0));
        let taken = written.clamp(least, most);
        if taken != written {
            let message = format!("`{name}()` is from {least} to {most} here: {taken} is used");
            self.report.push(Diagnostic::warning(option.span, message));
        }
        taken
    }

    /// Warns of options of objects that are larger than a batch, when there are none. `batch_bytes` is set when larger ones are asked
    /// for.
    fn refuse_parts(&mut self, options: &Options<'t>, batch_bytes: Option<usize>) {
        if let (Some(bytes), Some(option)) = (batch_bytes, options.own("max-object-size")) {
            let message = format!(
                "without a disk buffer of its own that is reliable, objects have at most {bytes} bytes before they are \
                 compressed"
            );
            let warning = Diagnostic::warning(option.span, message);
            self.report.push(warning.help("disk-buffer(capacity-bytes(10G) reliable(yes))"));
        }
        for name in ["chunk-size", "max-pending-uploads"] {
            let Some(option) = options.own(name) else { continue };
            let message = format!("`{name}()` has no effect: no object is larger than a batch");
            let warning = Diagnostic::warning(option.span, message);
            self.report.push(warning.help(
                "max-object-size(1GiB) and disk-buffer(capacity-bytes(10G) reliable(yes)) make larger ones",
            ));
        }
    }
}

/// Returns the time of an option in minutes.
fn minutes(options: &Options<'_>, name: &str) -> Option<Duration> {
    let minutes = options.own(name).and_then(Call::number)?;
    Some(Duration::from_secs(minutes.unsigned_abs().saturating_mul(60)))
}

/// Returns the keyword of a driver's own option, in lower case with hyphens.
fn own_word(options: &Options<'_>, name: &str) -> Option<String> {
    options.own_text(name).map(|word| word.replace('_', "-").to_ascii_lowercase())
}
