//! Verbs that need no server.

use super::transcript::Transcript;

#[test]
fn configurations_are_checked_and_converted() {
    let mut transcript = Transcript::new();
    transcript.write("good", "@version: 4.8\nlog { source { stdin(); }; destination { file(\"/x\"); }; };\n");
    transcript.write("unused", "@version: 4.8\nfilter f { host(a); };\nlog { source { stdin(); }; destination { file(\"/x\"); }; };\n");
    transcript.write("part", "@version: 4.8\nlog { source(s); destination { file(\"/x\"); }; };\n");
    transcript.write("bad", "@version: 4.8\nlog { source { nosuch(); }; };\nfilter f { nosuch(); };\n");
    transcript.write(
        "more",
        "@version: 4.8\nlog { source { stdin(); nosuch(); }; destination { file(\"/x\"); }; };\n",
    );
    transcript.write(
        "rsyslog",
        "$ModLoad imuxsock\nmail.* /var/log/mail\n*.emerg :omusrmsg:*\n$NoSuchDirective on\n",
    );
    transcript.write("plain", "mail.* /var/log/mail\n");
    transcript.write("broken", "if $msg contains then {\n");
    for line in [
        "check DIR/good",
        "check DIR/unused",
        "check DIR/unused --strict",
        "check DIR/part",
        "check DIR/part --syntax-only",
        "check DIR/bad",
        "check DIR/more --skip-unsupported",
        "check DIR/good --preprocess-into DIR/whole",
        "check DIR/good --preprocess-into DIR/nowhere/whole",
        "check DIR/nowhere",
        "convert rsyslog DIR/rsyslog",
        "convert rsyslog DIR/plain",
        "convert rsyslog DIR/rsyslog -o DIR/converted --report DIR/report",
        "convert rsyslog DIR/rsyslog --report -",
        "convert rsyslog DIR/plain -o DIR/nowhere/converted",
        "convert rsyslog DIR/broken",
        "convert rsyslog DIR/nowhere",
    ] {
        transcript.run(&format!("duramen {line}"));
    }
    transcript.run("syslog-ng -f DIR/good -s");
    transcript.run("syslog-ng -f DIR/bad -s");
    transcript.run("syslog-ng -f DIR/good --preprocess-into DIR/again");
    for file in ["whole", "again", "converted", "report"] {
        let text = std::fs::read_to_string(transcript.dir.path().join(file)).unwrap();
        transcript.note(&format!("{file}\n{text}"));
    }
    transcript.check("command/configurations.txt");
}

#[test]
fn lines_are_sealed_and_verified() {
    let mut transcript = Transcript::new();
    transcript.write("plain", "first\nsecond\n");
    transcript.write("more", "third\n");
    for line in [
        "duramen slog key -m DIR/master",
        "duramen slog key -m DIR/master",
        "slogkey -d DIR/master a0:ce:c8:00:00:01 serial DIR/host",
        "slogencrypt -k DIR/host -m DIR/mac DIR/host1 DIR/mac1 DIR/plain DIR/sealed",
        "slogkey -c DIR/host1",
        "slogverify -k DIR/host -m DIR/mac1 DIR/sealed DIR/clear",
        "duramen slog encrypt -k DIR/host1 -m DIR/mac1 DIR/host2 DIR/mac2 DIR/more DIR/sealed2",
        "duramen slog verify -i -p DIR/host1 -r DIR/mac1 -m DIR/mac2 DIR/sealed2 DIR/clear2",
        "duramen slog verify -k DIR/host1 -m DIR/mac2 DIR/sealed2 DIR/clear3",
        "duramen slog verify -k DIR/host -m DIR/mac2 DIR/sealed DIR/clear4",
        "duramen slog encrypt -k DIR/host1 -m DIR/nowhere DIR/host3 DIR/mac3 DIR/more DIR/sealed3",
        "duramen slog encrypt -k DIR/host -m DIR/plain DIR/host3 DIR/mac3 DIR/more DIR/sealed3",
        "duramen slog encrypt -k DIR/plain -m DIR/mac DIR/host3 DIR/mac3 DIR/more DIR/sealed3",
        "duramen slog key -c DIR/nowhere",
    ] {
        transcript.run(line);
    }
    for file in ["clear", "clear2"] {
        transcript.note(&std::fs::read_to_string(transcript.dir.path().join(file)).unwrap());
    }
    transcript.check("command/slog.txt");
}

#[test]
fn users_are_managed() {
    let mut transcript = Transcript::new();
    std::fs::create_dir(transcript.dir.path().join("data")).unwrap();
    let password = transcript.run("duramen user --data DIR/data add eva --generate");
    transcript.mask(password.trim(), "PASSWORD");
    let other = transcript.run("duramen user --data DIR/data password eva --generate");
    transcript.mask(other.trim(), "OTHER");
    assert!(password != other && password.trim().len() >= 12, "{password}{other}");
    for line in [
        "list",
        "add bob --generate",
        "add eva --generate",
        "remove bob",
        "remove bob",
        "grant eva audit",
        "grant eva other export",
        "grant eva third search administer",
        "grant nobody audit",
        "grants",
        "revoke eva third administer",
        "revoke eva other search",
        "revoke eva audit",
        "grants eva",
        "grants nobody",
    ] {
        let said = transcript.run(&format!("duramen user --data DIR/data {line}"));
        if line.starts_with("add") && !said.is_empty() {
            transcript.mask(said.trim(), "ANOTHER");
        }
    }
    transcript.run("duramen ledger ls --data DIR/data");
    transcript.check("command/users.txt");
}

#[test]
fn old_names_are_answered() {
    let mut transcript = Transcript::new();

    for line in [
        "duramen version",
        "syslog-ng -V",
        "syslog-ng --process-mode background",
        "syslog-ng --process-mode safe-background",
        "syslog-ng --process-mode nonsense",
        "syslog-ng -i",
        "syslog-ng --http nonsense",
        "duramen run --http nonsense",
        "syslog-ng -f DIR/nowhere -R DIR/data/persist -c DIR/ctl",
        "duramen run -f DIR/nowhere --data DIR/data2 --http none",
        "persist-tool dump x",
        "dqtool assign x",
        "dqtool relocate x",
        "dqtool info DIR",
        "dqtool ls DIR",
        "duramen queue ls DIR/nowhere",
        "duramen queue cat -t $(nosuch) DIR",
        "duramen queue dead --folder DIR ls",
        "duramen queue dead --folder DIR cat d",
        "duramen queue dead --folder DIR/nowhere ls",
        "duramen queue dead -c DIR/ctl ls",
    ] {
        transcript.run(line);
    }
    let mut printed = |line: &str| String::from_utf8(transcript.run_quietly(line).output).unwrap();
    let facts: serde_json::Value = serde_json::from_str(&printed("duramen version --json")).unwrap();
    assert_eq!((&facts["name"], &facts["language"]), (&"duramen".into(), &"4.8".into()));
    assert!(printed("duramen completions bash").contains("_duramen()"));
    assert!(printed("duramen man").contains(".TH"));
    transcript.check("command/old_names.txt");
}
