//! The verbs of pdbtool.

use super::transcript::Transcript;

const DATABASE: &str = r#"<?xml version='1.0' encoding='UTF-8'?>
<patterndb version='6' pub_date='2026-11-21'>
  <ruleset name='sshd' id='set-1'>
    <patterns><pattern>sshd</pattern></patterns>
    <rules>
      <rule id='rule-1' class='login' provider='test'>
        <patterns>
          <pattern>Accepted @ESTRING:auth.method: @for @STRING:auth.user:-@ from @IPvANY:auth.address@</pattern>
        </patterns>
        <examples>
          <example>
            <test_message program='sshd'>Accepted password for eva from 10.0.0.1</test_message>
            <test_values>
              <test_value name='auth.user'>eva</test_value>
              <test_value name='auth.address'>10.0.0.1</test_value>
            </test_values>
          </example>
          <example>
            <test_message program='sshd'>Accepted key for bob from 10.0.0.2</test_message>
            <test_values>
              <test_value name='auth.user'>eva</test_value>
              <test_value name='nothing'>x</test_value>
            </test_values>
          </example>
          <example><test_message>Accepted key for bob from 10.0.0.2</test_message></example>
        </examples>
        <values><value name='auth.result' type='string'>good</value></values>
        <tags><tag>ssh</tag></tags>
      </rule>
      <rule id='rule-2' class='close'>
        <patterns><pattern>Connection closed by @IPv4:auth.address@ [@NUMBER@]</pattern></patterns>
      </rule>
    </rules>
  </ruleset>
</patterndb>
"#;

#[test]
fn messages_are_matched() {
    let mut transcript = Transcript::new();
    transcript.write("db.xml", DATABASE);
    transcript.write("broken.xml", "<patterndb");
    transcript.write(
        "lines",
        "<38>Nov 21 03:00:00 web sshd[7]: Accepted password for eva from 10.0.0.1\n<38>Nov 21 03:00:00 web sshd[7]: nothing known\n",
    );
    let accepted = "Accepted~password~for~eva~from~10.0.0.1";
    for line in [
        format!("match -p DIR/db.xml -P sshd -M {accepted}"),
        "match -p DIR/db.xml -P sshd -M nothing".to_owned(),
        format!("match -p DIR/db.xml -P cron -M {accepted}"),
        format!("match -p DIR/db.xml -P sshd -M {accepted} -T ${{auth.user}}\\t${{auth.address}}\\n"),
        format!("match -p DIR/db.xml -P sshd -M {accepted} -D"),
        format!("match -p DIR/db.xml -P sshd -M {accepted} -D -c"),
        "match -p DIR/db.xml -P sshd -M Connection~closed~by~10.0.0.1~[7] -D -C".to_owned(),
        "match -p DIR/db.xml -P sshd -M Connection~closed~by~10.0.0.1~[7]~and~more -D".to_owned(),
        "match -p DIR/db.xml -P sshd -M Accepted~x -D".to_owned(),
        "match -p DIR/db.xml -f DIR/lines -T $PROGRAM~${.classifier.class}\\n".to_owned(),
        "match -p DIR/db.xml -f DIR/lines -F tags('ssh') -T $MSG\\r\\\\\\n".to_owned(),
        "match -p DIR/db.xml -f DIR/nowhere".to_owned(),
        "match -p DIR/db.xml".to_owned(),
        "match -p DIR/db.xml -M x -T $(nosuch)".to_owned(),
        "match -p DIR/db.xml -M x -F nosuch(".to_owned(),
        "match -p DIR/broken.xml -M x".to_owned(),
    ] {
        transcript.run(&format!("duramen patterndb {line}"));
    }
    transcript.run(&format!("pdbtool match -p DIR/db.xml -P sshd -M {accepted} -T ${{auth.method}}\\n"));
    transcript.check("command/match.txt");
}

#[test]
fn databases_are_tested_and_shown() {
    let mut transcript = Transcript::new();
    transcript.write("db.xml", DATABASE);
    transcript.write("broken.xml", "<patterndb");
    let typed = DATABASE
        .replace("<test_value name='auth.user'>eva", "<test_value name='auth.user' type='int'>eva")
        .replace("<test_value name='nothing'>", "<test_value name='nothing' type='nonsense'>");
    transcript.write("typed.xml", &typed);
    let good =
        DATABASE.replace("for bob", "for eva").replace("<test_value name='nothing'>x</test_value>", "");
    transcript.write("good.xml", &good);
    let same =
        DATABASE.replace("Connection closed by @IPv4:auth.address@ [@NUMBER@]", "Accepted @ANYSTRING:all@");
    transcript.write("same.xml", &same);
    transcript.write("strange.xml", &good.replace("<tags>", "<strange/><tags>"));
    for line in [
        "test DIR/good.xml",
        "test DIR/good.xml -v",
        "test DIR/db.xml",
        "test DIR/db.xml -D",
        "test DIR/typed.xml",
        "test DIR/same.xml --rule-id rule-1",
        "test DIR/good.xml --rule-id rule-1",
        "test DIR/good.xml --rule-id rule-2",
        "test DIR/broken.xml DIR/good.xml",
        "test DIR/strange.xml --validate",
        "dump -p DIR/db.xml -P sshd",
        "dump -p DIR/db.xml -T",
        "dump -p DIR/db.xml",
        "dump -p DIR/broken.xml",
        "dictionary -p DIR/db.xml",
        "dictionary -p DIR/db.xml -T",
        "dictionary -p DIR/db.xml -P cron",
        "dictionary -p DIR/broken.xml",
    ] {
        transcript.run(&format!("duramen patterndb {line}"));
    }
    transcript.check("command/databases.txt");
}

#[test]
fn databases_are_merged_and_made() {
    let mut transcript = Transcript::new();
    let folder = transcript.dir.path().join("parts/more");
    std::fs::create_dir_all(folder).unwrap();
    transcript.write("parts/b.xml", DATABASE);
    transcript.write("parts/a.xml", &DATABASE.replace("set-1", "set-0"));
    transcript.write("parts/note.txt", "no database");
    transcript.write("parts/more/c.xml", &DATABASE.replace("set-1", "set-2"));
    let lines: String =
        (0..6).map(|n| format!("<38>Nov 21 03:00:00 web sshd[7]: user u{} came & <went>\n", n / 3)).collect();
    transcript.write("lines", &lines);
    for line in [
        "merge -p DIR/out.xml -D DIR/parts -G *.xml",
        "dump -p DIR/out.xml -T",
        "merge -p DIR/all.xml -D DIR/parts -G *.xml -r",
        "merge -p DIR/out.xml -D DIR/parts",
        "merge -p DIR/out.xml -D DIR/parts -G [",
        "merge -p DIR/out.xml -D DIR/nowhere",
        "merge -p DIR/nowhere/out.xml -D DIR/parts -G *.xml",
        "merge -p DIR/out.xml",
        "patternize -f DIR/lines -S 70",
        "patternize -f DIR/lines -n --samples 2 -S 20",
        "patternize DIR/lines -o -S 70 --samples 0",
        "patternize -f DIR/lines -p -d :",
        "patternize -f DIR/nowhere",
        "patternize",
    ] {
        transcript.run(&format!("duramen patterndb {line}"));
    }
    for file in ["out.xml", "all.xml"] {
        let text = std::fs::read_to_string(transcript.dir.path().join(file)).unwrap();
        transcript.note(&format!(
            "{file}\n{}\n",
            text.lines().filter(|line| line.contains("set")).collect::<Vec<_>>().join("\n")
        ));
    }
    transcript.check("command/merged.txt");
}
