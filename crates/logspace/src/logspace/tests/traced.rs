//! What a program did to files, as strace saw it, and what a disk has of it when the power goes.
//!
//! In: lines of `strace -f -xx`. Out: steps; after each prefix of them, the files that a disk might hold.
//! Holds: every file's bytes as written and as synced; every name as it is and as its folder was synced.
//! Limits: writing system calls only; a file that is mapped to be written would be missed (the store maps to read).

use sim::Chance;
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    rc::Rc,
};

/// The system calls that matter.
const CALLS: &str = "trace=openat,creat,open,close,dup,fcntl,read,write,writev,pwrite64,pwritev,lseek,ftruncate,\
     fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,link,linkat,symlink,symlinkat";

/// Bytes that reach a disk together.
const SECTOR_BYTES: usize = 512;

/// One call that returned.
pub(super) struct Step {
    name: String,
    arguments: String,
    result: i64,
}

impl Step {
    /// Returns true when it makes something durable.
    pub(super) fn is_sync(&self) -> bool {
        matches!(self.name.as_str(), "fsync" | "fdatasync")
    }

    /// Returns the bytes that it writes to the standard output.
    pub(super) fn printed(&self) -> Option<Vec<u8>> {
        (self.name == "write" && self.number(0) == Some(1)).then(|| self.texts().concat())
    }

    fn number(&self, place: usize) -> Option<i64> {
        let word = self.arguments.split(", ").nth(place)?;
        word.trim_end_matches(|sign: char| !sign.is_ascii_digit()).parse().ok()
    }

    /// The last argument that is a number.
    fn last_number(&self) -> Option<i64> {
        self.arguments.rsplit(", ").next()?.parse().ok()
    }

    /// Every string among the arguments.
    fn texts(&self) -> Vec<Vec<u8>> {
        let parts = self.arguments.split('"').skip(1).step_by(2);
        parts
            .map(|part| {
                let bytes = part.split("\\x").skip(1);
                bytes.map(|byte| u8::from_str_radix(byte, 16).expect("strace printed hex")).collect()
            })
            .collect()
    }

    fn paths(&self) -> Vec<PathBuf> {
        let text = |bytes: Vec<u8>| PathBuf::from(String::from_utf8(bytes).expect("our paths are text"));
        self.texts().into_iter().map(text).collect()
    }
}

/// Starts one test of this program again under strace; the steps of it.
pub(super) fn run(test: &str, told: &[(&str, &str)]) -> Vec<Step> {
    let trace = tempfile::NamedTempFile::new().unwrap();
    let status = Command::new("strace")
        .args(["-f", "-xx", "-s", "16777216", "-e", CALLS, "-o"])
        .arg(trace.path())
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .envs(told.iter().copied())
        .stdout(Stdio::null())
        .status()
        .expect("strace is installed: tools/install.sh test");
    assert!(status.success(), "the traced run ended with {status}");
    steps(&fs::read_to_string(trace.path()).unwrap())
}

/// Reads a trace; calls of threads that interrupt each other are put together.
fn steps(trace: &str) -> Vec<Step> {
    let mut open: HashMap<&str, String> = HashMap::new();
    let mut steps = Vec::new();
    for line in trace.lines() {
        let Some((thread, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        if let Some(beginning) = call.strip_suffix(" <unfinished ...>") {
            // Before a close returns, its number may have been given to a file that another thread opens.
            match beginning.strip_prefix("close(") {
                Some(number) => {
                    steps.push(Step { name: "close".into(), arguments: number.into(), result: 0 })
                }
                None => drop(open.insert(thread, beginning.to_owned())),
            }
            continue;
        }
        let call = match call.strip_prefix("<... ").and_then(|call| call.split_once(" resumed>")) {
            Some((_, end)) => open.remove(thread).unwrap_or_default() + end,
            None => call.to_owned(),
        };
        let Some((call, result)) = call.rsplit_once(" = ") else { continue };
        let Some((name, arguments)) = call.trim_end().trim_end_matches(')').split_once('(') else { continue };
        let result = result.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(-1);
        steps.push(Step { name: name.to_owned(), arguments: arguments.to_owned(), result });
    }
    steps
}

#[derive(Default)]
struct Node {
    written: Vec<u8>,
    synced: Vec<u8>,
}

#[derive(Clone)]
enum Entry {
    File(Rc<RefCell<Node>>),
    Folder,
    /// A symbolic link and what it names.
    Link(PathBuf),
}

impl Entry {
    fn is_same(&self, other: &Entry) -> bool {
        match (self, other) {
            (Entry::File(left), Entry::File(right)) => Rc::ptr_eq(left, right),
            (Entry::Folder, Entry::Folder) => true,
            (Entry::Link(left), Entry::Link(right)) => left == right,
            _ => false,
        }
    }
}

/// Something that a number of the program leads to.
#[derive(Clone)]
struct Descriptor {
    path: PathBuf,
    /// Nothing for a folder.
    node: Option<Rc<RefCell<Node>>>,
    place: usize,
    appends: bool,
}

/// How much luck there is when the power goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Luck {
    /// Nothing but what was synced.
    Worst,
    /// Everything: the program was killed, the machine went on.
    Best,
    /// Of what was not synced, this or that.
    Some(u64),
}

/// The files below one folder.
pub(super) struct Disk {
    root: PathBuf,
    names: BTreeMap<PathBuf, Entry>,
    durable: BTreeMap<PathBuf, Entry>,
    descriptors: HashMap<i64, Descriptor>,
}

impl Disk {
    /// An empty folder.
    pub(super) fn new(root: &Path) -> Disk {
        let (names, durable) = (BTreeMap::new(), BTreeMap::new());
        Disk { root: root.to_owned(), names, durable, descriptors: HashMap::new() }
    }

    /// Does what the program did.
    pub(super) fn apply(&mut self, step: &Step) {
        if step.result < 0 {
            return;
        }
        match step.name.as_str() {
            "openat" | "open" | "creat" => self.open(step),
            "close" => drop(step.number(0).and_then(|number| self.descriptors.remove(&number))),
            "dup" => self.copy(step),
            "fcntl" if step.arguments.contains("F_DUPFD") => self.copy(step),
            "read" | "lseek" => self.seek(step),
            "write" | "writev" => self.write(step, None),
            "pwrite64" | "pwritev" => self.write(step, step.last_number().map(|at| at as usize)),
            "ftruncate" => self.cut(step),
            "fsync" | "fdatasync" => self.sync(step),
            "rename" | "renameat" | "renameat2" => self.rename(&step.paths()),
            "unlink" | "unlinkat" => {
                step.paths().first().into_iter().for_each(|path| drop(self.names.remove(path)))
            }
            "mkdir" | "mkdirat" => self.make_folder(step.paths()),
            "symlink" | "symlinkat" => self.make_link(step.paths()),
            "link" | "linkat" => panic!("links are not known here: {}", step.arguments),
            _ => {}
        }
    }

    fn open(&mut self, step: &Step) {
        let Some(path) = step.paths().pop().filter(|path| path.starts_with(&self.root)) else { return };
        let has = |flag: &str| step.arguments.contains(flag);
        let path = match self.names.get(&path) {
            Some(Entry::Link(target)) => target.clone(),
            _ => path,
        };
        if !self.names.contains_key(&path) && has("O_CREAT") {
            self.names.insert(path.clone(), Entry::File(Rc::default()));
        }
        let node = match self.names.get(&path) {
            Some(Entry::File(node)) => Some(Rc::clone(node)),
            _ => None,
        };
        if let Some(node) = node.as_ref().filter(|_| has("O_TRUNC")) {
            node.borrow_mut().written.clear();
        }
        let descriptor = Descriptor { path, node, place: 0, appends: has("O_APPEND") };
        self.descriptors.insert(step.result, descriptor);
    }

    fn copy(&mut self, step: &Step) {
        let source = step.number(0).and_then(|number| self.descriptors.get(&number).cloned());
        source.into_iter().for_each(|source| drop(self.descriptors.insert(step.result, source)));
    }

    fn descriptor(&mut self, step: &Step) -> Option<&mut Descriptor> {
        self.descriptors.get_mut(&step.number(0)?)
    }

    fn seek(&mut self, step: &Step) {
        let (result, reads) = (step.result as usize, step.name == "read");
        if let Some(descriptor) = self.descriptor(step) {
            descriptor.place = if reads { descriptor.place + result } else { result };
        }
    }

    fn write(&mut self, step: &Step, at: Option<usize>) {
        let Some(descriptor) = self.descriptor(step) else { return };
        let Some(node) = descriptor.node.clone() else { return };
        let (mut bytes, written) = (step.texts().concat(), &mut node.borrow_mut().written);
        bytes.truncate(step.result as usize);
        let start = at.unwrap_or(if descriptor.appends { written.len() } else { descriptor.place });
        let end = start + bytes.len();
        written.resize(written.len().max(end), 0);
        written[start..end].copy_from_slice(&bytes);
        if at.is_none() {
            descriptor.place = end;
        }
    }

    fn cut(&mut self, step: &Step) {
        let length = step.last_number();
        if let Some((node, length)) = self.descriptor(step).and_then(|found| found.node.clone()).zip(length) {
            node.borrow_mut().written.resize(length as usize, 0);
        }
    }

    fn sync(&mut self, step: &Step) {
        let Some(Descriptor { path, node, .. }) = self.descriptor(step).cloned() else { return };
        match node {
            Some(node) => {
                let written = node.borrow().written.clone();
                node.borrow_mut().synced = written;
            }
            None => {
                self.durable.retain(|name, _| name.parent() != Some(&path));
                let inside = self.names.iter().filter(|(name, _)| name.parent() == Some(&path));
                self.durable.extend(inside.map(|(name, entry)| (name.clone(), entry.clone())));
            }
        }
    }

    fn rename(&mut self, paths: &[PathBuf]) {
        let [from, to] = paths else { panic!("a rename has two names: {paths:?}") };
        if let Some(entry) = self.names.remove(from) {
            self.names.insert(to.clone(), entry);
        }
    }

    fn make_link(&mut self, paths: Vec<PathBuf>) {
        let [target, path] = paths.as_slice() else { panic!("a link has a target and a name: {paths:?}") };
        self.names.insert(path.clone(), Entry::Link(target.clone()));
    }

    fn make_folder(&mut self, mut paths: Vec<PathBuf>) {
        if let Some(path) = paths.pop().filter(|path| path.starts_with(&self.root)) {
            self.names.insert(path, Entry::Folder);
        }
    }

    /// Writes to `target` what a disk might hold now. Links name what they named.
    pub(super) fn leave(&self, target: &Path, luck: Luck) {
        let mut chance = Chance::new(if let Luck::Some(seed) = luck { seed } else { 0 });
        let paths: BTreeSet<&PathBuf> = self.names.keys().chain(self.durable.keys()).collect();
        fs::create_dir_all(target).unwrap();
        // Folders come before what is in them.
        for path in paths {
            let (now, durable) = (self.names.get(path), self.durable.get(path));
            let is_settled = now.zip(durable).is_some_and(|(now, durable)| now.is_same(durable));
            let entry = match luck {
                Luck::Worst => durable,
                Luck::Best => now,
                Luck::Some(_) if is_settled || chance.below(2) == 0 => now,
                Luck::Some(_) => durable,
            };
            let place = target.join(path.strip_prefix(&self.root).unwrap());
            let parent_is_there = place.parent().is_some_and(Path::is_dir);
            match entry {
                Some(Entry::Folder) if parent_is_there => fs::create_dir_all(&place).unwrap(),
                Some(Entry::Link(target)) if parent_is_there => symlink(target, &place).unwrap(),
                Some(Entry::File(node)) if parent_is_there => {
                    fs::write(&place, left(&node.borrow(), luck, &mut chance)).unwrap();
                }
                _ => {}
            }
        }
    }
}

/// Returns the bytes that are left of one file.
fn left(node: &Node, luck: Luck, chance: &mut Chance) -> Vec<u8> {
    let Node { written, synced } = node;
    match luck {
        Luck::Worst => synced.clone(),
        Luck::Best => written.clone(),
        Luck::Some(_) => {
            let (shorter, longer) = (written.len().min(synced.len()), written.len().max(synced.len()));
            let length = shorter + chance.below((longer - shorter) as u64 + 1) as usize;
            let mut bytes = vec![0; length];
            for start in (0..length).step_by(SECTOR_BYTES) {
                let from = if chance.below(2) == 0 { written } else { synced };
                let end = (start + SECTOR_BYTES).min(length).min(from.len()).max(start);
                bytes[start..end].copy_from_slice(from.get(start..end).unwrap_or_default());
            }
            bytes
        }
    }
}

#[test]
fn a_number_may_be_given_again_before_close_returns() {
    let trace = "1 close(7 <unfinished ...>\n2 openat(AT_FDCWD, \"\\x2f\\x61\", O_RDONLY) = 7\n1 <... close resumed>) = 0\n";
    let names: Vec<(String, i64)> = steps(trace).into_iter().map(|step| (step.name, step.result)).collect();
    assert_eq!(names, [("close".to_owned(), 0), ("openat".to_owned(), 7)]);
}
