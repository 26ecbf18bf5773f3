//! A rewrite rule: a change and its condition.
//!
//! In: the rewrites of a configuration. Out: the same as types. Holds: templates and patterns, compiled. Limits: none.

use super::zone::Zone;
use crate::filter::Filter;
use message::FieldName;
use std::sync::Arc;
use template::{
    RenderOptions, Template, ValuePairs,
    pattern::{Pattern, PatternError, PatternFlags, PatternKind},
};

/// One rewrite rule.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// The change.
    pub operation: Operation,
    /// `condition()`: messages for which it does not hold stay as they are.
    pub condition: Option<Arc<Filter>>,
    /// Options for rendering templates, where they differ from the global ones.
    pub rendering: Option<RenderOptions>,
}

/// The change that a rewrite makes.
#[derive(Clone, Debug)]
pub enum Operation {
    /// `set(template value("NAME"))`.
    Set {
        /// The field.
        field: FieldName,
        /// Its new value.
        value: Arc<Template>,
    },
    /// `unset(value("NAME"))`.
    Unset {
        /// The field.
        field: FieldName,
    },
    /// `subst(pattern, replacement, value("NAME"))`.
    Subst {
        /// The field.
        field: FieldName,
        /// The text that is replaced: the first match, or all with `flags(global)`.
        pattern: Arc<Pattern>,
        /// The replacement text; `$1` is the first group.
        replacement: Arc<Template>,
    },
    /// `set-tag(...)`.
    SetTag {
        /// The tag, mostly constant.
        tag: Arc<Template>,
    },
    /// `clear-tag(...)`.
    ClearTag {
        /// The tag.
        tag: Arc<Template>,
    },
    /// `set-severity(...)`: a name or a number; others leave the message as it is.
    SetSeverity {
        /// The severity.
        value: Arc<Template>,
    },
    /// `set-facility(...)`: a name or a number; others leave the message as it is.
    SetFacility {
        /// The facility.
        value: Arc<Template>,
    },
    /// `set-pri(...)`: 0 to 1023; others leave the message as it is.
    SetPri {
        /// The number.
        value: Arc<Template>,
    },
    /// `groupset(template values("glob" ...))`: sets those of the matching pairs that exist.
    GroupSet {
        /// Globs of names.
        names: Vec<Arc<Pattern>>,
        /// The new value; `$_` is the old one.
        value: Arc<Template>,
    },
    /// `groupunset(values("glob" ...))`.
    GroupUnset {
        /// Globs of names.
        names: Vec<Arc<Pattern>>,
    },
    /// `rename("OLD" "NEW")`.
    Rename {
        /// The old name.
        from: FieldName,
        /// The new name.
        to: FieldName,
    },
    /// `set-matches(list)`: the elements of a list become `$1`, `$2` and so on.
    SetMatches {
        /// The list.
        list: Arc<Template>,
    },
    /// `unset-matches()`.
    UnsetMatches,
    /// `set-time-zone("ZONE")`: the time is unchanged, shown in another zone.
    SetZone {
        /// The zone.
        zone: Zone,
    },
    /// `fix-time-zone("ZONE")`: the wall clock is unchanged, read in another zone.
    FixZone {
        /// The zone.
        zone: Zone,
    },
    /// `guess-time-zone()`: the zone in which the message was sent just now.
    GuessZone,
    /// `map-value-pairs(...)`: a selection of values under other names.
    MapPairs {
        /// The pairs to set.
        pairs: Arc<ValuePairs>,
    },
}

impl Operation {
    /// Compiles the pattern of `subst()`: its default type is `pcre`.
    pub fn subst(
        field: FieldName,
        pattern: &str,
        kind: PatternKind,
        flags: PatternFlags,
        replacement: Arc<Template>,
    ) -> Result<Operation, PatternError> {
        let pattern = Arc::new(Pattern::compile(pattern, kind, flags)?);
        Ok(Operation::Subst { field, pattern, replacement })
    }

    /// Compiles the globs of `groupset()` and `groupunset()`.
    pub fn globs<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Vec<Arc<Pattern>>, PatternError> {
        let compile = |name| Pattern::compile(name, PatternKind::Glob, PatternFlags::default()).map(Arc::new);
        names.into_iter().map(compile).collect()
    }
}
