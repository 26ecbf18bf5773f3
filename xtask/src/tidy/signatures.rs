//! Types that say too little: `bool` parameters, errors that are text, severities that are bare numbers,
//! unclear names; logic in files that only list modules.
//!
//! In: parsed files. Out: a tally by file for each. Limits: implementations of traits keep the signature that the
//! trait asks for; code under `cfg(test)` does not count.

use super::{
    ratchet::Tally,
    tree::{Parsed, is_for_tests},
};
use quote::ToTokens;
use std::path::Path;
use syn::{
    Expr, ExprCall, FnArg, GenericArgument, ImplItemFn, Item, ItemFn, ItemImpl, Lit, Pat, PathArguments,
    Signature, TraitItemFn, Type, TypePath, visit::Visit,
};

/// Names of types that say nothing to a newcomer; the glossary has better ones.
const UNCLEAR_TYPES: &[&str] = &[
    "Place",
    "Found",
    "Taken",
    "Wanted",
    "Asked",
    "Seen",
    "Opened",
    "Watch",
    "Space",
    "Member",
    "News",
    "Luggage",
    "Gate",
    "Share",
    "InWork",
    "Feed",
    "Turn",
    "Shelf",
    "Shelved",
    "Cover",
    "Witness",
    "Wishes",
    "Shell",
    "Trouble",
    "Pressed",
    "Promise",
    "Room",
    "Plug",
    "Ends",
    "Clockwork",
    "Tallies",
    "Part",
];

/// Tallies of all files.
#[derive(Default)]
pub(crate) struct Signatures {
    pub(crate) bool_parameters: Tally,
    pub(crate) text_errors: Tally,
    pub(crate) bare_severities: Tally,
    pub(crate) unclear_types: Tally,
    pub(crate) logic_in_lists: Tally,
}

/// Counts them in all files.
pub(crate) fn check(files: &[Parsed<'_>]) -> Signatures {
    let mut found = Signatures::default();
    for parsed in files {
        let path = parsed.source.path.to_string_lossy().into_owned();
        if only_lists_modules(&parsed.source.path) {
            let logic = parsed.file.items.iter().filter_map(logic);
            logic.for_each(|name| found.logic_in_lists.add(path.as_str(), name));
        }
        Reader { path, is_of_trait: false, found: &mut found }.visit_file(&parsed.file);
    }
    found
}

fn only_lists_modules(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "lib.rs" || name == "mod.rs")
}

/// The name of an item that does something.
fn logic(item: &Item) -> Option<String> {
    match item {
        Item::Fn(item) if !is_for_tests(&item.attrs) => Some(item.sig.ident.to_string()),
        Item::Impl(item) if !is_for_tests(&item.attrs) => Some(item.self_ty.to_token_stream().to_string()),
        _ => None,
    }
}

struct Reader<'f> {
    path: String,
    /// Inside `impl Trait for Type`.
    is_of_trait: bool,
    found: &'f mut Signatures,
}

impl Reader<'_> {
    fn signature(&mut self, signature: &Signature) {
        if self.is_of_trait {
            return;
        }
        for input in &signature.inputs {
            let FnArg::Typed(typed) = input else { continue };
            if matches!(&*typed.ty, Type::Path(path) if path.path.is_ident("bool")) {
                let name = match &*typed.pat {
                    Pat::Ident(name) => name.ident.to_string(),
                    _ => "_".into(),
                };
                self.found.bool_parameters.add(self.path.as_str(), format!("{}({name})", signature.ident));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = match item {
            Item::Fn(item) => (&item.attrs, None),
            Item::Impl(item) => (&item.attrs, None),
            Item::Mod(item) => (&item.attrs, None),
            Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            _ => return syn::visit::visit_item(self, item),
        };
        if is_for_tests(attributes) {
            return;
        }
        if let Some(name) = name.filter(|name| UNCLEAR_TYPES.iter().any(|unclear| *name == unclear)) {
            self.found.unclear_types.add(self.path.as_str(), name);
        }
        syn::visit::visit_item(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.signature(&item.sig);
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let before = std::mem::replace(&mut self.is_of_trait, item.trait_.is_some());
        syn::visit::visit_item_impl(self, item);
        self.is_of_trait = before;
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.signature(&item.sig);
        syn::visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.signature(&item.sig);
        syn::visit::visit_trait_item_fn(self, item);
    }

    fn visit_type_path(&mut self, path: &'ast TypePath) {
        if let Some(last) = path.path.segments.last().filter(|last| last.ident == "Result")
            && let PathArguments::AngleBracketed(arguments) = &last.arguments
            && let Some(GenericArgument::Type(Type::Path(error))) = arguments.args.iter().nth(1)
            && error.path.is_ident("String")
        {
            self.found.text_errors.add(self.path.as_str(), "Result<_, String>");
        }
        syn::visit::visit_type_path(self, path);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(function) = &*call.func
            && let Some(name) = function.path.segments.last().map(|last| last.ident.to_string())
            && matches!(name.as_str(), "Severity" | "Facility")
            && let Some(Expr::Lit(literal)) = call.args.first()
            && matches!(literal.lit, Lit::Int(_))
        {
            self.found.bare_severities.add(self.path.as_str(), name);
        }
        syn::visit::visit_expr_call(self, call);
    }
}

#[cfg(test)]
mod tests {
    //! Rows for signatures.

    use super::check;
    use crate::tidy::{source::Source, tree};

    /// Counts: bool parameters, text errors, bare severities, unclear types, logic.
    #[track_caller]
    fn row(path: &str, text: &str, want: [usize; 5]) {
        let source = Source { path: path.into(), text: text.into() };
        let found = check(&tree::parse(&[&source]));
        let counts = [
            found.bool_parameters.total(),
            found.text_errors.total(),
            found.bare_severities.total(),
            found.unclear_types.total(),
            found.logic_in_lists.total(),
        ];
        assert_eq!(counts, want, "{text}");
    }

    #[test]
    fn counts_what_says_too_little() {
        row("a.rs", "fn f(a: bool, b: &bool) {} impl A { fn g(&self, is_x: bool) {} }", [2, 0, 0, 0, 0]);
        row("a.rs", "impl T for A { fn g(&self, is_x: bool) {} }", [0; 5]);
        row("a.rs", "trait T { fn g(&self, is_x: bool); }", [1, 0, 0, 0, 0]);
        row(
            "a.rs",
            "fn f() -> Result<u8, String> { g() } fn h() -> Result<u8, Error> { g() }",
            [0, 1, 0, 0, 0],
        );
        row("a.rs", "fn f() { log(Severity(3)); log(Severity::ERROR); log(Severity(n)) }", [0, 0, 1, 0, 0]);
        row("a.rs", "struct Place; enum Luggage {} struct Placement;", [0, 0, 0, 2, 0]);
        row("x/mod.rs", "mod a; pub use a::A; fn f() {} impl A {}", [0, 0, 0, 0, 2]);
        row("a.rs", "#[cfg(test)] mod tests { fn f(a: bool) {} struct Place; }", [0; 5]);
    }
}
