//! Embeds the built page and the built manual.
//!
//! In: the files of `ui/dist` and `docs/book`. Out: `assets.rs`, a table of (path, bytes), and `manual.rs`, a table of
//! (path, packed?, hash, bytes). If a folder is missing its table is empty, and the server says how to build it.

use std::{
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

    let book = manifest.join("../../docs/book");
    let files = self::files(&book, &manifest.join("../../docs"))?;
    let mut rows = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_none_or(|ending| ending != "gz")) {
        let is_packed = packed(file).is_file();
        let file_of = if is_packed { packed(file) } else { file.clone() };
        // The same for the same bytes, whenever and wherever they are built.
        let mut hash = DefaultHasher::new();
        fs::read(&file_of)?.hash(&mut hash);
        let (name, hash) = (name(file, &book), hash.finish());
        rows.push(format!(
            "({name:?}, {is_packed}, \"\\\"{hash:016x}\\\"\", {}),",
            included(&file_of, &manifest)
        ));
    }
    write("manual.rs", rows.into_iter())
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
    let table = format!("&[\n    {}\n]\n", rows.collect::<Vec<_>>().join("\n    "));
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join(name), table)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { walk(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
