//! Rows: a configuration and messages, and what is printed about their way.

use super::*;
use config::Memory;

const CONFIG: &str = r#"@version: 4.8
options { keep-hostname(yes); use-dns(no); };
source s_net { network(port(5514)); };
source s_other { udp(port(5515)); };
filter f_auth { facility(auth, authpriv) and not program("cron"); };
parser p_login { regexp-parser(patterns("for (?<user>\\w+)") prefix("ssh.")); };
rewrite r_host { set("bastion" value("HOST") condition("${ssh.user}" eq "root")); };
destination d_auth { file("/var/log/${HOST}.log" template("${ssh.user} ${MSG}\n")); };
destination d_rest { syslog("siem.example" port(601)); };
log { source(s_net);
  filter(f_auth);
  parser(p_login);
  rewrite(r_host);
  if (severity(info)) { rewrite { set-tag("seen"); }; } else { filter { severity(err) }; };
  destination(d_auth);
  flags(final flow-control);
};
log { source(s_net); filter { program(web) }; destination(d_rest); };
log { source(s_other); destination(d_rest); };
log rest { source(s_net); destination(d_rest); flags(fallback); };
"#;

fn told(text: &str, messages: &[&str], json: bool) -> String {
    let surroundings = Memory::default().file("main.conf", text);
    let options = ExplainOptions {
        config: PathBuf::from("main.conf"),
        message: messages.iter().map(|message| (*message).to_owned()).collect(),
        message_file: None,
        source: None,
        peer: IpAddr::from([192, 0, 2, 7]),
        json,
    };
    explained(&options, &surroundings).unwrap_or_else(|error| panic!("{error}"))
}

/// Checks the output after the header of a message.
#[track_caller]
fn check(message: &str, want: &str) {
    let text = told(CONFIG, &[message], false);
    let way = text.split_once(".source.s_net\n").map_or("", |(_, way)| way);
    assert_eq!(way.trim_end(), want.trim());
}

#[test]
fn says_what_the_steps_of_a_path_do() {
    check(
        "<38>Oct 11 22:14:15 gw sshd[1234]: Failed password for root",
        r#"
✓ log, flags(final flow-control), with flow control  [main.conf:10:1]
  ✓ filter(f_auth)  [main.conf:11:10]
      ✓ and
        ✓ facility(auth, authpriv)
        ✓ not
          ✗ program("cron")
  ✓ parser p_login: regexp-parser(patterns("for (?<user>\\w+)") prefix("ssh."))  [main.conf:6:18]
      0 = for root
      1 = root
      ssh.user = root
  ✓ rewrite r_host: set("bastion" value("HOST") condition("${ssh.user}" eq "root"))  [main.conf:7:18]
      ✓ "${ssh.user}" eq "root"
      HOST: gw -> bastion
  ✓ if (severity(info)), with flow control  [main.conf:14:7]
      ✓ severity(info)
    ✓ rewrite set-tag("seen")  [main.conf:14:35]
        TAGS: .source.s_net -> seen,.source.s_net
  · else  [main.conf:14:57]
    not entered: another branch or a path with flags(final) took the message before
  ✓ destination d_auth: file("/var/log/${HOST}.log" template("${ssh.user} ${MSG}\n"))  [main.conf:8:22]
      d_auth#0 writes to file /var/log/bastion.log
        root Failed password for root
  final: no path behind it gets this message
· log  [main.conf:18:1]
  not entered: another branch or a path with flags(final) took the message before
· log rest, flags(fallback)  [main.conf:20:1]
  not entered: flags(fallback): another one took the message
· log  [main.conf:19:1]
  not entered: it takes messages of s_other
reaches 1 destination"#,
    );
}

#[test]
fn says_what_stopped_a_message() {
    let config = CONFIG.replace("log rest { source(s_net); destination(d_rest); flags(fallback); };", "");
    let text = told(&config, &["<38>Oct 11 22:14:15 gw sshd[1234]: hello"], false);
    let ending = text.split_once("reaches").map_or("", |(_, ending)| ending);
    let want = " no destination\n  stopped by parser p_login: regexp-parser(patterns(\"for (?<user>\\\\w+)\") \
                prefix(\"ssh.\")) at main.conf:6:18\n  stopped by filter program(web) at main.conf:17:31\n\n";
    assert_eq!(ending, want.replace("17:31", "18:31"));
}

#[test]
fn says_how_a_message_was_read() {
    let line = |message: &str| {
        let text = told(CONFIG, &[message], false);
        text.lines().nth(2).map(|line| line.trim().to_owned()).unwrap_or_default()
    };
    assert_eq!(line("<38>Oct 11 22:14:15 gw sshd: x"), "read as RFC 3164 by its <PRI>");
    assert!(line("<38>1 - gw sshd - - - x").contains("looks like RFC 5424: use syslog()"));
    assert!(line("hello").starts_with("read as RFC 3164 without a valid <PRI>"));
}

#[test]
fn shows_messages_that_parsers_make() {
    let text = told(
        "@version: 4.8\nsource s { network(port(5514)); };\nparser p { grouping-by(key(\"$HOST\") scope(global) timeout(10)
           aggregate(value(\"MESSAGE\" \"logins of ${PROGRAM}\")) inject-mode(pass-through)); };
         log { source(s); parser(p); destination { file(\"/x\" template(\"$MSG\n\")); }; };",
        &["<38>Oct 11 22:14:15 gw sshd: a", "<38>Oct 11 22:14:16 gw sshd: b"],
        false,
    );
    let held = text.split_once("held back").map_or("", |(_, held)| held);
    assert!(held.contains("makes a message") && held.contains("MESSAGE = logins of sshd"), "{text}");
    assert_eq!(held.matches("writes to file /x").count(), 1, "{text}");
}

#[test]
fn prints_json() {
    let text = told(CONFIG, &["<38>Oct 11 22:14:15 gw sshd[1]: for bob", "<30>x"], true);
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("each line is an object")).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["deliveries"], 1);
    assert_eq!(lines[0]["events"][0]["events"][2]["condition"]["holds"], false);
    assert_eq!(lines[0]["events"][0]["events"][1]["changes"][2]["after"], "bob");
    assert_eq!(lines[1]["events"][0]["taken"], false);
}

#[test]
fn refuses_what_it_cannot_run() {
    let parts = |text: &str| {
        let surroundings = Memory::default().file("main.conf", text);
        super::parts(Path::new("main.conf"), &surroundings, &Arc::default())
    };
    assert!(parts("@version: 4.8\nlog { source(s_x); };").is_err());
    let parts = parts(CONFIG).unwrap();
    let error = source(&parts, Some("s_none")).map(drop).unwrap_err();
    assert_eq!(error.to_string(), "no log path uses a source s_none: there are s_net#0, s_other#0");
    assert_eq!(source(&parts, Some("s_other")).map(|spec| spec.id).unwrap(), "s_other#0");
}
