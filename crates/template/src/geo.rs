//! Databases of facts about addresses, in MaxMind's format.
//!
//! In: the bytes of a file, also after each change; addresses. Out: facts. Holds: the databases in memory.
//! Limits: none of its own.

use maxminddb::{MaxMindDbError, PathElement, Reader};
use serde_json::Value;
use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

/// A database that can be replaced; empty until the first one is put in.
#[derive(Default)]
pub struct GeoDatabase(RwLock<Option<Arc<Reader<Vec<u8>>>>>);

impl fmt::Debug for GeoDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GeoDatabase")
    }
}

/// Bytes that are not a database of addresses.
#[derive(Debug)]
pub struct GeoDatabaseError(MaxMindDbError);

impl fmt::Display for GeoDatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for GeoDatabaseError {}

impl GeoDatabase {
    /// Exchanges the database for that of a file, given as its bytes. Fails when they are not a database.
    pub fn replace(&self, bytes: Vec<u8>) -> Result<(), GeoDatabaseError> {
        let reader = Reader::from_source(bytes).map_err(GeoDatabaseError)?;
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(reader));
        Ok(())
    }

    /// Returns the fact of a path of names about an address, as text.
    pub(crate) fn fact(&self, address: IpAddr, path: &[&str]) -> Option<String> {
        let reader = self.reader()?;
        let number = |part: &str| part.parse().map(PathElement::Index);
        let path: Vec<_> = path.iter().map(|part| number(part).unwrap_or(PathElement::Key(part))).collect();
        let found = reader.lookup(address).ok()?.decode_path::<Value>(&path).ok()??;
        shown(&found).map(Cow::into_owned)
    }

    /// Returns the present database.
    pub fn reader(&self) -> Option<Arc<Reader<Vec<u8>>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The databases that templates use, by the paths of their files; empty until the owner of the templates fills them.
#[derive(Clone, Default)]
pub struct GeoDatabases(Arc<Mutex<BTreeMap<String, Arc<GeoDatabase>>>>);

impl fmt::Debug for GeoDatabases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GeoDatabases")
    }
}

impl GeoDatabases {
    /// Returns the database of a path, the same one for every caller.
    pub fn get(&self, path: &str) -> Arc<GeoDatabase> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(path.to_owned()).or_default().clone()
    }

    /// Returns all databases that templates use.
    pub fn all(&self) -> Vec<(String, Arc<GeoDatabase>)> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().map(|(path, database)| (path.clone(), database.clone())).collect()
    }
}

/// Returns a fact as text; lists and maps of facts have none.
pub fn shown(fact: &Value) -> Option<Cow<'_, str>> {
    Some(match fact {
        Value::String(text) => Cow::Borrowed(text),
        Value::Bool(truth) => Cow::Borrowed(if *truth { "true" } else { "false" }),
        Value::Number(number) => Cow::Owned(match number.as_f64().filter(|_| number.is_f64()) {
            Some(fraction) => format!("{fraction:.6}"),
            None => number.to_string(),
        }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
