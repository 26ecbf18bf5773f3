//! `duramen logspace export`.
//!
//! In: a logspace and a query. Out: a package.
//! Limits: the package is signed with the logspace's key unless another is given.

use super::{
    super::author::{now_us, user},
    cat::Selection,
    error::VerbError,
    keys::KeyFiles,
    location::Location,
};
use crate::{
    assemble::{self, Environment, ViewMember, ViewSpec},
    terminal,
};
use clap::Args;
use evidence::{
    Keys, SigningKey,
    package::{Question, View},
};
use logspace::{Exported, PackagePart, export_package, sign_key_of};
use lookup::CancelToken;
use query::{Boundary, ParseOptions, Query};
use serde_json::json;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Options of `export`.
#[derive(Args, Debug)]
pub(super) struct Options {
    #[command(flatten)]
    location: Location,
    #[command(flatten)]
    keys: KeyFiles,
    #[command(flatten)]
    selection: Selection,
    /// New folder for the package
    #[arg(short, long)]
    output: PathBuf,
    /// Private key that signs the manifest; the logspace's own when left out
    #[arg(long, value_name = "FILE")]
    sign_key: Option<PathBuf>,
    /// Configuration that defines the filtered or multiple logspace
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(options: &Options) -> Result<bool, VerbError> {
    let keys = options.keys.load()?;
    let parts = options.parts(&keys)?;
    let question = options.question()?;
    options.record("export", &question)?;
    let exported = export_package(&options.output, &question, parts, &CancelToken::unlimited());
    let exported = exported.map_err(|source| VerbError::Export { output: options.output.clone(), source })?;
    let details = json!({"messages": exported.messages, "manifest": exported.manifest.to_string()});
    options.location.record("exported", &question.text, details)?;
    options.print(&exported)
}

impl Options {
    fn question(&self) -> Result<Question, VerbError> {
        let (from_us, to_us) = self.selection.range()?;
        let text = self.selection.query.clone();
        Ok(Question { view: None, text, from_us, to_us, asked_by: user(), at_us: now_us() })
    }

    /// Returns the key that signs packages of a logspace.
    fn signer(&self, dir: &Path) -> Result<SigningKey, VerbError> {
        let path = self.sign_key.clone().unwrap_or_else(|| sign_key_of(dir));
        SigningKey::load(&path).map_err(VerbError::SignKey)
    }

    fn record(&self, action: &'static str, question: &Question) -> Result<(), VerbError> {
        let details = json!({"from_us": question.from_us, "to_us": question.to_us});
        self.location.record(action, &question.text, details)
    }

    /// Returns the filtered or multiple logspace of that name; none for a local one.
    fn view(&self) -> Result<Option<ViewSpec>, VerbError> {
        let Some(path) = &self.config else { return Ok(None) };
        let mut checked = assemble::check(path, &config::Disk::default());
        let parts = assemble::build(&checked.tree, &Environment::for_check(), &mut checked.report);
        let Some(parts) = parts else {
            return Err(VerbError::Configuration { path: path.clone() });
        };
        Ok(parts.views.into_iter().find(|view| view.name == self.location.name()))
    }

    /// Returns the local logspaces to export from.
    fn parts(&self, keys: &Keys) -> Result<Vec<PackagePart<'static>>, VerbError> {
        let asked = self.selection.query()?;
        let part = |local: &str, view: Option<View>| {
            let dir = self.location.dir_of(local)?;
            let signer = self.signer(&dir)?;
            let boundary = boundary(view.as_ref().and_then(|view| view.filter.as_deref()))?;
            let wanted = Box::new(query::matching(&asked, boundary.map(Arc::new)));
            Ok(PackagePart { local: local.to_owned(), view, dir, keys: keys.clone(), signer, wanted })
        };
        let Some(spec) = self.view()? else {
            return Ok(vec![part(self.location.name(), None)?]);
        };
        let member = |member: ViewMember| {
            let (name, logspace) = (spec.name.clone(), member.base.clone());
            part(&member.base, Some(View { name, logspace, filter: member.ways }))
        };
        spec.members.into_iter().map(member).collect()
    }

    /// Prints the result; false when something could not be read.
    fn print(&self, exported: &Exported) -> Result<bool, VerbError> {
        let options = self;
        let unread = exported.unread.iter();
        if options.json {
            let unread: Vec<_> = unread
                .map(|(range, why)| json!({"from": range.start, "to": range.end, "why": why}))
                .collect();
            let row = json!({
                "messages": exported.messages,
                "segments": exported.segments,
                "manifest": exported.manifest.to_string(),
                "unread": unread,
            });
            outln!("{}", terminal::json(&row.to_string()));
        } else {
            for (range, why) in unread {
                outln!("not read: messages {} to {}: {why}", range.start, range.end.saturating_sub(1));
            }
            outln!(
                "{} messages of {} segments in {}, manifest {}",
                exported.messages,
                exported.segments,
                options.output.display(),
                exported.manifest
            );
        }
        Ok(exported.unread.is_empty())
    }
}

/// Returns the boundary of a filter; none: all messages.
fn boundary(filter: Option<&[Vec<String>]>) -> Result<Option<Boundary>, VerbError> {
    let read = |way: &Vec<String>| {
        let questions = way.iter().map(|text| Query::parse(text, &ParseOptions::default()));
        questions.collect::<Result<Vec<Query>, _>>().map_err(VerbError::Filter)
    };
    let ways = filter.map(|ways| ways.iter().map(read).collect::<Result<Vec<_>, VerbError>>()).transpose()?;
    Ok(ways.map(|ways| Boundary::new(&ways)))
}
