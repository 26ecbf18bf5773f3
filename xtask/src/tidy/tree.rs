//! The modules of a crate, parsed: which module imports which.
//!
//! In: Rust files. Out: modules by path, with the modules that own what they name. Groups of `use` are expanded,
//! re-exports lead to the module that defines the item, paths inside code count like imports.
//! Limits: macros' arguments are not parsed; code under `cfg(test)` does not count.

use super::source::Source;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};
use syn::{Attribute, File, Item, UseTree, visit::Visit};

/// Names of a module, from the crate's root; empty for the root.
pub(crate) type ModulePath = Vec<String>;

/// Longest chain of re-exports that is followed.
const RE_EXPORTS_MAX: usize = 16;

/// One `use`, without groups: its path, and the name that it brings in; `*` for a glob.
#[derive(Clone, Debug)]
struct Import {
    path: Vec<String>,
    name: String,
}

/// A parsed module.
#[derive(Default)]
struct Module {
    /// Paths that it names, and their depth in modules of the same file.
    named: Vec<(Vec<String>, usize)>,
    /// Imports that others may use through it.
    re_exports: Vec<Import>,
}

/// The modules of a crate.
pub(crate) struct Tree {
    modules: BTreeMap<ModulePath, Module>,
}

/// A file of a crate that could be parsed.
pub(crate) struct Parsed<'a> {
    pub(crate) source: &'a Source,
    pub(crate) file: File,
}

/// Parses the files that are not tests. Files that do not parse are left to the compiler.
pub(crate) fn parse<'a>(sources: &[&'a Source]) -> Vec<Parsed<'a>> {
    let ordinary = sources.iter().filter(|source| !is_test(&source.path));
    ordinary.filter_map(|source| Some(Parsed { source, file: syn::parse_file(&source.text).ok()? })).collect()
}

/// Returns true for files of tests, examples and fixtures of tests.
pub(crate) fn is_test(path: &Path) -> bool {
    let names = path.iter().filter_map(|part| part.to_str()).map(|part| part.trim_end_matches(".rs"));
    names.into_iter().any(|name| matches!(name, "tests" | "testing" | "fixtures" | "examples" | "benches"))
}

/// Returns true for an item that only tests compile.
pub(crate) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_test = attribute.path().is_ident("test");
        let is_cfg_test = attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"));
        is_test || is_cfg_test
    })
}

/// The module that a file below `src/` holds.
fn module_path(inside: &str) -> ModulePath {
    let stem = inside.trim_end_matches(".rs");
    let mut names: ModulePath = stem.split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        names.pop();
    }
    names
}

impl Tree {
    /// The tree of one crate: its parsed files, with their paths below `src/`.
    pub(crate) fn new<'a>(files: impl Iterator<Item = (&'a str, &'a File)>) -> Tree {
        let mut modules: BTreeMap<ModulePath, Module> = BTreeMap::new();
        for (inside, file) in files {
            let module = modules.entry(module_path(inside)).or_default();
            let mut reader = Reader { module, depth: 0 };
            reader.visit_file(file);
        }
        Tree { modules }
    }

    /// For each module, the other modules of the crate that own what it names.
    pub(crate) fn imports(&self) -> BTreeMap<&ModulePath, BTreeSet<ModulePath>> {
        let owners = |(path, module): (&ModulePath, &Module)| {
            let named = module.named.iter().filter_map(|(named, depth)| self.owner(path, named, *depth));
            named.filter(|owner| owner != path).collect()
        };
        self.modules.iter().map(|(path, module)| (path, owners((path, module)))).collect()
    }

    /// The module that defines what a path inside a module names; `None` for other crates.
    fn owner(&self, from: &ModulePath, named: &[String], depth: usize) -> Option<ModulePath> {
        let (start, rest) = self.start(from, named, depth)?;
        Some(self.walk(start, rest, 0))
    }

    /// The module at which a path begins, and the rest of the path.
    fn start<'n>(
        &self,
        from: &ModulePath,
        named: &'n [String],
        depth: usize,
    ) -> Option<(ModulePath, &'n [String])> {
        let (first, mut rest) = named.split_first()?;
        let mut at = from.clone();
        let mut inner = depth;
        match first.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => {
                let mut ups = 1;
                while rest.first().is_some_and(|next| next == "super") {
                    ups += 1;
                    rest = &rest[1..];
                }
                for _ in 0..ups {
                    if inner > 0 {
                        inner -= 1;
                    } else {
                        at.pop()?;
                    }
                }
            }
            name => {
                let child: ModulePath = from.iter().cloned().chain([name.to_owned()]).collect();
                if !self.modules.contains_key(&child) {
                    return None;
                }
                return Some((from.clone(), named));
            }
        }
        Some((at, rest))
    }

    /// Follows names downwards, and re-exports to their owners.
    fn walk(&self, mut at: ModulePath, mut rest: &[String], followed: usize) -> ModulePath {
        while let Some((name, after)) = rest.split_first() {
            let child: ModulePath = at.iter().cloned().chain([name.clone()]).collect();
            if self.modules.contains_key(&child) {
                (at, rest) = (child, after);
                continue;
            }
            return self.re_exported(&at, name, followed).unwrap_or(at);
        }
        at
    }

    /// The module that owns a name which another re-exports.
    fn re_exported(&self, at: &ModulePath, name: &str, followed: usize) -> Option<ModulePath> {
        if followed == RE_EXPORTS_MAX {
            return None;
        }
        let found = self.modules.get(at)?.re_exports.iter().find(|import| import.name == name)?;
        let (start, rest) = self.start(at, &found.path, 0)?;
        Some(self.walk(start, rest, followed + 1))
    }
}

/// Collects the paths of a file.
struct Reader<'m> {
    module: &'m mut Module,
    depth: usize,
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_for_tests(attributes(item)) {
            return;
        }
        match item {
            Item::Use(item) => {
                let mut imports = Vec::new();
                expand(&item.tree, &mut Vec::new(), &mut imports);
                let is_re_export = !matches!(item.vis, syn::Visibility::Inherited);
                for import in imports {
                    // A re-export leads to the owner: it does not count as an import.
                    if is_re_export && self.depth == 0 {
                        self.module.re_exports.push(import);
                    } else {
                        self.module.named.push((import.path, self.depth));
                    }
                }
            }
            Item::Mod(inner) if inner.content.is_some() => {
                self.depth += 1;
                syn::visit::visit_item_mod(self, inner);
                self.depth -= 1;
            }
            other => syn::visit::visit_item(self, other),
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() && path.segments.len() > 1 {
            let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.module.named.push((names, self.depth));
        }
        syn::visit::visit_path(self, path);
    }
}

/// The attributes of an item of the kinds that can stand under `cfg(test)`.
fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        _ => &[],
    }
}

/// Expands the groups of a `use`.
fn expand(tree: &UseTree, before: &mut Vec<String>, imports: &mut Vec<Import>) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            expand(&path.tree, before, imports);
            before.pop();
        }
        UseTree::Name(name) if name.ident == "self" => {
            let name = before.last().cloned().unwrap_or_default();
            imports.push(Import { path: before.clone(), name });
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            imports.push(Import { path: before.iter().cloned().chain([name.clone()]).collect(), name });
        }
        UseTree::Rename(rename) => {
            let path = before.iter().cloned().chain([rename.ident.to_string()]).collect();
            imports.push(Import { path, name: rename.rename.to_string() });
        }
        UseTree::Glob(_) => imports.push(Import { path: before.clone(), name: "*".into() }),
        UseTree::Group(group) => group.items.iter().for_each(|item| expand(item, before, imports)),
    }
}
