//! Rows for packages of several logspaces.

use super::*;

/// A package of two parts, each as above; `change` is applied to the manifest above them.
fn several(folder: &Path, change: impl Fn(&mut Value)) -> [Package; 2] {
    let parts = [package(), package()];
    fs::create_dir_all(folder).unwrap();
    let mut stated = Map::new();
    for (name, part) in ["a", "b"].into_iter().zip(&parts) {
        part.write(&folder.join(name));
        let digest = Digest::of(&fs::read(folder.join(name).join(name::MANIFEST)).unwrap());
        stated.insert(name.to_owned(), json!({"manifest": digest.to_string()}));
    }
    let key = &parts[0].key;
    fs::write(folder.join("key-manifest.pem"), key.public().to_pem()).unwrap();
    let mut manifest = json!({
        "format": format::SEVERAL, "question": question().to_json(), "messages": 8, "parts": stated,
        "never_sealed": ["c", "d"], "signer": key.public().fingerprint(),
        "files": {"key-manifest.pem": Digest::of(key.public().to_pem().as_bytes()).to_string()},
    });
    change(&mut manifest);
    seal(folder, key, &manifest);
    parts
}

#[test]
fn a_package_of_several_adds_them_up() {
    let dir = tempfile::tempdir().unwrap();
    let parts = several(dir.path(), |_| ());
    let report = PackageAudit::default().run(dir.path()).unwrap();
    assert_eq!(report.faults, Vec::<String>::new());
    assert_eq!((report.messages, report.segments, report.never_sealed.join(" ")), (8, 4, "c d".into()));
    let names: Vec<(&str, u64)> =
        report.parts.iter().map(|(name, part)| (name.as_str(), part.messages)).collect();
    assert_eq!(names, [("a", 4), ("b", 4)]);
    for (known, is_there) in [(parts[1].chain[3].digest(), true), (Digest::of(b"another"), false)] {
        let audit = PackageAudit { known_head: Some(known), ..PackageAudit::default() };
        assert_eq!(audit.run(dir.path()).unwrap().faults.is_empty(), is_there);
    }
}

#[test]
fn damage_of_a_part_is_reported_with_its_name() {
    type Change = fn(&mut Value);
    let rows: [(Change, &[&str]); 5] = [
        (|manifest| manifest["messages"] = 7.into(), &["the manifest speaks of another number of messages"]),
        (
            |manifest| manifest["question"]["text"] = "x".into(),
            &[
                "a: another question was asked than of the whole",
                "b: another question was asked than of the whole",
            ],
        ),
        (
            |manifest| manifest["question"]["from_us"] = 1.into(),
            &[
                "a: another question was asked than of the whole",
                "b: another question was asked than of the whole",
            ],
        ),
        (|manifest| manifest["parts"][".."] = json!({}), &["\"..\" is not the name of a part"]),
        (
            |manifest| manifest["files"] = json!({}),
            &["the signature of the manifest is wrong", "key-manifest.pem does not belong to the package"],
        ),
    ];
    for (change, want) in rows {
        let dir = tempfile::tempdir().unwrap();
        several(dir.path(), change);
        let faults = PackageAudit::default().run(dir.path()).unwrap().faults;
        assert_eq!(faults, want);
    }
    let dir = tempfile::tempdir().unwrap();
    several(dir.path(), |_| ());
    fs::write(dir.path().join("b/more"), "").unwrap();
    fs::create_dir(dir.path().join("c")).unwrap();
    let faults = PackageAudit::default().run(dir.path()).unwrap().faults;
    assert_eq!(faults, ["c does not belong to the package", "b: more does not belong to the package"]);
}

#[test]
fn a_part_has_no_parts() {
    let dir = tempfile::tempdir().unwrap();
    several(dir.path(), |_| ());
    for name in ["a", "b"] {
        fs::remove_dir_all(dir.path().join(name)).unwrap();
        std::os::unix::fs::symlink(".", dir.path().join(name)).unwrap();
    }
    let faults = PackageAudit::default().run(dir.path()).unwrap().faults;
    assert_eq!(
        faults.iter().filter(|fault| fault.ends_with("a part cannot have parts")).count(),
        2,
        "{faults:?}"
    );
}
