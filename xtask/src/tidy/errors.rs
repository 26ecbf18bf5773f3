//! Errors that hide that they are text: `&str`, `Box<dyn Error>`, names for `String` or for a result with a text.
//!
//! In: parsed files. Out: a tally by file. Results whose error is written as `String` are counted by `signatures`.
//! Limits: a name counts within the crate that defines it; macros' arguments are not parsed; code under
//! `cfg(test)` does not count.

use super::{
    ratchet::Tally,
    tree::{Parsed, is_for_tests},
};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    GenericArgument, ImplItemType, Item, ItemImpl, ItemType, PathArguments, Signature, Type, TypeParamBound,
    TypePath, visit::Visit,
};

/// The names that a crate defines for texts, and for results whose error is a text.
#[derive(Default)]
struct Aliases {
    texts: BTreeSet<String>,
    results: BTreeSet<String>,
    /// `Result` is one of these names in the file being read.
    is_result_ours: bool,
}

/// Counts them in all files.
pub(crate) fn check(files: &[Parsed<'_>]) -> Tally {
    let mut crates: BTreeMap<&str, Aliases> = BTreeMap::new();
    for parsed in files {
        let aliases = crates.entry(crate_of(parsed)).or_default();
        let types = parsed.file.items.iter().filter_map(alias);
        types.for_each(|item| aliases.add(item));
    }
    let mut found = Tally::default();
    for parsed in files {
        let path = parsed.source.path.to_string_lossy().into_owned();
        let aliases = crates.entry(crate_of(parsed)).or_default();
        aliases.is_result_ours = parsed.file.items.iter().any(brings_result);
        Reader { path, aliases, found: &mut found, is_of_trait: false }.visit_file(&parsed.file);
    }
    found
}

fn crate_of<'p>(parsed: &'p Parsed<'_>) -> &'p str {
    let path = parsed.source.path.to_str().unwrap_or_default();
    path.split_once("/src/").map_or(path, |(name, _)| name)
}

fn alias(item: &Item) -> Option<&ItemType> {
    match item {
        Item::Type(item) if !is_for_tests(&item.attrs) => Some(item),
        _ => None,
    }
}

/// Returns true for an item that gives the name `Result` another meaning in its file.
fn brings_result(item: &Item) -> bool {
    match item {
        Item::Type(item) => item.ident == "Result",
        Item::Use(item) => {
            let path = item.tree.to_token_stream().to_string();
            let is_ours = ["crate", "super", "self"].iter().any(|start| path.starts_with(start));
            is_ours && path.split(|one: char| !one.is_alphanumeric()).any(|name| name == "Result")
        }
        _ => false,
    }
}

impl Aliases {
    fn add(&mut self, item: &ItemType) {
        let name = item.ident.to_string();
        if is_text(&item.ty) {
            self.texts.insert(name);
        } else if error_of(&item.ty).is_some_and(|error| is_text(error) || is_text_unless_given(item, error))
        {
            self.results.insert(name);
        }
    }

    /// The way in which a type hides that its error is a text.
    fn disguise(&self, path: &TypePath) -> Option<String> {
        let last = path.path.segments.last()?.ident.to_string();
        let error = error_of_path(path);
        let is_ours =
            last != "Result" || self.is_result_ours && error.is_none() && path.path.segments.len() == 1;
        if is_ours && self.results.contains(&last) {
            return Some(last);
        }
        let error = error?;
        let is_named = |error: &Type| name_of(error).is_some_and(|name| self.texts.contains(&name));
        let is_plain = matches!(error, Type::Path(path) if path.path.is_ident("String"));
        (!is_plain && (is_text(error) || is_named(error))).then(|| format!("Result<_, {}>", shown(error)))
    }
}

/// Returns true for a parameter of a name that is a text where it is not given: `type Result<T, E = String>`.
fn is_text_unless_given(item: &ItemType, error: &Type) -> bool {
    let defaults =
        item.generics.type_params().filter_map(|parameter| Some((parameter, parameter.default.as_ref()?)));
    defaults.into_iter().any(|(parameter, default)| {
        is_text(default) && matches!(error, Type::Path(path) if path.path.is_ident(&parameter.ident))
    })
}

fn shown(error: &Type) -> String {
    error.to_token_stream().to_string().replace(' ', "")
}

fn name_of(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

/// The error of a result.
fn error_of(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Path(path) => error_of_path(path),
        _ => None,
    }
}

fn error_of_path(path: &TypePath) -> Option<&Type> {
    let last = path.path.segments.last().filter(|last| last.ident == "Result")?;
    arguments(&last.arguments).nth(1)
}

/// The types between the angle brackets.
fn arguments(arguments: &PathArguments) -> impl Iterator<Item = &Type> {
    let types = match arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    };
    types.into_iter().flatten().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// Returns true for a text, a pointer to one, and any boxed error, which can only be printed.
fn is_text(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => is_text(&reference.elem),
        Type::TraitObject(object) => object.bounds.iter().any(|bound| match bound {
            TypeParamBound::Trait(bound) => {
                bound.path.segments.last().is_some_and(|last| last.ident == "Error")
            }
            _ => false,
        }),
        Type::Path(path) => {
            path.path.segments.last().is_some_and(|last| match last.ident.to_string().as_str() {
                "String" | "str" => true,
                "Box" | "Rc" | "Arc" | "Cow" => arguments(&last.arguments).any(is_text),
                _ => false,
            })
        }
        _ => false,
    }
}

struct Reader<'a> {
    path: String,
    aliases: &'a Aliases,
    found: &'a mut Tally,
    is_of_trait: bool,
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            _ => return syn::visit::visit_item(self, item),
        };
        if !is_for_tests(attributes) {
            syn::visit::visit_item(self, item);
        }
    }

    /// The trait decides the signature of a method, so it counts where the trait is defined.
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let before = std::mem::replace(&mut self.is_of_trait, item.trait_.is_some());
        syn::visit::visit_item_impl(self, item);
        self.is_of_trait = before;
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        if !self.is_of_trait {
            syn::visit::visit_signature(self, signature);
        }
    }

    fn visit_type_path(&mut self, path: &'ast TypePath) {
        if let Some(disguise) = self.aliases.disguise(path) {
            self.found.add(self.path.as_str(), disguise);
        }
        syn::visit::visit_type_path(self, path);
    }

    /// `type Err = String;` of a trait.
    fn visit_impl_item_type(&mut self, item: &'ast ImplItemType) {
        if matches!(item.ident.to_string().as_str(), "Err" | "Error") && is_text(&item.ty) {
            self.found.add(self.path.as_str(), format!("type {} = {}", item.ident, shown(&item.ty)));
        }
        syn::visit::visit_impl_item_type(self, item);
    }
}

#[cfg(test)]
mod tests {
    //! Rows for errors in disguise.

    use super::check;
    use crate::tidy::{source::Source, tree};

    #[track_caller]
    fn row(text: &str, want: usize) {
        let files = [("crates/x/src/a.rs", text), ("crates/y/src/a.rs", "fn f() -> Parsed<u8> {} ")];
        let sources = files.map(|(path, text)| Source { path: path.into(), text: text.into() });
        let borrowed: Vec<&Source> = sources.iter().collect();
        assert_eq!(check(&tree::parse(&borrowed)).total(), want, "{text}");
    }

    #[test]
    fn sees_through_pointers_and_boxes() {
        row("fn f() -> Result<u8, &'static str> {}", 1);
        row("fn f() -> Result<u8, Box<dyn Error>> {}", 1);
        row("fn f() -> Result<u8, Box<dyn std::error::Error + Send + Sync>> {}", 1);
        row("fn f() -> Result<u8, Cow<'static, str>> { let x: Result<(), Arc<str>> = g(); }", 2);
        row("fn f() -> Result<u8, std::string::String> {}", 1);
        row("impl FromStr for A { type Err = String; type Item = String; }", 1);
    }

    #[test]
    fn sees_through_names() {
        row("type Reason = String; fn f() -> Result<u8, Reason> {}", 1);
        row("type Parsed<T> = Result<T, String>; fn f() -> Parsed<u8> {} fn g() -> Parsed<()> {}", 2);
        row("type Parsed<T> = Result<T, Failed>; fn f() -> Parsed<u8> {}", 0);
        row("type Result<T, E = String> = std::result::Result<T, E>; fn f() -> Result<u8> {}", 1);
        row("type Result<T, E = String> = std::result::Result<T, E>; fn f() -> Result<u8, Failed> {}", 0);
        row("mod a { type Result<T> = std::result::Result<T, String>; } fn f() -> io::Result<u8> {}", 0);
    }

    #[test]
    fn leaves_errors_of_their_own_alone() {
        row("fn f() -> Result<u8, String> {} fn g() -> Result<&str, Failed> {}", 0);
        row("fn f() -> Result<Box<dyn Error>, Failed> {} fn g() -> io::Result<String> {}", 0);
        row("#[cfg(test)] mod tests { fn f() -> Result<u8, &'static str> {} }", 0);
    }
}
