//! Drivers and options against the tables.
//!
//! In: calls. Out: an error for every driver and option that is unknown, does not fit or does not run yet; a
//! warning for every one that is old or has no effect.

use std::collections::{BTreeMap, BTreeSet};

use super::names::Names;
use crate::diagnostic::{Diagnostic, Report};
use crate::options::{self, Driver, Misfit, Plain, Row, Standing, ValueKind};
use crate::scl;
use crate::text::Span;
use crate::tree::{Arg, Call, Kind, Name, Template};
use crate::words::nearest;

pub(super) struct Calls<'a> {
    pub(super) names: &'a Names,
    /// The sets of ready-made blocks that are included.
    pub(super) includes: &'a BTreeSet<&'static str>,
    pub(super) report: &'a mut Report,
    /// `persist-name()` by kind and driver, and where it was given first.
    pub(super) persist_names: BTreeMap<(Kind, &'static str, String), Span>,
}

const TEMPLATE_OPTIONS: &[&[Row]] = &[&[
    Row {
        name: "template",
        kind: ValueKind::Template,
        default: "",
        standing: Standing::Honoured,
        help: "the text",
    },
    Row {
        name: "template-escape",
        kind: ValueKind::YesNo,
        default: "no",
        standing: Standing::Honoured,
        help: "escape quotes in values",
    },
]];

impl Calls<'_> {
    pub(super) fn global(&mut self, calls: &[Call]) {
        for call in calls {
            self.option(call, options::global(), "global option");
        }
    }

    pub(super) fn template(&mut self, template: &Template) {
        for call in &template.options {
            self.option(call, TEMPLATE_OPTIONS, "option of a template");
        }
        if !template.options.iter().any(|call| call.key() == "template") {
            let message = format!("template `{}` has no text", template.name.text);
            self.report.push(Diagnostic::error(template.name.span, message).help("add template(\"...\");"));
        }
    }

    /// Checks `parallelize(...)` in a path.
    pub(super) fn parallelize(&mut self, call: &Call) {
        if let Some(extra) = call.plain().next() {
            self.report.push(Diagnostic::error(extra.span(), "expected an option of parallelize()"));
        }
        for option in call.options() {
            self.option(option, options::parallelize(), "option of parallelize()");
        }
    }

    pub(super) fn not_yet(&mut self, name: &Name, noun: &str) {
        let message = format!("{noun} `{}` is not supported yet", name.text);
        self.report.push(Diagnostic::error(name.span, message).label("not supported yet"));
    }

    /// Checks one driver of an object.
    pub(super) fn driver(&mut self, kind: Kind, call: &Call) {
        let key = call.key();
        let noun = noun(kind);
        let Some(driver) = options::driver(kind, &key) else {
            if options::later(kind).contains(&key.as_str()) {
                let message = format!("{noun} `{}()` is not supported yet", call.name.text);
                let error = Diagnostic::error(call.name.span, message).label("not supported yet");
                self.report.push(match options::instead(kind, &key) {
                    Some(instead) => error.help(instead),
                    None => error,
                });
            } else {
                self.unknown_driver(kind, noun, call);
            }
            return;
        };
        self.plain(driver, call);
        self.persist_name(kind, driver, call);
        let what = format!("option of {}()", driver.name);
        for option in call.options() {
            if !self.is_typed_value(driver, option) {
                self.option(option, driver.options, &what);
            }
        }
        for required in driver.required {
            // An old spelling is the option, too.
            let is_written =
                |written: &Call| match options::row(driver.options, &written.key()).map(|row| row.standing) {
                    Some(Standing::Renamed(to)) => to == *required,
                    _ => written.key() == *required,
                };
            if !call.options().any(is_written) {
                let message = format!("`{}()` needs `{required}()`", call.name.text);
                self.report.push(Diagnostic::error(call.name.span, message));
            }
        }
    }

    /// Refuses a name that another driver has: both would keep one state, which syslog-ng refuses, too.
    fn persist_name(&mut self, kind: Kind, driver: &Driver, call: &Call) {
        let Some(option) = call.option("persist-name") else { return };
        let Some(name) = option.text().filter(|name| !name.is_empty()) else { return };
        let key = (kind, driver.name, name.to_owned());
        if let Some(first) = self.persist_names.insert(key, option.span) {
            let message = format!("persist-name `{name}` is used twice for {}()", driver.name);
            let diagnostic = Diagnostic::error(option.span, message).related(first, "first used here");
            self.report.push(diagnostic.help("give each driver a name of its own"));
        }
    }

    /// `set(int("5") value("n"))`: a value with a type where a template belongs.
    fn is_typed_value(&self, driver: &Driver, option: &Call) -> bool {
        let takes_template = matches!(driver.plain, Plain::One(_, ValueKind::Template));
        takes_template && crate::words::is_type(&option.key())
    }

    fn unknown_driver(&mut self, kind: Kind, noun: &str, call: &Call) {
        let known = options::drivers(kind).iter().map(|driver| driver.name);
        let diagnostic = Diagnostic::error(call.name.span, format!("unknown {noun} `{}()`", call.name.text));
        let set = scl::set_with(kind.word(), &call.key()).filter(|set| !self.includes.contains(set));
        if let Some(set) = set {
            let diagnostic = diagnostic.label("a ready-made block, not included");
            self.report.push(diagnostic.help(format!("add `@include \"{set}\"` behind the `@version` line")));
            return;
        }
        let kinds = [Kind::Source, Kind::Destination, Kind::Parser, Kind::Rewrite];
        let has = |kind: &Kind| options::drivers(*kind).iter().any(|driver| driver.name == call.key());
        if let Some(other) = kinds.into_iter().find(has) {
            self.report.push(diagnostic.label(format!("there is a {} of this name", other.word())));
            return;
        }
        self.report.push(
            match nearest(&call.key(), known.clone().chain(options::later(kind).iter().copied())) {
                Some(near) => diagnostic.label(format!("did you mean `{near}`?")),
                None if kind == Kind::Parser => diagnostic,
                None => diagnostic.help(format!("one of {}", known.collect::<Vec<_>>().join(", "))),
            },
        );
    }

    fn plain(&mut self, driver: &Driver, call: &Call) {
        let typed = call.options().filter(|option| self.is_typed_value(driver, option)).count();
        let given: Vec<&Arg> = call.plain().collect();
        let (least, most, kind) = match driver.plain {
            Plain::None => (0, 0, ValueKind::Any),
            Plain::Optional(_, kind) => (0, 1, kind),
            Plain::One(_, kind) => (1, 1, kind),
            Plain::Two(_, _) => (2, 2, ValueKind::Template),
            Plain::Some(_) => (1, usize::MAX, ValueKind::Text),
        };
        if let Some(extra) = given.get(most) {
            let message = format!("unexpected value in `{}()`", call.name.text);
            let accepted = driver.options.iter().flat_map(|table| table.iter()).map(|row| row.name);
            let diagnostic = Diagnostic::error(extra.span(), message);
            self.report.push(match extra.text().and_then(|text| nearest(text, accepted)) {
                Some(near) => diagnostic.label(format!("did you mean `{near}(...)`?")),
                None => diagnostic.label("not an option"),
            });
        }
        if given.len() + typed < least {
            let wanted = match driver.plain {
                Plain::One(what, _) | Plain::Some(what) | Plain::Optional(what, _) => format!("its {what}"),
                Plain::Two(first, second) => format!("its {first} and its {second}"),
                Plain::None => String::new(),
            };
            self.report.push(Diagnostic::error(call.span, format!("`{}()` needs {wanted}", call.name.text)));
        }
        for arg in given.iter().take(most) {
            if let Err(misfit) = kind.fits_one(arg) {
                self.misfit(&misfit);
            }
        }
    }

    /// Checks one option with the tables of the object around it.
    fn option(&mut self, call: &Call, tables: &[&'static [Row]], what: &str) {
        let key = call.key();
        let Some(row) = options::row(tables, &key) else {
            let diagnostic =
                Diagnostic::error(call.name.span, format!("unknown {what}: `{}`", call.name.text));
            let known = tables.iter().flat_map(|table| table.iter()).map(|row| row.name);
            self.report.push(match nearest(&key, known.clone()) {
                Some(near) => diagnostic.label(format!("did you mean `{near}`?")),
                None => diagnostic.help(format!("one of {}", known.collect::<Vec<_>>().join(", "))),
            });
            return;
        };
        // `stats-freq(0)`, `mark-freq(0)`, `suppress(0)` switch something off, which already works.
        let asks_nothing = matches!(call.args.as_slice(), [Arg::Number(0, _)]);
        match row.standing {
            Standing::Later | Standing::NoEffect(_) if asks_nothing => {}
            Standing::Later => return self.not_yet(&call.name, what),
            Standing::NoEffect(why) => self.report.push(Diagnostic::warning(
                call.name.span,
                format!("`{}()` has no effect: {why}", call.name.text),
            )),
            Standing::Renamed(to) => self.report.push(
                Diagnostic::warning(call.name.span, format!("`{}()` is an old spelling", call.name.text))
                    .help(format!("write {to}()")),
            ),
            Standing::Honoured => {}
        }
        if let ValueKind::Options(tables) | ValueKind::TextOr(tables) = row.kind {
            self.nested(call, row, tables);
        } else if let Err(misfit) = row.kind.fit(call) {
            self.misfit(&misfit);
        }
        for arg in &call.args {
            if let Arg::Filter(filter) = arg {
                self.filter(filter);
            }
        }
    }

    fn nested(&mut self, call: &Call, row: &Row, tables: &'static [&'static [Row]]) {
        let what = format!("option of {}()", row.name);
        for arg in &call.args {
            match arg {
                Arg::Call(option) => self.option(option, tables, &what),
                Arg::Number(_, span) if row.name == "stats" => self.report.push(
                    Diagnostic::warning(*span, "`stats()` with a number is an old spelling")
                        .help("write stats(freq(...))"),
                ),
                Arg::Word(_) | Arg::Text(_) if matches!(row.kind, ValueKind::TextOr(_)) => {}
                other => self.report.push(Diagnostic::error(other.span(), "expected an option")),
            }
        }
    }

    fn misfit(&mut self, misfit: &Misfit) {
        let mut diagnostic = Diagnostic::error(misfit.span, misfit.message.clone())
            .help(format!("accepted is {}", misfit.accepted));
        let word = misfit.message.split('`').nth(1).unwrap_or_default();
        if let Some(near) = nearest(word, misfit.words.iter().copied()).filter(|_| !word.is_empty()) {
            diagnostic = diagnostic.label(format!("did you mean `{near}`?"));
        }
        self.report.push(diagnostic);
    }
}

/// Returns the name of a kind in sentences.
fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Rewrite => "rewrite rule",
        kind => kind.word(),
    }
}
