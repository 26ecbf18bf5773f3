//! `hdfs()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing.
//! Limits: Kerberos is refused.

use crate::assemble::{
    destinations::{
        batches::batches,
        brokers::endpoint::{BATCH_BYTES, answer_within, machine_tls},
    },
    lowering::Lowering,
    options::driver::Options,
};
use config::{Diagnostic, tree::Call};
use delivery::{Batches, DestinationDriver};
use message::Render;
use services::{HdfsAppend, HdfsCompression, HdfsReceiver, HdfsTarget, name_node_address};
use std::time::Duration;

const USERNAME: &str = "duramen";
const NAME_BYTES_MAX: usize = 255;
const BATCH_LINES: usize = 10_000;
const COMPRESSION_LEVEL: u32 = 6;
/// Longest wait for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

impl<'t> Lowering<'t> {
    /// Makes the receiver of `hdfs()`. It renders by itself: the template beside it only shows what it sends.
    pub(crate) fn hdfs(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        for option in ["kerberos-principal", "kerberos-keytab-file"] {
            if let Some(kerberos) = options.own(option).filter(|option| option.text() != Some("")) {
                let message = format!("`{option}()`: Kerberos is not supported");
                let help = "let a gateway such as HttpFS or Knox authenticate, or write to a cluster without Kerberos with username()";
                self.report.push(Diagnostic::error(kerberos.span, message).help(help));
                return None;
            }
        }
        let name_nodes = self.hdfs_name_nodes(options)?;
        let file = self.hdfs_file(options)?;
        let archive = self.hdfs_archive(options)?;
        let text = match options.own("template") {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template("${ISODATE} ${HOST} ${MSGHDR}${MSG}\n", options)?,
        };
        let shown = self.template_renderer(text.clone(), options);
        let number = |name: &str| options.own(name).and_then(Call::number).filter(|number| *number > 0);
        let level = options.own("compresslevel").and_then(Call::number);
        let compression = options.own_text("compression").map(|word| word.to_ascii_lowercase());
        let target = HdfsTarget {
            name_nodes,
            username: options.own_text("username").unwrap_or_else(|| USERNAME.to_owned()),
            file,
            archive,
            name_bytes_max: number("hdfs-max-filename-length")
                .and_then(|most| usize::try_from(most).ok())
                .unwrap_or(NAME_BYTES_MAX),
            append: match options.own("hdfs-append-enabled").and_then(Call::truth) {
                Some(true) => HdfsAppend::Continue,
                _ => HdfsAppend::NewFiles,
            },
            file_bytes_max: number("max-file-size").map(i64::unsigned_abs),
            reap_after: number("time-reap").map(|seconds| Duration::from_secs(seconds.unsigned_abs())),
            text: self.template_renderer(text, options),
            compression: match compression.as_deref() {
                Some("yes" | "on" | "1" | "gzip") => HdfsCompression::Gzip,
                Some("zstd") => HdfsCompression::Zstd,
                _ => HdfsCompression::None,
            },
            compression_level: level.and_then(|level| u32::try_from(level).ok()).unwrap_or(COMPRESSION_LEVEL),
            timeout: answer_within(options, ANSWER_WITHIN),
            tls: self.encryption(options, "")?.unwrap_or_else(machine_tls),
            // A file of HDFS has one writer.
            batches: Batches { workers: 1, ..batches(options, BATCH_LINES, BATCH_BYTES) },
        };
        Some((DestinationDriver::Receiver(Box::new(HdfsReceiver::new(target))), shown))
    }

    fn hdfs_name_nodes(&mut self, options: &Options<'t>) -> Option<Vec<String>> {
        let mut addresses = Vec::new();
        for option in options.all("hdfs-uri") {
            for uri in option.texts() {
                match name_node_address(&uri) {
                    Ok(address) => {
                        if uri.starts_with("hdfs:") {
                            let message =
                                format!("`hdfs-uri()`: files are written over WebHDFS, at {address}");
                            let help = "write that address, or the one of another port";
                            self.report.push(Diagnostic::warning(option.span, message).help(help));
                        }
                        addresses.push(address);
                    }
                    Err(error) => {
                        self.report.push(Diagnostic::error(option.span, format!("`hdfs-uri()`: {error}")));
                        return None;
                    }
                }
            }
        }
        Some(addresses).filter(|addresses| !addresses.is_empty())
    }

    fn hdfs_file(&mut self, options: &Options<'t>) -> Option<Box<dyn Render>> {
        let written = options.own("hdfs-file")?;
        let template = self.named_or_text(written)?;
        let file = self.template_renderer(template, options);
        if file.constant().is_some_and(|path| !path.starts_with('/') || path.ends_with('/')) {
            let message = "`hdfs-file()` is the path of a file, from `/` on";
            self.report.push(Diagnostic::error(written.span, message));
            return None;
        }
        Some(file)
    }

    fn hdfs_archive(&mut self, options: &Options<'t>) -> Option<Option<String>> {
        let Some(written) = options.own("hdfs-archive-dir") else { return Some(None) };
        let path = written.text().unwrap_or_default();
        let is_path = path.starts_with('/')
            && !path.contains(|letter: char| letter.is_control() || letter == ':')
            && path.split('/').all(|part| !matches!(part, "." | ".."));
        if !is_path {
            let message = "`hdfs-archive-dir()` is the path of a folder, from `/` on";
            self.report.push(Diagnostic::error(written.span, message));
            return None;
        }
        Some(Some(path.to_owned()))
    }
}
