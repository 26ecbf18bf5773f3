//! A package of everything that a query covers: one logspace, or several that are queried as one.
//!
//! In: each local logspace with what is wanted of it. Out: for one logspace its package; for several a folder with
//! a package for each, and above them a signed manifest that names theirs, with the page that verifies them all.
//! Limits: those of a package.

use super::write::{ExportError, Exported, PackagePart, export_part, put_manifest};
use evidence::{
    Digest,
    package::{Question, VERIFY_PAGE, format, name},
};
use lookup::CancelToken;
use serde_json::{Map, Value, json};
use std::{fs, path::Path};

/// Makes a package in a new folder. A manifest of several packages is signed with the first one's key.
pub fn export_package(
    folder: &Path,
    question: &Question,
    mut parts: Vec<PackagePart<'_>>,
    cancel: &CancelToken,
) -> Result<Exported, ExportError> {
    if parts.len() == 1 {
        return export_part(folder, parts.remove(0), question, cancel);
    }
    let signer = parts.first().ok_or(ExportError::NoEvidence)?.signer.clone();
    fs::create_dir(folder)?;
    let (mut named, mut all) = (Map::new(), Exported::default());
    for part in parts {
        let local = part.local.clone();
        match export_part(&folder.join(&local), part, question, cancel) {
            // Nothing in it was sealed: there is nothing to prove, and nothing is missing.
            Err(ExportError::NoEvidence) => {
                named.insert(local, json!({"sealed": false}));
            }
            exported => {
                let exported = exported?;
                all.messages += exported.messages;
                all.segments += exported.segments;
                named.insert(local, json!({"sealed": true, "manifest": exported.manifest.to_string()}));
                all.unread.extend(exported.unread);
            }
        }
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
        "messages": all.messages,
        "parts": sealed.into_iter().collect::<Map<String, Value>>(),
        "never_sealed": unsealed.into_iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "signer": signer.public().fingerprint(),
        "files": files,
    });
    all.manifest = put_manifest(folder, &manifest, &signer)?;
    Ok(all)
}
