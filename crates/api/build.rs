//! Embeds the built page.
//!
//! In: the files of `ui/dist`. Out: `assets.rs`, a table of (path, bytes). Without `ui/dist` the table is empty
//! and the server says how to build the page; `make` always builds it first.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let dist = manifest.join("../../ui/dist");
    println!("cargo:rerun-if-changed={}", dist.display());
    let mut files = Vec::new();
    if dist.is_dir() {
        walk(&dist, &mut files)?;
    } else {
        println!("cargo:rerun-if-changed={}", manifest.join("../../ui").display());
        println!("cargo:warning=ui/dist is missing: this binary will have no page; run `make ui` first");
    }
    files.sort();
    let rows = files.iter().map(|file| {
        let name = file.strip_prefix(&dist).unwrap_or(file).to_string_lossy().replace('\\', "/");
        let path = file.canonicalize().unwrap_or_else(|_| file.clone());
        format!("    ({name:?}, include_bytes!({:?})),\n", path.display().to_string())
    });
    let table = format!("&[\n{}]\n", rows.collect::<String>());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("assets.rs");
    fs::write(out, table)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { walk(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
