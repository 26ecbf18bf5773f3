//! `patterndb patternize`: a database made from logs.
//!
//! In: files of log lines. Out: a database on the standard output. Limits: the lines must fit into memory.

use super::matching::decoder;
use clap::Args;
use jiff::Zoned;
use message::{Ack, Batch, Field, Marks, Origin, Span, Stamp};
use pipeline::patterndb::{Cluster, PatternizeOptions, ValueNames, patternize};
use std::{
    fs, io,
    io::Read,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// Logfile to create pattern database from, use '-' for stdin
    #[arg(short, long)]
    file: Option<PathBuf>,
    /// Do not try to parse the input file, consider the whole lines as the message part of the log
    #[arg(short = 'p', long)]
    no_parse: bool,
    /// Percentage of lines that have to support a pattern
    #[arg(short = 'S', long, default_value_t = 4.0)]
    support: f64,
    /// Recursively iterate on the log lines that do not make it into a cluster in the previous step
    #[arg(short = 'o', long)]
    iterate_outliers: bool,
    /// Give the parsers a name in the patterns, eg.: .dict.string1, .dict.string2...
    #[arg(short, long)]
    named_parsers: bool,
    /// Set of characters based on which the log messages are tokenized
    #[arg(short, long, default_value = " :&~?![]=,;()'\"")]
    delimiters: String,
    /// Number of example lines to add for the patterns
    #[arg(long, default_value_t = 1)]
    samples: usize,
    /// More files
    files: Vec<PathBuf>,
    /// Say more
    #[arg(short, long, hide = true)]
    verbose: bool,
}

pub(super) fn run(options: &Options) -> ExitCode {
    let mut lines = Vec::new();
    let files: Vec<&PathBuf> = options.file.iter().chain(&options.files).collect();
    if files.is_empty() {
        errln!("Error adding log file as patternize input: No input file specified");
        return ExitCode::FAILURE;
    }
    for file in files {
        match read(file) {
            Ok(bytes) => lines.extend(messages(&bytes, options)),
            Err(error) => {
                errln!(
                    "Error adding log file as patternize input: Error opening input file {}: {error}",
                    file.display()
                );
                return ExitCode::FAILURE;
            }
        }
    }
    let delimiters = if options.delimiters.contains(' ') { "" } else { " " }.to_owned() + &options.delimiters;
    let how = PatternizeOptions {
        support_percent: options.support,
        outliers: options.iterate_outliers,
        delimiters,
        samples: options.samples,
    };
    out!("{}", database(&patternize(&lines, &how), options));
    ExitCode::SUCCESS
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    if file.as_os_str() != "-" {
        return fs::read(file);
    }
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The texts of messages.
fn messages(bytes: &[u8], options: &Options) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    if options.no_parse {
        return lines.map(text).collect();
    }
    let mut decoder = decoder();
    let message = |line: &[u8]| {
        let now = Stamp::known(jiff::Timestamp::now().as_microsecond(), 0);
        let mut batch =
            Batch::new(Arc::new(line.to_vec()), vec![Arc::new(Origin::default())], now, Ack::none());
        decoder.decode(&mut batch, Span::received(0, line.len()), Marks::NONE, 0);
        text(batch.fixed(0, Field::Message))
    };
    lines.map(message).collect()
}

fn database(clusters: &[Cluster], options: &Options) -> String {
    let names = if options.named_parsers { ValueNames::Numbered } else { ValueNames::Unnamed };
    let escape = |text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        text.replace('"', "&quot;").replace('\'', "&apos;")
    };
    let date = Zoned::now().strftime("%Y-%m-%d");
    let mut out = format!(
        "<patterndb version='6' pub_date='{date}'>\n  <ruleset name='patternize' id='{}'>\n    <rules>\n",
        identity()
    );
    for cluster in clusters {
        out.push_str(&format!(
            "      <rule id='{}' class='system' provider='patternize'>\n        <!-- support: {} -->\n        \
             <patterns>\n          <pattern>{}</pattern>\n        </patterns>\n",
            identity(),
            cluster.support,
            escape(&cluster.pattern(names))
        ));
        if !cluster.samples.is_empty() {
            out.push_str("        <examples>\n");
            for sample in &cluster.samples {
                out.push_str(&format!(
                    "            <example>\n                <test_message program='patternize'>{}</test_message>\n            </example>\n",
                    escape(sample)
                ));
            }
            out.push_str("        </examples>\n");
        }
        out.push_str("      </rule>\n");
    }
    out.push_str("    </rules>\n  </ruleset>\n</patterndb>\n");
    out
}

/// A random id in the form of a UUID.
fn identity() -> String {
    let mut bytes = [0u8; 16];
    // Without randomness ids are equal, which only merging would notice.
    let _ = getrandom::fill(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
