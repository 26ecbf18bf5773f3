//! Rows for the places of a segment's file: its own folder, an archive, links, nothing.

use super::*;
use evidence::testing::{key, record};

const SEGMENT: &str = "2026/01-01/00000000000000000000.ds";

struct Site {
    home: tempfile::TempDir,
}

impl Site {
    fn new() -> Site {
        let site = Site { home: tempfile::tempdir().unwrap() };
        for folder in [site.dir(), site.root()] {
            fs::create_dir_all(folder.join(SEGMENT).parent().unwrap()).unwrap();
        }
        site
    }

    fn dir(&self) -> PathBuf {
        self.home.path().join("logspace")
    }

    fn root(&self) -> PathBuf {
        self.home.path().join("archive")
    }

    fn target(&self) -> PathBuf {
        self.root().join(SEGMENT)
    }

    fn path(&self) -> PathBuf {
        self.dir().join(SEGMENT)
    }

    /// The chain of a segment that went to the archive, and perhaps came back.
    fn chain(&self, last: &[Event]) -> Chain {
        let (key, mut chain) = (key(), Chain::default());
        let went = Event::Archive(format!("sha256:{} {}", Digest::of(b"x"), self.target().display()));
        for event in [Event::Seal, went].iter().chain(last) {
            let next = record(&key, &chain, 0, event.clone());
            chain.appended(next);
        }
        chain
    }

    fn locate(&self, chain: &Chain) -> SegmentPlace {
        locate(&self.dir(), Path::new(SEGMENT), chain)
    }
}

#[test]
fn a_link_is_followed_only_where_the_chain_says() {
    let site = Site::new();
    let chain = site.chain(&[]);
    assert_eq!(site.locate(&chain), SegmentPlace::Gone);
    link(&site.path(), &site.target()).unwrap();
    assert_eq!(site.locate(&chain), SegmentPlace::Away(site.target()));
    assert_eq!(site.locate(&Chain::default()), SegmentPlace::Foreign);
    fs::write(site.root().join(MARKER), "x\n").unwrap();
    assert_eq!(site.locate(&chain), SegmentPlace::Gone);
    fs::write(site.target(), "segment").unwrap();
    assert_eq!(site.locate(&chain), SegmentPlace::Archived(site.target()));
    // It came back: only a copy that a crash left is still read there.
    let back = site.chain(&[Event::Restore]);
    assert_eq!(site.locate(&back), SegmentPlace::Archived(site.target()));
    fs::remove_file(site.root().join(MARKER)).unwrap();
    assert_eq!(site.locate(&back), SegmentPlace::Foreign);
    assert_eq!(site.locate(&chain), SegmentPlace::Away(site.target()));
    let elsewhere = site.home.path().join("elsewhere");
    fs::write(&elsewhere, "segment").unwrap();
    link(&site.path(), &elsewhere).unwrap();
    assert_eq!(site.locate(&chain), SegmentPlace::Foreign);
    fs::remove_file(site.path()).unwrap();
    fs::create_dir(site.path()).unwrap();
    assert_eq!(site.locate(&chain), SegmentPlace::Foreign, "a folder");
}

#[test]
fn no_folder_on_the_way_is_a_link() {
    let site = Site::new();
    fs::write(site.path(), "segment").unwrap();
    assert_eq!(site.locate(&Chain::default()), SegmentPlace::Here);
    let year = site.dir().join("2026");
    fs::rename(&year, site.home.path().join("2026")).unwrap();
    symlink(site.home.path().join("2026"), &year).unwrap();
    assert_eq!(site.locate(&Chain::default()), SegmentPlace::Foreign);
    fs::write(site.root().join(MARKER), "x\n").unwrap();
    fs::write(site.target(), "segment").unwrap();
    assert_eq!(locate_archived(&site.target()), SegmentPlace::Archived(site.target()));
    let day = site.root().join("2026/01-01");
    fs::rename(&day, site.home.path().join("01-01")).unwrap();
    symlink(site.home.path().join("01-01"), &day).unwrap();
    assert_eq!(locate_archived(&site.target()), SegmentPlace::Foreign);
}

#[test]
fn only_the_file_of_the_segment_is_removed() {
    let site = Site::new();
    let chain = site.chain(&[]);
    let removed = || remove(&site.dir(), Path::new(SEGMENT), &chain).map_err(|error| error.to_string());
    assert_eq!(removed(), Ok(()), "it is gone already");
    fs::write(site.path(), "segment").unwrap();
    assert_eq!((removed(), site.path().exists()), (Ok(()), false));
    link(&site.path(), &site.target()).unwrap();
    let away = removed().unwrap_err();
    assert!(away.contains("is in an archive that is not attached") && site.path().is_symlink(), "{away}");
    fs::write(site.root().join(MARKER), "x\n").unwrap();
    assert_eq!((removed(), site.path().is_symlink()), (Ok(()), false), "a link to nothing");
    link(&site.path(), &site.target()).unwrap();
    fs::write(site.target(), "segment").unwrap();
    assert_eq!((removed(), site.path().is_symlink(), site.target().exists()), (Ok(()), false, false));
    let elsewhere = site.home.path().join("elsewhere");
    fs::write(&elsewhere, "somebody's").unwrap();
    link(&site.path(), &elsewhere).unwrap();
    assert!(removed().unwrap_err().contains("is not the segment's file"));
    assert!(elsewhere.exists() && site.path().is_symlink());
}

#[test]
fn a_copy_is_whole_and_over_what_a_crash_left() {
    let site = Site::new();
    let bytes: Vec<u8> = (0..COPY_BYTES * 2 + 77).map(|at| at as u8).collect();
    fs::write(site.path(), &bytes).unwrap();
    let target = site.home.path().join("new/2026/01-01/0.ds");
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    fs::write(target.with_extension(TEMPORARY_ENDING), "half").unwrap();
    assert_eq!(copy(&site.path(), &target).unwrap(), Digest::of(&bytes));
    assert_eq!(fs::read(&target).unwrap(), bytes);
    assert!(!target.with_extension(TEMPORARY_ENDING).exists());
    let far = site.home.path().join("a/b/c/0.ds");
    copy(&site.path(), &far).unwrap();
    assert_eq!(fs::read(&far).unwrap(), bytes, "folders are made");
    assert!(copy(&site.home.path().join("nothing"), &far).is_err());
    // A folder that takes no files.
    assert!(copy(&site.path(), Path::new("/proc/0.ds")).is_err());
}

#[test]
fn an_archive_is_claimed_once() {
    let site = Site::new();
    let root = site.home.path().join("x/y");
    assert!(claim(&root, "mine").is_ok() && claim(&root, "mine").is_ok());
    assert_eq!(fs::read_to_string(root.join(MARKER)).unwrap(), "mine\n");
    assert!(claim(&root, "another").unwrap_err().to_string().contains("is the archive of another logspace"));
    fs::remove_file(root.join(MARKER)).unwrap();
    fs::create_dir(root.join(MARKER)).unwrap();
    assert!(claim(&root, "mine").is_err());
}

#[test]
fn a_place_has_a_file_or_a_reason() {
    let (dir, path, target) = (Path::new("/l"), Path::new("x.ds"), PathBuf::from("/a/x.ds"));
    let rows = [
        (SegmentPlace::Here, Some("/l/x.ds"), ""),
        (SegmentPlace::Archived(target.clone()), Some("/a/x.ds"), ""),
        (SegmentPlace::Away(target), None, "it is in an archive that is not attached"),
        (SegmentPlace::Gone, None, "it is not there"),
        (
            SegmentPlace::Foreign,
            None,
            "in its place is a link that no record of an archive explains, or no file",
        ),
    ];
    for (place, file, why) in rows {
        assert_eq!((place.file(dir, path), place.why_unread()), (file.map(PathBuf::from), why));
    }
    let numbers =
        ["00000000000000000042.ds", "x/7.ds", "42.5.ds", "name.ds", ""].map(|name| first_of(Path::new(name)));
    assert_eq!(numbers, [Some(42), Some(7), None, None, None]);
}
