//! One package of several logspaces: that of a multiple one.
//!
//! In: each local logspace with what is wanted of it. Out: a folder with a package for each, and above them a manifest that
//! names theirs, signed, with the page that verifies them all. Limits: those of a package.

use super::{
    VERIFY_PAGE, format,
    manifest::{Question, View},
    name,
    write::{ExportError, Exported, export_package, put_manifest},
};
use crate::{Digest, Document, evidence::SigningKey, lock::Keys};
use serde_json::{Map, Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// One of the logspaces.
pub struct Part<'a> {
    /// What it is called, and what may be seen of it.
    pub view: View,
    /// Its directory.
    pub dir: PathBuf,
    /// Signs its manifest.
    pub signer: SigningKey,
    /// Says which messages are wanted.
    pub wanted: Box<dyn FnMut(&Document) -> bool + 'a>,
}

/// Makes a package of several logspaces in a new folder; `signer` signs what names them all. Gives what each has, then the
/// digest of the manifest above them.
pub fn export_packages(
    folder: &Path,
    keys: &Keys,
    signer: &SigningKey,
    question: &Question,
    parts: Vec<Part<'_>>,
) -> Result<(Vec<(String, Exported)>, Digest), ExportError> {
    fs::create_dir(folder)?;
    let (mut named, mut made) = (Map::new(), Vec::new());
    for Part { view, dir, signer, mut wanted } in parts {
        let local = view.logspace.clone();
        let question = Question { view: Some(view), ..question.clone() };
        let exported =
            match export_package(&dir, &folder.join(&local), keys, &signer, &question, &mut *wanted) {
                // Nothing of it was sealed: there is nothing to prove, and nothing is missing.
                Err(ExportError::NoEvidence) => {
                    named.insert(local, json!({"sealed": false}));
                    continue;
                }
                exported => exported?,
            };
        named.insert(local.clone(), json!({"sealed": true, "manifest": exported.manifest.to_string()}));
        made.push((local, exported));
    }
    let (sealed, unsealed): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|(_, part)| part["sealed"] == true);
    let mut files = Map::new();
    let mut put = |name: &str, bytes: &[u8]| {
        files.insert(name.to_owned(), Value::from(Digest::of(bytes).to_string()));
        fs::write(folder.join(name), bytes)
    };
    put(name::PAGE, VERIFY_PAGE.as_bytes())?;
    put("key-manifest.pem", signer.public().to_pem().as_bytes())?;
    let manifest = json!({
        "format": format::SEVERAL,
        "question": question.to_json(),
        "messages": made.iter().map(|(_, exported)| exported.messages).sum::<u64>(),
        "parts": sealed.into_iter().collect::<Map<String, Value>>(),
        "never_sealed": unsealed.into_iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "signer": signer.public().fingerprint(),
        "files": files,
    });
    let digest = put_manifest(folder, &manifest, signer)?;
    Ok((made, digest))
}
