//! Rows for the text of capabilities.

use super::*;

/// Permitted, effective and inheritable ones, sorted.
#[track_caller]
fn check(text: &str, want: [&str; 3]) {
    let kept = parse(text).unwrap();
    let shown = [kept.permitted, kept.effective, kept.inheritable]
        .map(|set| set.iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(" "));
    assert_eq!(shown, want, "{text}");
}

#[test]
fn reads_capabilities() {
    check("", ["", "", ""]);
    check("cap_chown=p", ["CHOWN", "CHOWN", ""]);
    check("cap_chown,cap_fowner=ep cap_chown-ep", ["FOWNER", "FOWNER", ""]);
    check("cap_chown=ep cap_chown=", ["", "", ""]);
    check("cap_syslog+e CAP_CHOWN+i", ["CHOWN SYSLOG", "SYSLOG", "CHOWN"]);
    for wrong in ["cap_chown", "cap_nonsense=ep", "cap_chown=x", "cap_chown+"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
    assert!(parse(KEPT).unwrap().permitted.contains(CapabilitySet::NET_BIND_SERVICE));
}

#[test]
fn looks_users_and_groups_up() {
    let users = "root:x:0:0:r:/root:/bin/sh\nanna:x:1000:100::/home/anna:/bin/sh\n";
    let groups = "root:x:0:\nusers:x:100:bob\nadm:x:4:syslog,anna\nlog:x:5:anna\n";
    let found = |user: Option<&str>, group: Option<&str>| {
        let options = ProcessOptions {
            user: user.map(str::to_owned),
            group: group.map(str::to_owned),
            ..ProcessOptions::default()
        };
        let identity = options.identity(users, groups).map_err(|error| error.to_string())?;
        let raw: Vec<u32> = identity.groups.iter().map(|group| group.as_raw()).collect();
        Ok::<_, String>((identity.user.map(Uid::as_raw), identity.group.map(Gid::as_raw), raw))
    };
    assert_eq!(found(None, None), Ok((None, None, vec![])));
    assert_eq!(found(Some("anna"), None), Ok((Some(1000), Some(100), vec![4, 5, 100])));
    assert_eq!(found(Some("1000"), Some("adm")), Ok((Some(1000), Some(4), vec![4, 5, 4])));
    assert_eq!(found(Some("4711"), None), Ok((Some(4711), None, vec![])));
    assert_eq!(found(Some("carl"), None), Err("--user: there is no user carl".to_owned()));
    assert_eq!(found(None, Some("carl")), Err("--group: there is no group carl".to_owned()));
}

#[test]
fn errors_name_their_option() {
    let text = || "x".to_owned();
    let rows = [
        (ProcessError::NoUser(text()), "--user: there is no user x"),
        (ProcessError::NoGroup(text()), "--group: there is no group x"),
        (
            ProcessError::Chroot { folder: "/x".into(), source: Errno::PERM },
            "--chroot: cannot change the root to /x: Operation not permitted (os error 1)",
        ),
        (
            ProcessError::OpenFiles { count: 7, source: Errno::PERM },
            "--fd-limit: cannot allow 7 open files: Operation not permitted (os error 1)",
        ),
        (
            ProcessError::Core(Errno::PERM),
            "--enable-core: Operation not permitted (os error 1); see ulimit -Hc",
        ),
        (
            ProcessError::User { id: 7, source: Errno::PERM },
            "cannot run as user 7: Operation not permitted (os error 1); only root may change it",
        ),
        (
            ProcessError::Group { id: 7, source: Errno::PERM },
            "cannot run as group 7: Operation not permitted (os error 1); only root may change it",
        ),
        (ProcessError::Clause(text()), "--caps: \"x\" is not of the form cap_chown,cap_fowner=ep"),
        (ProcessError::NoCapability(text()), "--caps: there is no capability x"),
        (ProcessError::MissingCapability(text()), "--caps: this process does not have cap_x"),
        (ProcessError::Capabilities(Errno::PERM), "--caps: Operation not permitted (os error 1)"),
    ];
    for (error, want) in rows {
        assert_eq!(error.to_string(), want);
    }
}

#[test]
fn options_that_are_wrong_change_nothing() {
    let with = |change: fn(&mut ProcessOptions)| {
        let mut options = ProcessOptions::default();
        change(&mut options);
        options.apply().map_err(|error| error.to_string())
    };
    assert_eq!(with(|_| {}), Ok(()));
    let wrong = |text: &str| Err(text.to_owned());
    assert_eq!(
        with(|options| options.user = Some("nobody of that name".to_owned())),
        wrong("--user: there is no user nobody of that name")
    );
    assert_eq!(
        with(|options| options.group = Some("no group of that name".to_owned())),
        wrong("--group: there is no group no group of that name")
    );
    assert_eq!(
        with(|options| options.caps = Some("cap_x=p".to_owned())),
        wrong("--caps: there is no capability cap_x")
    );
    let nowhere = with(|options| options.chroot = Some("/nowhere".into())).unwrap_err();
    assert!(nowhere.starts_with("--chroot: cannot change the root to /nowhere: "), "{nowhere}");
}

#[test]
fn capabilities_are_kept_as_far_as_there_are_any() {
    let may = parse("cap_chown,cap_syslog=p").unwrap().permitted;
    let granted = |text: &str, caps: Option<&str>| {
        let options = ProcessOptions { caps: caps.map(str::to_owned), ..ProcessOptions::default() };
        options.granted(parse(text).unwrap(), may).map_err(|error| error.to_string()).map(|kept| {
            [kept.permitted, kept.effective, kept.inheritable]
                .map(|set| set.iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(" "))
        })
    };
    let sets = |sets: [&str; 3]| Ok(sets.map(str::to_owned));
    let text = "cap_chown,cap_fowner=p cap_syslog,cap_fowner+i";
    assert_eq!(granted(text, None), sets(["CHOWN SYSLOG", "CHOWN", "SYSLOG"]));
    assert_eq!(granted("cap_chown=ep", Some("given")), sets(["CHOWN", "CHOWN", ""]));
    assert_eq!(granted(text, Some("given")), Err("--caps: this process does not have cap_fowner".to_owned()));
}
