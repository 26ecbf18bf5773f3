//! Queries, one line of JSON each, and their answers.
//!
//! In: `{"finds": TREE, "hosts": false, "messages": true}`. Out: `{"total": n, "ms": t}`, or `{"cannot": why}`.
//! Limits: queries that need positions are refused if there are none.

use crate::{
    answer::{AnswerParts, Everything},
    error::{Error, Result},
    schema::{self, Fields, WORDS},
    words::Words,
};
use serde_json::{Value, json};
use std::{
    io::{BufRead, Write},
    path::Path,
    time::Instant,
};
use tantivy::{
    DocAddress, Index, Searcher, TantivyDocument, Term,
    query::{AllQuery, BooleanQuery, FuzzyTermQuery, Occur, PhraseQuery, Query, RegexQuery, TermQuery},
    schema::{FieldType, IndexRecordOption, Schema},
};

const THREADS: usize = 2;

/// Answers until there are no more queries.
pub(crate) fn run(folder: &Path) -> Result<()> {
    let mut index = Index::open_in_dir(folder)?;
    index.tokenizers().register(WORDS, Words::default());
    index.set_multithread_executor(THREADS)?;
    let searcher = index.reader()?.searcher();
    let asker =
        Asker { fields: schema::fields(&index.schema())?, has_positions: has_positions(&index.schema()) };
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let answer = match asker.query(&question["finds"]) {
            Ok(query) => answer(&searcher, query.as_ref(), &question)?,
            Err(why) => json!({ "cannot": why.to_string() }),
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// The exact count, 30 bars, the newest 200 messages as they were received; or the most common hosts.
fn answer(searcher: &Searcher, query: &dyn Query, question: &Value) -> Result<Value> {
    let start = Instant::now();
    let parts = AnswerParts { hosts: question["hosts"] == true, messages: question["messages"] == true };
    let found = searcher.search(query, &Everything { messages: searcher.num_docs(), parts })?;
    let mut bytes = 0;
    for (_, segment, document) in &found.newest {
        let document: TantivyDocument = searcher.doc(DocAddress::new(*segment, *document))?;
        bytes += document.len();
    }
    let ms = start.elapsed().as_secs_f64() * 1e3;
    Ok(json!({ "total": found.total, "ms": ms, "fields": bytes, "hosts": found.top_hosts() }))
}

struct Asker {
    fields: Fields,
    has_positions: bool,
}

impl Asker {
    /// Converts a tree of `{"word": w}`, `{"starts": w}`, ..., `{"all": [...]}`, `{"not": ...}`.
    fn query(&self, tree: &Value) -> Result<Box<dyn Query>> {
        if tree == "any" {
            return Ok(Box::new(AllQuery));
        }
        let (name, value) = tree.as_object().and_then(|tree| tree.iter().next()).ok_or("not a tree")?;
        let word = value.as_str().unwrap_or_default();
        let term = |word: &str| Term::from_field_text(self.fields.words, word);
        Ok(match name.as_str() {
            "word" => Box::new(TermQuery::new(term(word), IndexRecordOption::Basic)),
            "starts" => Box::new(RegexQuery::from_pattern(&format!("{word}.*"), self.fields.words)?),
            "ends" => Box::new(RegexQuery::from_pattern(&format!(".*{word}"), self.fields.words)?),
            "has" => Box::new(RegexQuery::from_pattern(&format!(".*{word}.*"), self.fields.words)?),
            "near" => Box::new(FuzzyTermQuery::new(term(word), 1, false)),
            "host" => Box::new(TermQuery::new(
                Term::from_field_text(self.fields.host, word),
                IndexRecordOption::Basic,
            )),
            "phrase" if !self.has_positions => return Err("it keeps no positions".into()),
            "phrase" => {
                let words = value.as_array().ok_or("a phrase is a list")?;
                Box::new(PhraseQuery::new(words.iter().filter_map(Value::as_str).map(term).collect()))
            }
            "all" => self.boolean(value, Occur::Must)?,
            "one" => self.boolean(value, Occur::Should)?,
            _ => return Err(Error::Unanswerable(format!("cannot ask for {name}"))),
        })
    }

    fn boolean(&self, parts: &Value, occur: Occur) -> Result<Box<dyn Query>> {
        let parts = parts.as_array().ok_or("not a list")?;
        let clause = |part: &Value| match part.get("not") {
            Some(part) => Ok((Occur::MustNot, self.query(part)?)),
            None => Ok((occur, self.query(part)?)),
        };
        Ok(Box::new(BooleanQuery::new(parts.iter().map(clause).collect::<Result<_>>()?)))
    }
}

fn has_positions(schema: &Schema) -> bool {
    let field = schema.get_field("words").map(|field| schema.get_field_entry(field).field_type());
    matches!(field, Ok(FieldType::Str(options))
        if options.get_indexing_options().is_some_and(|options| options.index_option().has_positions()))
}
