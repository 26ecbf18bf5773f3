//! Resolves the pipes of a query, and determines the columns that each produces.
//!
//! In: commands as written. Out: stages, or an error with its position. A field that no message has is not an
//! error; a column that a table does not have is, because it never will.

use super::{
    GroupBy, Of, Pipes, Shape, Stage,
    columns::{PATTERN_COLUMNS, TIME, change, earlier},
    name::Name,
};
use crate::{
    condition::{Condition, compile::compile as compile_condition},
    language::{
        error::{Hint, QueryError},
        fields::column_name,
        tree::{Command, Function, Pipe, PipeName},
    },
};
use regex::bytes::RegexBuilder;
use std::sync::Arc;

/// Most memory of an expression of `rex`.
const REGEX_BYTES_MAX: usize = 4 << 20;

/// Resolves pipes; `now_us` and `offset_s` as for the query.
pub(crate) fn compile(
    pipes: &[Pipe],
    now_us: i64,
    offset_s: i32,
    hints: &mut Vec<Hint>,
) -> Result<Pipes, QueryError> {
    let mut compiler = Compiler { now_us, offset_s, hints, stages: Vec::new(), columns: None };
    for pipe in pipes {
        let stage = compiler.stage(pipe)?;
        compiler.stages.push(stage);
    }
    Ok(Pipes { stages: compiler.stages, columns: compiler.columns })
}

struct Compiler<'a> {
    now_us: i64,
    offset_s: i32,
    hints: &'a mut Vec<Hint>,
    stages: Vec<Stage>,
    /// The columns so far; none while rows are messages.
    columns: Option<Vec<Name>>,
}

impl Compiler<'_> {
    fn stage(&mut self, pipe: &Pipe) -> Result<Stage, QueryError> {
        Ok(match &pipe.command {
            Command::Fields { names, drop: false } => self.keep_fields(names)?,
            Command::Fields { names, drop: true } => self.drop_fields(names)?,
            Command::Head(count) => Stage::Head(*count),
            Command::Sort(keys) => {
                let keys = keys.iter().map(|key| Ok((self.name(&key.name)?, key.descending)));
                Stage::Sort(keys.collect::<Result<_, QueryError>>()?)
            }
            Command::Dedup(names) => Stage::Dedup(self.names(names)?),
            Command::Top { count, names } => {
                let keys = self.names(names)?;
                let count_all = Of {
                    kind: crate::language::tree::FunctionKind::Count,
                    name: None,
                    shown: "count".into(),
                };
                let group = GroupBy {
                    keys,
                    functions: vec![count_all],
                    shape: Shape::Top { limit: *count as usize },
                };
                self.group(group, &["percent"])
            }
            Command::Stats { functions, by } => {
                let group = GroupBy {
                    keys: self.names(by)?,
                    functions: self.functions(functions)?,
                    shape: Shape::Stats,
                };
                self.group(group, &[])
            }
            Command::Timechart { span_us, functions, by } => {
                self.messages(pipe, "timechart")?;
                let shape =
                    Shape::Timechart { span_us: *span_us, offset_us: i64::from(self.offset_s) * 1_000_000 };
                let group = GroupBy { keys: self.names(by)?, functions: self.functions(functions)?, shape };
                self.group(group, &[])
            }
            Command::Rex { from, pattern } => self.rex(from, pattern)?,
            Command::Json(from) => {
                self.messages(pipe, "json")?;
                Stage::Json(Name::of(&from.name))
            }
            Command::Kv(from) => {
                self.messages(pipe, "kv")?;
                Stage::Kv(Name::of(&from.name))
            }
            Command::Where(node) => {
                let condition = compile_condition(node, self.now_us, self.offset_s, self.hints)?;
                if self.columns.is_some() {
                    self.check_condition(&condition, pipe)?;
                }
                Stage::Where(Arc::new(condition))
            }
            Command::Context { before, after } => {
                self.messages(pipe, "context")?;
                Stage::Context { before: *before as usize, after: *after as usize }
            }
            Command::Patterns(limit) => {
                self.messages(pipe, "patterns")?;
                self.columns = Some(PATTERN_COLUMNS.iter().map(|name| Name::made(name)).collect());
                Stage::Patterns { limit: *limit as usize }
            }
            Command::Diff { earlier_us } => self.diff(pipe, *earlier_us)?,
        })
    }

    fn group(&mut self, group: GroupBy, more: &[&str]) -> Stage {
        let mut columns = match group.shape {
            Shape::Timechart { .. } => vec![Name::made(TIME)],
            _ => Vec::new(),
        };
        columns.extend(group.keys.iter().map(Name::in_table));
        columns.extend(group.functions.iter().map(|function| Name::made(&function.shown)));
        columns.extend(more.iter().map(|name| Name::made(name)));
        self.columns = Some(columns);
        Stage::Group(Arc::new(group))
    }

    fn keep_fields(&mut self, names: &[PipeName]) -> Result<Stage, QueryError> {
        let names = self.names(names)?;
        self.columns = Some(names.clone());
        Ok(Stage::Fields { names, drop: false })
    }

    fn drop_fields(&mut self, names: &[PipeName]) -> Result<Stage, QueryError> {
        let names = self.names(names)?;
        if let Some(columns) = &mut self.columns {
            columns.retain(|column| !names.contains(column));
        }
        Ok(Stage::Fields { names, drop: true })
    }

    fn rex(&mut self, from: &PipeName, pattern: &PipeName) -> Result<Stage, QueryError> {
        let place = pattern.place;
        let wrong = |message: String, remedy: &str| {
            QueryError::new(place.start, place.end - place.start, message, remedy)
        };
        let from = self.name(from)?;
        let regex = RegexBuilder::new(&pattern.name).size_limit(REGEX_BYTES_MAX).build();
        let regex = regex.map_err(|error| {
            let text = error.to_string();
            let cause = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            wrong(format!("the expression cannot be read: {cause}"), "write it as the regex crate wants it")
        })?;
        let names: Vec<Name> = regex.capture_names().flatten().map(Name::of).collect();
        if names.is_empty() {
            let remedy = "name what is to become a field: (?<user>\\w+)";
            return Err(wrong("the expression names no group".to_owned(), remedy));
        }
        if let Some(columns) = &mut self.columns {
            let new: Vec<Name> = names.into_iter().filter(|name| !columns.contains(name)).collect();
            columns.extend(new);
        }
        Ok(Stage::Rex { from, regex })
    }

    fn diff(&mut self, pipe: &Pipe, earlier_us: i64) -> Result<Stage, QueryError> {
        let (keys, values): (Vec<Name>, Vec<String>) = match self.stages.last() {
            Some(Stage::Group(group)) => {
                let time = matches!(group.shape, Shape::Timechart { .. }).then(|| Name::made(TIME));
                let keys = time.into_iter().chain(group.keys.iter().map(Name::in_table)).collect();
                (keys, group.functions.iter().map(|function| function.shown.clone()).collect())
            }
            Some(Stage::Patterns { .. }) => {
                (vec![Name::made(PATTERN_COLUMNS[0])], vec![PATTERN_COLUMNS[1].to_owned()])
            }
            _ => {
                let remedy = "put it right behind stats, top, timechart or patterns";
                return Err(error(pipe, "diff has no table to compare", remedy));
            }
        };
        let mut columns = keys.clone();
        for value in &values {
            columns.extend([value.clone(), earlier(value), change(value)].map(|n| Name::made(&n)));
        }
        self.columns = Some(columns);
        Ok(Stage::Diff { earlier_us, keys, values })
    }

    fn functions(&self, functions: &[Function]) -> Result<Vec<Of>, QueryError> {
        let of = |function: &Function| {
            let name = function.of.as_ref().map(|name| self.name(name)).transpose()?;
            Ok(Of { kind: function.kind, name, shown: function.shown.clone() })
        };
        functions.iter().map(of).collect()
    }

    fn names(&self, names: &[PipeName]) -> Result<Vec<Name>, QueryError> {
        names.iter().map(|name| self.name(name)).collect()
    }

    /// The meaning of a name, which must be a column once rows are those of a table.
    fn name(&self, name: &PipeName) -> Result<Name, QueryError> {
        let meant = Name::of(&name.name);
        match &self.columns {
            None => Ok(meant),
            Some(columns) => match columns.iter().find(|column| column.shown() == meant.shown()) {
                Some(column) => Ok(column.clone()),
                None => {
                    let place = name.place;
                    let message = format!("the table has no column {}", name.name);
                    Err(QueryError::new(place.start, place.end - place.start, message, listed(columns)))
                }
            },
        }
    }

    /// Refuses conditions on columns that the table does not have.
    fn check_condition(&self, condition: &Condition, pipe: &Pipe) -> Result<(), QueryError> {
        match condition {
            Condition::And(members) | Condition::Or(members) => {
                members.iter().try_for_each(|member| self.check_condition(member, pipe))
            }
            Condition::Not(inner) => self.check_condition(inner, pipe),
            Condition::Value(column, _) => {
                let columns = self.columns.as_deref().unwrap_or_default();
                let name = column_name(column);
                match columns.iter().any(|known| known.shown() == name) {
                    true => Ok(()),
                    false => Err(error(pipe, &format!("the table has no column {name}"), &listed(columns))),
                }
            }
            _ => Ok(()),
        }
    }

    /// Refuses a command that reads messages when rows are those of a table.
    fn messages(&self, pipe: &Pipe, command: &str) -> Result<(), QueryError> {
        match self.columns {
            None => Ok(()),
            Some(_) => {
                let message = format!("{command} needs messages, and the command before makes a table");
                Err(error(pipe, &message, "put it before that command"))
            }
        }
    }
}

fn error(pipe: &Pipe, message: &str, remedy: &str) -> QueryError {
    QueryError::new(pipe.place.start, pipe.place.end - pipe.place.start, message, remedy)
}

fn listed(columns: &[Name]) -> String {
    let names: Vec<&str> = columns.iter().map(Name::shown).collect();
    format!("it has {}", names.join(", "))
}
