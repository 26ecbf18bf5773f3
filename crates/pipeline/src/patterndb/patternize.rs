//! Finds patterns in logs: lines that share most of their words are one pattern, the other words are its values.
//!
//! In: the texts of messages. Out: clusters of lines with their common words. A word is frequent when it is at
//! its position in enough lines; lines with the same frequent words and delimiters are a cluster (SLCT, R. Vaarandi).
//! Holds: counts of words while it runs. Limits: [`WORDS_MAX`] words per line; the rest is one word.

use std::collections::{HashMap, HashSet};

/// Most words of a line.
const WORDS_MAX: usize = 512;

/// Options for finding patterns.
#[derive(Clone, PartialEq, Debug)]
pub struct PatternizeOptions {
    /// Percentage of the lines that a word and a cluster must have.
    pub support_percent: f64,
    /// True when lines without a cluster are compared once more, with each other.
    pub outliers: bool,
    /// Characters between words.
    pub delimiters: String,
    /// Most lines that are kept of a cluster.
    pub samples: usize,
}

/// How the differing words of a pattern are named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueNames {
    /// By number: `.dict.string0`.
    Numbered,
    /// Not at all: their values are not stored.
    Unnamed,
}

/// Lines of one pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cluster {
    /// Its words; none where they differ.
    words: Vec<Option<String>>,
    /// The delimiters between them.
    delimiters: Vec<char>,
    /// Number of lines.
    pub support: usize,
    /// Some of the lines.
    pub samples: Vec<String>,
}

impl Cluster {
    /// Returns the pattern, with at signs escaped. Differing words are values; the last one is left out, because it has no delimiter: a pattern also matches the beginning of a text.
    pub fn pattern(&self, names: ValueNames) -> String {
        let mut pattern = String::new();
        let mut values = 0;
        for (place, word) in self.words.iter().enumerate() {
            let delimiter = self.delimiters.get(place);
            match (word, delimiter) {
                (Some(word), _) => {
                    pattern.push_str(&word.replace('@', "@@"));
                    pattern.extend(delimiter.map(|delimiter| match delimiter {
                        '@' => "@@".to_owned(),
                        other => other.to_string(),
                    }));
                }
                (None, Some(delimiter)) => {
                    let name = match names {
                        ValueNames::Numbered => format!(".dict.string{values}"),
                        ValueNames::Unnamed => String::new(),
                    };
                    values += 1;
                    pattern.push_str(&format!("@ESTRING:{name}:{delimiter}@"));
                }
                (None, None) => {}
            }
        }
        pattern
    }
}

/// Returns the clusters of some lines, in the order in which they first appear.
pub fn patternize(lines: &[String], options: &PatternizeOptions) -> Vec<Cluster> {
    let mut clusters = Vec::new();
    let mut left: Vec<&String> = lines.iter().collect();
    loop {
        let support = (left.len() as f64 * options.support_percent / 100.0) as usize;
        let (found, outliers) = step(&left, support, options);
        let done = found.is_empty() || !options.outliers || outliers.is_empty();
        clusters.extend(found);
        if done {
            return clusters;
        }
        left = outliers;
    }
}

/// Returns the clusters of some lines, and the lines that are in none.
fn step<'l>(
    lines: &[&'l String],
    support: usize,
    options: &PatternizeOptions,
) -> (Vec<Cluster>, Vec<&'l String>) {
    let split: Vec<Vec<&str>> = lines.iter().map(|line| words(line, &options.delimiters)).collect();
    let mut counts: HashMap<(usize, &str), usize> = HashMap::new();
    for words in &split {
        words.iter().enumerate().for_each(|key| *counts.entry((key.0, *key.1)).or_default() += 1);
    }
    let frequent: HashSet<(usize, &str)> =
        counts.into_iter().filter(|(_, count)| *count >= support).map(|(key, _)| key).collect();
    let mut places: HashMap<(Vec<Option<&str>>, Vec<char>), usize> = HashMap::new();
    let mut clusters: Vec<(Cluster, Vec<&'l String>)> = Vec::new();
    let mut outliers = Vec::new();
    for (line, words) in lines.iter().zip(&split) {
        let kept: Vec<Option<&str>> = words
            .iter()
            .enumerate()
            .map(|key| frequent.contains(&(key.0, *key.1)).then_some(*key.1))
            .collect();
        if kept.iter().all(Option::is_none) {
            outliers.push(*line);
            continue;
        }
        let delimiters: Vec<char> =
            line.chars().filter(|c| options.delimiters.contains(*c)).take(words.len() - 1).collect();
        let place = *places.entry((kept.clone(), delimiters.clone())).or_insert_with(|| {
            let words = kept.iter().map(|word| word.map(str::to_owned)).collect();
            clusters.push((Cluster { words, delimiters, support: 0, samples: Vec::new() }, Vec::new()));
            clusters.len() - 1
        });
        let (cluster, members) = &mut clusters[place];
        cluster.support += 1;
        members.push(*line);
        if cluster.samples.len() < options.samples {
            cluster.samples.push((*line).clone());
        }
    }
    let (kept, small): (Vec<_>, Vec<_>) =
        clusters.into_iter().partition(|(cluster, _)| cluster.support >= support);
    outliers.extend(small.into_iter().flat_map(|(_, members)| members));
    (kept.into_iter().map(|(cluster, _)| cluster).collect(), outliers)
}

fn words<'l>(line: &'l str, delimiters: &str) -> Vec<&'l str> {
    line.splitn(WORDS_MAX, |c| delimiters.contains(c)).collect()
}
