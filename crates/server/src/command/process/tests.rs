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
