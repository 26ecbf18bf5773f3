//! `geoip2`: a fact about an address.
//!
//! In: a rendered address. Out: text. Holds the database and the path of the fact. What is no address, or not known,
//! gives nothing. Limits: none of its own.

use super::{Scope, Word};
use crate::{
    geo::GeoDatabase,
    template::{Template, options::Options, parse::TemplateError, render::Renderer},
};
use message::Batch;
use std::{net::IpAddr, sync::Arc};

/// The fact that is asked for without `--field`.
const FIELD: &str = "country.iso_code";

/// A question to a database of addresses.
#[derive(Clone, Debug)]
pub(in crate::template) struct Place {
    database: Arc<GeoDatabase>,
    field: Vec<String>,
    address: Template,
}

impl Scope<'_> {
    /// Compiles `--database FILE [--field PATH] IP`.
    pub(super) fn place(&self, words: &[Word]) -> Result<Place, TemplateError> {
        let (mut database, mut field) = (None, FIELD.to_owned());
        let mut options = Options::new(words, &["database", "field"]);
        while let Some((name, value)) = options.next()? {
            match name {
                "database" => database = Some(self.around.geo_database(&value)),
                _ => field = value,
            }
        }
        let Some(database) = database else {
            return self.wrong("--database FILE expected");
        };
        let field = field.split('.').map(str::to_owned).collect();
        Ok(Place { database, field, address: self.only(options.rest())? })
    }
}

/// Appends the fact.
pub(super) fn append(place: &Place, batch: &Batch, index: usize, renderer: &mut Renderer, out: &mut Vec<u8>) {
    let text = place.address.value(batch, index, renderer);
    let address = str::from_utf8(&text).ok().and_then(|text| text.trim().parse::<IpAddr>().ok());
    let path: Vec<&str> = place.field.iter().map(String::as_str).collect();
    let fact = address.and_then(|address| place.database.fact(address, &path));
    out.extend_from_slice(fact.unwrap_or_default().as_bytes());
}
