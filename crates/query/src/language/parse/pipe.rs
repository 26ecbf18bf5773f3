//! Parses the pipes after a query.
//!
//! In: the text from the first `|` on. Out: commands, or the first error with its position and a remedy.
//! Limits: [`PIPES_MAX`] pipes, [`NAMES_MAX`] names each.

use super::Parser;
use crate::language::{
    error::QueryError,
    times::parse_duration,
    tree::{Command, Function, FunctionKind, Operator, Pipe, PipeName, SortKey, TextRange},
};

/// Most pipes of a query.
pub(super) const PIPES_MAX: usize = 50;
/// Most names of one pipe.
const NAMES_MAX: usize = 100;
/// Rows of `head`, `top` and `terms` when none are named.
const FEW: u64 = 10;
/// Rows of `patterns` when none are named.
const PATTERNS: u64 = 100;
/// Most rows that `head`, `top`, `terms` and `patterns` accept: they are all in memory.
const ROWS_MAX: u64 = 100_000;
/// Most neighbours on one side.
const NEIGHBOURS_MAX: u64 = 1_000;

const NAMES: &[&str] = &[
    "context",
    "dedup",
    "diff",
    "fields",
    "head",
    "json",
    "kv",
    "patterns",
    "rex",
    "sort",
    "stats",
    "terms",
    "timechart",
    "top",
    "where",
];

impl Parser {
    /// The pipes up to the end of the text.
    pub(super) fn pipes(&mut self) -> Result<Vec<Pipe>, QueryError> {
        let mut pipes = Vec::new();
        while self.cursor.peek() == Some('|') {
            let bar = self.cursor.position();
            self.cursor.advance(1);
            if pipes.len() == PIPES_MAX {
                let message = format!("more than {PIPES_MAX} pipes");
                return Err(QueryError::new(bar, 1, message, "ask for less at once"));
            }
            let start = self.cursor.skip_blanks();
            let command = self.command(bar)?;
            let end = self.cursor.position();
            self.cursor.skip_blanks();
            if let Some(c) = self.cursor.peek().filter(|c| *c != '|') {
                let at = self.cursor.position();
                let remedy = "write | before the next command";
                return Err(QueryError::new(at, 1, format!("{c} cannot stand here"), remedy));
            }
            let text = self.cursor.slice(start, end).trim_end().to_owned();
            pipes.push(Pipe { place: TextRange { start, end: start + text.chars().count() }, text, command });
        }
        Ok(pipes)
    }

    fn command(&mut self, bar: usize) -> Result<Command, QueryError> {
        let Some(word) = self.pipe_word()? else {
            let remedy = format!("write one of {}", NAMES.join(", "));
            return Err(QueryError::new(bar, 1, "a command is missing after |", remedy));
        };
        match word.name.as_str() {
            "fields" => self.fields(&word),
            "head" => Ok(Command::Head(self.count(FEW, ROWS_MAX)?)),
            "sort" => self.sort(&word),
            "dedup" => Ok(Command::Dedup(self.some_names(&word)?)),
            "top" | "terms" => self.top(&word),
            "stats" => {
                let functions = self.functions()?;
                let by = self.by()?;
                if functions.is_empty() {
                    return Err(needs(&word, "a function", "stats count() by host"));
                }
                Ok(Command::Stats { functions, by })
            }
            "timechart" => self.timechart(),
            "rex" => self.rex(&word),
            "json" => Ok(Command::Json(self.read_field()?)),
            "kv" => Ok(Command::Kv(self.read_field()?)),
            "where" => self.condition(&word),
            "context" => {
                let before = self.count(5, NEIGHBOURS_MAX)?;
                Ok(Command::Context { before, after: self.count(before, NEIGHBOURS_MAX)? })
            }
            "patterns" => Ok(Command::Patterns(self.count(PATTERNS, ROWS_MAX)?)),
            "diff" => self.diff(&word),
            unknown => {
                let message = format!("there is no command {unknown}");
                Err(at(&word, message, format!("write one of {}", NAMES.join(", "))))
            }
        }
    }

    fn condition(&mut self, word: &PipeName) -> Result<Command, QueryError> {
        self.cursor.skip_blanks();
        if self.at_pipe_end() {
            return Err(needs(word, "a condition", "where count:>5"));
        }
        Ok(Command::Where(self.chain(Operator::Or)?))
    }

    fn fields(&mut self, word: &PipeName) -> Result<Command, QueryError> {
        self.cursor.skip_blanks();
        let drop =
            self.cursor.peek() == Some('-') && self.cursor.peek_at(1).is_none_or(|next| next.is_whitespace());
        if drop {
            self.cursor.advance(1);
        }
        Ok(Command::Fields { names: self.some_names(word)?, drop })
    }

    fn sort(&mut self, word: &PipeName) -> Result<Command, QueryError> {
        let mut keys: Vec<SortKey> = Vec::new();
        for mut name in self.some_names(word)? {
            match (name.name.as_str(), keys.last_mut()) {
                ("desc", Some(key)) => key.descending = true,
                ("asc", Some(key)) => key.descending = false,
                _ => {
                    let descending = name.name.starts_with('-');
                    if descending || name.name.starts_with('+') {
                        name.name.remove(0);
                    }
                    keys.push(SortKey { name, descending });
                }
            }
        }
        Ok(Command::Sort(keys))
    }

    fn top(&mut self, word: &PipeName) -> Result<Command, QueryError> {
        let mut count = FEW;
        let mut names = Vec::new();
        for name in self.some_names(word)? {
            match name.name.parse::<u64>() {
                Ok(number) => count = bounded(&name, number, ROWS_MAX)?,
                Err(_) if name.name == "by" => {}
                Err(_) => names.push(name),
            }
        }
        match names.is_empty() {
            true => Err(needs(word, "the name of a field", "top 20 host")),
            false => Ok(Command::Top { count, names }),
        }
    }

    fn timechart(&mut self) -> Result<Command, QueryError> {
        let before = self.cursor.position();
        let mut span_us = None;
        if let Some(word) = self.pipe_word()? {
            let text = if word.name == "span" && self.cursor.eat('=') {
                self.pipe_word()?.unwrap_or_else(|| word.clone())
            } else {
                word
            };
            if text.name.starts_with(|c: char| c.is_ascii_digit()) {
                span_us = Some(duration(&text)?);
            } else {
                self.cursor.back_to(before);
            }
        }
        let mut functions = self.functions()?;
        if functions.is_empty() {
            functions.push(Function { kind: FunctionKind::Count, of: None, shown: "count".to_owned() });
        }
        Ok(Command::Timechart { span_us, functions, by: self.by()? })
    }

    fn rex(&mut self, word: &PipeName) -> Result<Command, QueryError> {
        let mut from = message(word.place);
        let before = self.cursor.position();
        match self.pipe_word()? {
            Some(name) if name.name == "field" && self.cursor.eat('=') => {
                from = self.pipe_word()?.ok_or_else(|| needs(word, "a name after field=", REX))?;
            }
            _ => self.cursor.back_to(before),
        }
        let start = self.cursor.skip_blanks();
        let pattern = match self.cursor.peek() {
            Some(quote @ ('"' | '/')) => self.between(quote)?,
            _ => return Err(needs(word, "an expression in quotes", REX)),
        };
        let pattern = PipeName { name: pattern, place: self.cursor.place_from(start) };
        Ok(Command::Rex { from, pattern })
    }

    /// Text between two of the same character; a backslash keeps its meaning for the expression, except before the
    /// character itself.
    fn between(&mut self, quote: char) -> Result<String, QueryError> {
        let start = self.cursor.position();
        self.cursor.advance(1);
        let mut text = String::new();
        loop {
            match self.cursor.next() {
                Some(c) if c == quote => return Ok(text),
                Some('\\') if self.cursor.peek() == Some(quote) => {
                    text.push(quote);
                    self.cursor.advance(1);
                }
                Some('\\') => {
                    text.push('\\');
                    text.extend(self.cursor.next());
                }
                Some(c) => text.push(c),
                None => {
                    let message = format!("missing {quote} that ends the expression");
                    return Err(QueryError::new(start, 1, message, format!("add {quote} at its end")));
                }
            }
        }
    }

    fn diff(&mut self, word: &PipeName) -> Result<Command, QueryError> {
        let mut text = self.pipe_word()?;
        if text.as_ref().is_some_and(|text| text.name == "earlier") {
            self.cursor.skip_blanks();
            self.cursor.eat('=');
            text = self.pipe_word()?;
        }
        match text {
            Some(text) => Ok(Command::Diff { earlier_us: duration(&text)? }),
            None => Err(needs(word, "a duration", "diff earlier=1h")),
        }
    }

    /// The field that `json` and `kv` read.
    fn read_field(&mut self) -> Result<PipeName, QueryError> {
        let here = self.cursor.place_from(self.cursor.position());
        let before = self.cursor.position();
        match self.pipe_word()? {
            Some(word) if word.name == "field" && self.cursor.eat('=') => {
                self.pipe_word()?.ok_or_else(|| needs(&word, "a name", "json field=message"))
            }
            Some(word) => Ok(word),
            None => {
                self.cursor.back_to(before);
                Ok(message(here))
            }
        }
    }

    fn functions(&mut self) -> Result<Vec<Function>, QueryError> {
        let mut functions: Vec<Function> = Vec::new();
        loop {
            self.cursor.skip_blanks();
            self.cursor.eat(',');
            let before = self.cursor.position();
            let Some(word) = self.pipe_word()? else { return Ok(functions) };
            if word.name == "by" {
                self.cursor.back_to(before);
                return Ok(functions);
            }
            if word.name == "as" {
                let renamed = self.pipe_word()?.ok_or_else(|| needs(&word, "a name", "count() as n"))?;
                let last = functions.last_mut().ok_or_else(|| needs(&word, "a function before", STATS))?;
                last.shown = renamed.name;
                continue;
            }
            functions.push(self.function(&word)?);
            if functions.len() > NAMES_MAX {
                return Err(at(&word, format!("more than {NAMES_MAX} functions"), "ask for less at once"));
            }
        }
    }

    fn function(&mut self, word: &PipeName) -> Result<Function, QueryError> {
        let kind = function_kind(&word.name).ok_or_else(|| {
            let message = format!("there is no function {}", word.name);
            at(word, message, "use count, sum, avg, min, max, p50 to p99, or distinct")
        })?;
        let mut of = None;
        if self.cursor.eat('(') {
            of = self.pipe_word()?;
            self.cursor.skip_blanks();
            if !self.cursor.eat(')') {
                return Err(at(word, "missing ) after the function's field", STATS));
            }
        }
        if of.is_none() && kind != FunctionKind::Count {
            return Err(needs(word, "the name of a field", &format!("{}(bytes)", word.name)));
        }
        let shown = match &of {
            None => word.name.clone(),
            Some(of) => format!("{}({})", word.name, of.name),
        };
        Ok(Function { kind, of, shown })
    }

    fn by(&mut self) -> Result<Vec<PipeName>, QueryError> {
        match self.pipe_word()? {
            Some(word) => self.some_names(&word),
            None => Ok(Vec::new()),
        }
    }

    /// At least one name, up to the end of the pipe.
    fn some_names(&mut self, word: &PipeName) -> Result<Vec<PipeName>, QueryError> {
        let mut names = Vec::new();
        loop {
            self.cursor.skip_blanks();
            self.cursor.eat(',');
            let Some(name) = self.pipe_word()? else { break };
            names.push(name);
            if names.len() > NAMES_MAX {
                return Err(at(word, format!("more than {NAMES_MAX} names"), "ask for less at once"));
            }
        }
        match names.is_empty() {
            true => Err(needs(word, "the name of a field", &format!("{} host", word.name))),
            false => Ok(names),
        }
    }

    /// A number, if one follows.
    fn count(&mut self, otherwise: u64, most: u64) -> Result<u64, QueryError> {
        let Some(word) = self.pipe_word()? else { return Ok(otherwise) };
        match word.name.parse::<u64>() {
            Ok(number) => bounded(&word, number, most),
            Err(_) => Err(at(&word, format!("{} is no number", word.name), "write a whole number")),
        }
    }

    fn at_pipe_end(&self) -> bool {
        matches!(self.cursor.peek(), None | Some('|'))
    }

    /// The next word or quoted text of a pipe; none at its end.
    fn pipe_word(&mut self) -> Result<Option<PipeName>, QueryError> {
        let start = self.cursor.skip_blanks();
        let mut name = String::new();
        match self.cursor.peek() {
            Some('"') => name = self.between('"')?,
            _ => {
                while let Some(c) = self.cursor.peek() {
                    if c.is_whitespace() || matches!(c, '|' | ',' | '(' | ')' | '=' | '"') {
                        break;
                    }
                    self.cursor.advance(1);
                    match c {
                        '\\' => name.push(self.cursor.escaped()?),
                        c => name.push(c),
                    }
                }
            }
        }
        let place = self.cursor.place_from(start);
        Ok((place.end > place.start).then_some(PipeName { name, place }))
    }
}

const REX: &str = "rex \"user=(?<user>[a-z]+)\"";
const STATS: &str = "stats avg(bytes) as mean by host";

fn message(place: TextRange) -> PipeName {
    PipeName { name: "message".to_owned(), place: TextRange { start: place.start, end: place.start } }
}

fn at(word: &PipeName, message: impl Into<String>, remedy: impl Into<String>) -> QueryError {
    QueryError::new(word.place.start, word.place.end - word.place.start, message, remedy)
}

fn needs(word: &PipeName, what: &str, example: &str) -> QueryError {
    at(word, format!("{} needs {what}", word.name), format!("for example: | {example}"))
}

fn bounded(word: &PipeName, number: u64, most: u64) -> Result<u64, QueryError> {
    match number <= most {
        true => Ok(number),
        false => Err(at(word, format!("{number} is more than {most}"), format!("write {most} or less"))),
    }
}

fn duration(word: &PipeName) -> Result<i64, QueryError> {
    let us = parse_duration(&word.name).filter(|us| *us > 0);
    us.ok_or_else(|| at(word, format!("{} is no duration", word.name), "write 30s, 5m, 1h or 7d"))
}

fn function_kind(name: &str) -> Option<FunctionKind> {
    Some(match name {
        "count" => FunctionKind::Count,
        "sum" => FunctionKind::Sum,
        "avg" | "mean" => FunctionKind::Avg,
        "min" => FunctionKind::Min,
        "max" => FunctionKind::Max,
        "distinct" | "dc" => FunctionKind::Distinct,
        "median" => FunctionKind::Percentile(50),
        name => {
            let rank = name.strip_prefix('p')?.parse::<u8>().ok()?;
            FunctionKind::Percentile(Some(rank).filter(|rank| (1..=99).contains(rank))?)
        }
    })
}
