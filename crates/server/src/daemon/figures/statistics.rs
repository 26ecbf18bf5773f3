//! Counters for readers: syslog-ng's CSV, its queries, and Prometheus text.
//!
//! In: the counters of all owners. Out: text. Holds nothing: every call reads the counters again.
//! The names are syslog-ng's, so that dashboards and scripts keep working; ours are additions.

use std::{borrow::Cow, fmt::Write};

/// One number with its names.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// `dst.file`, `source`, `filter`, ...
    pub(crate) component: String,
    /// Name of the statement, with the number of the driver.
    pub(crate) id: String,
    /// The file, address or table that is read or written.
    pub(crate) instance: String,
    /// `a` active, `o` orphaned.
    pub(crate) state: char,
    /// `processed`, `written`, `dropped`, ...
    pub(crate) kind: &'static str,
    /// The number.
    pub(crate) value: u64,
}

impl Figure {
    /// `dst.file.d_all#0./var/log/all.processed`
    fn name(&self) -> String {
        let parts = [&self.component, &self.id, &self.instance].into_iter().filter(|part| !part.is_empty());
        parts.map(String::as_str).chain([self.kind]).collect::<Vec<_>>().join(".")
    }

    /// Returns true if its name matches a pattern with `*` and `?`.
    pub(crate) fn is_like(&self, pattern: &str) -> bool {
        glob(pattern.as_bytes(), self.name().as_bytes())
    }
}

/// The messages that reached one destination or the router, and their outcomes.
pub(crate) struct Account {
    /// `dst.file;d_all#0;/var/log/all`
    pub(crate) name: String,
    /// Messages received.
    pub(crate) taken: u64,
    /// Numbers by outcome: written, queued, dropped by reason.
    pub(crate) parts: Vec<(&'static str, u64)>,
}

impl Account {
    /// Formats `name: 10 = 7 written + 3 queued`, and the difference if the sum is not equal.
    pub(crate) fn line(&self) -> String {
        let sum: u64 = self.parts.iter().map(|(_, count)| count).sum();
        let shown = |(name, count): &(&str, u64)| (*count > 0).then(|| format!("{count} {name}"));
        let parts: Vec<String> = self.parts.iter().filter_map(shown).collect();
        let parts = if parts.is_empty() { "0".to_owned() } else { parts.join(" + ") };
        let off = match i128::from(self.taken) - i128::from(sum) {
            0 => String::new(),
            off => format!(", off by {off}"),
        };
        format!("{}: {} = {parts}{off}\n", self.name, self.taken)
    }
}

/// Formats all figures as CSV, with syslog-ng's header.
pub(crate) fn csv(figures: &[Figure]) -> String {
    let mut text = String::from("SourceName;SourceId;SourceInstance;State;Type;Number\n");
    for figure in figures {
        let fields = [&figure.component, &figure.id, &figure.instance].map(|field| quoted(field));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{};{};{};{}", fields.join(";"), figure.state, figure.kind, figure.value);
    }
    text
}

/// Quotes a CSV field that contains a separator.
fn quoted(field: &str) -> String {
    if field.contains([';', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\\\""))
    } else {
        field.into()
    }
}

/// Lists the dotted names (`dst.file.d_all#0./var/log/all.processed`) that match a pattern with `*` and `?`.
pub(crate) fn names(figures: &[Figure], pattern: &str) -> String {
    let matching = figures.iter().filter(|figure| figure.is_like(pattern));
    matching.map(|figure| format!("{}\n", figure.name())).collect()
}

/// Lists the names that match a pattern, with their values.
pub(crate) fn names_and_values(figures: &[Figure], pattern: &str) -> String {
    let matching = figures.iter().filter(|figure| figure.is_like(pattern));
    matching.map(|figure| format!("{}={}\n", figure.name(), figure.value)).collect()
}

/// Adds up the matching figures, except times, whose sum is meaningless.
pub(crate) fn query_sum(figures: &[Figure], pattern: &str) -> u64 {
    let matching = figures.iter().filter(|figure| figure.kind != "stamp" && figure.is_like(pattern));
    matching.map(|figure| figure.value).sum()
}

/// Matches `*` with any run, `?` with any one byte. Backtracks to the last star only, so it is linear in
/// practice.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut read, mut star) = (0, 0, None);
    while read < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(&byte) if byte == b'?' || byte == text[read] => {
                at += 1;
                read += 1;
            }
            _ => match star {
                Some((before, from)) => {
                    (at, read) = (before + 1, from + 1);
                    star = Some((before, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// One Prometheus sample.
pub(crate) struct Sample {
    /// Name of the metric.
    pub(crate) name: Cow<'static, str>,
    /// `counter` or `gauge`.
    pub(crate) kind: &'static str,
    /// Labels in order.
    pub(crate) labels: Vec<(Cow<'static, str>, String)>,
    /// The number.
    pub(crate) value: f64,
}

/// Formats samples as Prometheus text, grouped by name.
pub(crate) fn prometheus(samples: &[Sample]) -> String {
    let mut names: Vec<&str> = Vec::new();
    samples.iter().for_each(|sample| {
        if !names.contains(&sample.name.as_ref()) {
            names.push(&sample.name);
        }
    });
    let mut text = String::new();
    for name in names {
        let group = samples.iter().filter(|sample| sample.name == name);
        for (index, sample) in group.enumerate() {
            // Clients add _total to the name of a counter that does not end in it: such a one is given without a type.
            let keeps_name = sample.kind != "counter" || name.ends_with("_total");
            if index == 0 && keeps_name {
                let _ = writeln!(text, "# TYPE {name} {}", sample.kind);
            }
            let labels: Vec<String> = sample
                .labels
                .iter()
                .map(|(label, value)| format!("{label}=\"{}\"", escaped(value)))
                .collect();
            let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
            let _ = writeln!(text, "{name}{labels} {}", sample.value);
        }
    }
    text
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    //! Rows for the texts.

    use super::*;

    fn figure(id: &str, instance: &str, value: u64) -> Figure {
        let (component, state, kind) = ("dst.file".to_owned(), 'a', "processed");
        Figure { component, id: id.into(), instance: instance.into(), state, kind, value }
    }

    #[test]
    fn adds_up() {
        let line = |taken, parts: &[(&'static str, u64)]| {
            Account { name: "d".into(), taken, parts: parts.to_vec() }.line()
        };
        assert_eq!(
            line(10, &[("written", 7), ("queued", 3), ("stopped", 0)]),
            "d: 10 = 7 written + 3 queued\n"
        );
        assert_eq!(line(0, &[("written", 0)]), "d: 0 = 0\n");
        assert_eq!(line(1, &[("written", 3)]), "d: 1 = 3 written, off by -2\n");
    }

    #[test]
    fn prints_csv() {
        let text = csv(&[figure("d#0", "/var/log/a;b", 7)]);
        assert_eq!(text.lines().nth(1), Some("dst.file;d#0;\"/var/log/a;b\";a;processed;7"));
    }

    #[test]
    fn finds_by_pattern() {
        let figures = [figure("d#0", "x", 1), figure("e#0", "", 2)];
        assert_eq!(
            names_and_values(&figures, "*dst.file*"),
            "dst.file.d#0.x.processed=1\ndst.file.e#0.processed=2\n"
        );
        assert_eq!(names(&figures, "dst.file.?#0.processed"), "dst.file.e#0.processed\n");
        assert_eq!(names_and_values(&figures, "nothing*"), "");
        assert_eq!(query_sum(&figures, "*"), 3);
        let stamp = Figure { kind: "stamp", ..figure("d#0", "x", 1_795_233_600) };
        assert_eq!(query_sum(&[stamp, figure("d#0", "x", 1)], "dst.file.*"), 1);
    }

    #[test]
    fn prints_prometheus() {
        let sample = |value: &str, number| Sample {
            name: "syslogng_x_total".into(),
            kind: "counter",
            labels: vec![("id".into(), value.to_owned())],
            value: number,
        };
        let text = prometheus(&[sample("a\"b", 1.0), sample("c", 2.5)]);
        let want = "# TYPE syslogng_x_total counter\nsyslogng_x_total{id=\"a\\\"b\"} 1\nsyslogng_x_total{id=\"c\"} 2.5\n";
        assert_eq!(text, want);
        let probe = Sample { name: "syslogng_probe".into(), kind: "counter", labels: Vec::new(), value: 3.0 };
        assert_eq!(prometheus(&[probe]), "syslogng_probe 3\n");
    }
}
