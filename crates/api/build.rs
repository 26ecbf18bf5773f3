//! Embeds the built page and the built manual.
//!
//! In: the files of `ui/dist` and `docs/book`. Out: `assets.rs`, a table of (path, bytes), and `manual.rs`: texts that are packed
//! together, the tag of all pages, and a table of (path, place among the texts or bytes). If a folder is missing its table is
//! empty, and the server says how to build it.

use std::{
    collections::HashSet,
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let dist = manifest.join("../../ui/dist");
    let files = files(&dist, &manifest.join("../../ui"))?;
    if files.is_empty() {
        println!("cargo:warning=ui/dist is missing: this binary will have no page; run `make ui` first");
    }
    let packed = |file: &Path| PathBuf::from(format!("{}.gz", file.display()));
    // A text that is there packed is unpacked for the few that ask for it otherwise.
    let stored = files.iter().filter(|file| !packed(file).is_file());
    let rows = stored.map(|file| format!("({:?}, {}),", name(file, &dist), included(file, &manifest)));
    write("assets.rs", rows)?;

    write_manual(&manifest)
}

/// Writes the table of the manual.
fn write_manual(manifest: &Path) -> io::Result<()> {
    let book = manifest.join("../../docs/book");
    let files = files(&book, &manifest.join("../../docs"))?;
    let (index, texts) = (book.join("texts.index"), book.join("texts.zst"));
    if !index.is_file() {
        return write_to("manual.rs", "Manual { texts: &[], tag: \"\", pages: &[] }\n");
    }
    let (mut rows, mut from, mut known) = (Vec::new(), 0, HashSet::from([index.clone(), texts.clone()]));
    for line in fs::read_to_string(&index)?.lines() {
        let invalid = || io::Error::new(io::ErrorKind::InvalidData, format!("{}: {line}", index.display()));
        let (length, name) = line.split_once(' ').ok_or_else(invalid)?;
        let length: usize = length.parse().map_err(|_| invalid())?;
        rows.push(format!("({name:?}, Content::Text({from}..{})),", from + length));
        known.insert(book.join(name));
        from += length;
    }
    // The same for the same bytes, whenever and wherever they are built.
    let mut hash = DefaultHasher::new();
    fs::read(&texts)?.hash(&mut hash);
    for file in files.iter().filter(|file| !known.contains(*file)) {
        fs::read(file)?.hash(&mut hash);
        rows.push(format!("({:?}, Content::Bytes({})),", name(file, &book), included(file, manifest)));
    }
    let (hash, texts, rows) = (hash.finish(), included(&texts, manifest), rows.join("\n    "));
    let table =
        format!("Manual {{ texts: {texts}, tag: \"\\\"{hash:016x}\\\"\", pages: &[\n    {rows}\n] }}\n");
    write_to("manual.rs", &table)
}

/// The files of a built folder, sorted; while it is missing, its source is watched for it.
fn files(built: &Path, source: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if built.is_dir() {
        println!("cargo:rerun-if-changed={}", built.display());
        walk(built, &mut files)?;
        files.sort();
    } else {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    Ok(files)
}

fn name(file: &Path, folder: &Path) -> String {
    file.strip_prefix(folder).unwrap_or(file).to_string_lossy().replace('\\', "/")
}

/// The file as an expression. The text must not have the folder of the build in it: the compiler makes names of it, so
/// other folders would give other binaries.
fn included(file: &Path, manifest: &Path) -> String {
    match file.strip_prefix(manifest) {
        Ok(path) => {
            let path = format!("/{}", path.display());
            format!("include_bytes!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))")
        }
        Err(_) => format!("include_bytes!({:?})", file.display().to_string()),
    }
}

fn write(name: &str, rows: impl Iterator<Item = String>) -> io::Result<()> {
    write_to(name, &format!("&[\n    {}\n]\n", rows.collect::<Vec<_>>().join("\n    ")))
}

fn write_to(name: &str, table: &str) -> io::Result<()> {
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join(name), table)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { walk(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
