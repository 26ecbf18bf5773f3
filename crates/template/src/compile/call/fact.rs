//! `geoip2`: a fact about an address.
//!
//! In: words. Out: the database, the path of the fact, the address. Holds nothing. Limits: none of its own.

use crate::{
    compile::{arguments::Word, call_compiler::CallCompiler, error::TemplateError, options::Options},
    template::AddressFact,
};

/// The fact that is returned without `--field`.
const FIELD: &str = "country.iso_code";

impl CallCompiler<'_> {
    /// Compiles `--database FILE [--field PATH] IP`.
    pub(super) fn address_fact(&self, words: &[Word]) -> Result<AddressFact, TemplateError> {
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
        Ok(AddressFact { database, field, address: self.only(options.rest())? })
    }
}
