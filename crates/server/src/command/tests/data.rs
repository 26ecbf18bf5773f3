//! What is shown of data on the disk without a server: queues, logspaces with damage, the way of a message.

use super::{
    server::{CONFIG, Running, send_three, wait_for_written},
    transcript::Transcript,
};
use std::{
    fs,
    io::{Read, Write},
    net::TcpListener,
    path::{Path, PathBuf},
    thread,
};

#[test]
fn queues_are_shown() {
    let mut transcript = Transcript::new();
    // Nobody listens there.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let config = CONFIG.replace(
        "log everything",
        &format!(
            "destination d_net {{ network(\"127.0.0.1\" port({port}) template(\"$MSG\\n\") disk-buffer(reliable(yes) capacity-bytes(2M))); }};\n\
             log {{ source(s_in); destination(d_net); }};\nlog everything"
        ),
    );
    let running = Running::start(&mut transcript, &config);
    send_three(&running, &transcript);
    running.send(&["<13>Nov 21 03:00:03 web app: n4 \x1b[2J\n"]);
    wait_for_written(&transcript, 9);
    running.stop(&mut transcript);
    let (queues, folder) = ("DIR/data/disk-buffers", transcript.dir.path().to_owned());
    for line in [
        "info DIR/data/disk-buffers DIR/nowhere",
        "info DIR/data/disk-buffers/d_net#0 DIR/out",
        "cat DIR/data/disk-buffers",
        "cat DIR/data/disk-buffers -t $HOST:$MSG\\n",
        "cat DIR/data/disk-buffers -t $MSG\\n --raw",
        "cat DIR/data/disk-buffers -t $(",
    ] {
        transcript.run(&format!("duramen queue {line}"));
    }
    transcript.run(&format!("dqtool cat {queues}"));
    transcript.run_until(0, &format!("duramen queue cat {queues}"));
    let mut output = |line: &str| {
        let printed = transcript.run_quietly(&format!("duramen queue {line} {queues}"));
        (String::from_utf8(printed.output).unwrap(), String::from_utf8(printed.errors).unwrap())
    };
    let (listed, errors) = output("ls");
    let fields: Vec<&str> = listed.trim_end().split('\t').collect();
    assert!(fields[0].ends_with("/disk-buffers/d_net#0") && fields[1] == "4 messages", "{listed}");
    let bytes: u64 = fields[2].strip_suffix(" bytes").unwrap().parse().unwrap();
    assert!((100..10_000).contains(&bytes) && errors.is_empty(), "{listed}{errors}");
    for path in files_below(&folder.join("data/disk-buffers")) {
        let mut bytes = fs::read(&path).unwrap();
        if let Some(at) = bytes.windows(2).position(|part| part == b"n2") {
            bytes[at] ^= 1;
            fs::write(&path, bytes).unwrap();
        }
    }
    for (line, want) in [("ls", "messages\t"), ("info", "Damaged places: 1\n"), ("cat -t $MSG\\n", "n4 ")] {
        let (output, errors) = output(line);
        assert!(output.contains(want) && errors.starts_with("duramen: "), "{line}: {output}{errors}");
        assert!(!output.contains("n2"), "{output}");
    }
    transcript.check("command/queues.txt");
}

/// All files below a folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

#[test]
fn damaged_logspaces_are_shown_as_far_as_they_go() {
    let mut transcript = Transcript::new();
    let running = Running::start(&mut transcript, CONFIG);
    send_three(&running, &transcript);
    transcript.run("duramen logspace seal audit -c DIR/ctl");
    running.stop(&mut transcript);
    let run = |transcript: &mut Transcript, lines: &[&str]| {
        for line in lines {
            transcript.run(&format!("duramen logspace {line} --data DIR/data"));
        }
    };
    run(
        &mut transcript,
        &[
            "cat audit --json",
            "cat audit --raw",
            "cat audit --query app --format json",
            "cat audit --from 2000-01-01T00:00:00Z --to 2000-01-02T00:00:00Z",
            "cat audit --to 2000-01-02T00:00:00Z",
            "cat audit --from 2000-01-02T00:00:00Z --query n3",
            "cat audit --from nonsense",
            "cat audit --key DIR/nowhere",
            "cat DIR/data/logspaces/audit --query n3",
            "ls audit --removed",
            "scrub audit --rate 1",
            "scrub audit --json",
            "verify audit --head nonsense",
            "verify audit --trust DIR/nowhere",
            "verify audit --tsa-ca DIR/nowhere",
            "verify nowhere",
            "export audit -o DIR/out --query n1",
            "export audit -o DIR/packed --query n1 --sign-key DIR/nowhere",
            "export audit -o DIR/packed2 --query (",
            "export some -o DIR/packed3",
            "export some -o DIR/packed4 --config DIR/conf",
            "export some -o DIR/packed5 --config DIR/nowhere",
            "rebuild-index audit 99",
        ],
    );
    for line in [
        "DIR/packed4",
        "DIR/packed4 --json",
        "DIR/packed4 --trust DIR/nowhere",
        "DIR/packed4 --tsa-ca DIR/nowhere",
    ] {
        transcript.run(&format!("duramen verify-package {line}"));
    }
    let space = transcript.dir.path().join("data/logspaces/audit");
    let segments = files_below(&space);
    let segment = segments.iter().find(|path| path.extension().is_some_and(|ending| ending == "ds")).unwrap();
    let whole = fs::read(segment).unwrap();
    let mut damaged = whole.clone();
    damaged[700] ^= 1;
    fs::write(segment, &damaged).unwrap();
    let lines = ["cat audit", "scrub audit", "verify audit", "ls audit"];
    run(&mut transcript, &["cat audit", "verify audit"]);
    for line in ["scrub audit", "scrub audit --json"] {
        let printed = transcript.run_quietly(&format!("duramen logspace {line} --data DIR/data"));
        let text = String::from_utf8_lossy(&printed.output).into_owned();
        assert!(text.contains("chunk"), "{line}: {text}");
        transcript.note(&format!("{line}: damaged: {} lines\n", text.lines().count()));
    }
    fs::write(segment, &whole[..100]).unwrap();
    run(&mut transcript, &lines);
    run(&mut transcript, &["scrub audit --json", "ls audit --json"]);
    fs::remove_file(segment).unwrap();
    run(&mut transcript, &lines);
    run(&mut transcript, &["scrub audit --json", "cat audit --json"]);
    transcript.check("command/logspaces.txt");
}

const EXPLAINED: &str = r#"@version: 4.8
options { keep-hostname(yes); use-dns(no); };
source s { network(port(5514) transport(udp)); };
source s_new { syslog(port(5515)); };
source s_raw { network(port(5516) flags(no-parse)); };
source s_file { file("/nothing"); };
parser p_json { json-parser(prefix(".j.")); };
rewrite r_gone { unset(value("PROGRAM")); };
destination d_tcp { network("h" port(1)); };
destination d_tls { network("h" port(2) transport(tls) tls(peer-verify(no))); };
destination d_udp { udp("h" port(3)); };
destination d_unix { unix-stream("/u"); unix-dgram("/v"); };
destination d_relp { relp("h" port(4)); };
destination d_gelf { gelf("h" port(5)); };
destination d_mail { smtp(host("m") from("a@b") to("c@d") header("Date" "d") header("Message-ID" "i")); };
destination d_pipe { pipe("/p"); };
destination d_pseudo { pseudofile("/q"); };
destination d_program { program("cat"); };
destination d_tty { usertty("eva"); };
destination d_out { stdout(template("out $MSG\n")); };
destination d_file { file("/f/$HOST"); };
destination d_web { http(url("http://h/$HOST") body("$MSG")); };
destination d_sql { sql(type(sqlite3) database("/x.db") table("t") columns("a integer") values("$MSG")); };
destination d_space { logspace("audit"); };
log all { source(s); parser(p_json); rewrite(r_gone);
  destination(d_tcp); destination(d_tls); destination(d_udp); destination(d_unix); destination(d_relp); destination(d_gelf);
  destination(d_pipe); destination(d_pseudo); destination(d_program); destination(d_tty); destination(d_out);
  destination(d_file); destination(d_web); destination(d_sql); destination(d_space);
};
log mails { source(s); filter { host(mail); }; destination(d_mail); flags(catchall); };
log { source(s_new); source(s_raw); destination(d_out); };
log { source(s_file); filter { host(never); }; };
"#;

#[test]
fn the_way_of_a_message_is_explained() {
    let mut transcript = Transcript::new();
    let machine = crate::assemble::machine_name();
    for (text, mask) in [("HOST_FROM = NAME", "HOST_FROM = MACHINE"), ("\"NAME\"", "\"MACHINE\"")] {
        transcript.mask(&text.replace("NAME", &machine), mask);
    }
    transcript.write("conf", EXPLAINED);
    transcript.write("bad", "@version: 4.8\nlog { nonsense; };\n");
    transcript.write("none", "@version: 4.8\nlog { destination { stdout(); }; };\n");
    transcript.write("messages", "<13>Nov 21 03:00:00 web app[7]: one\n<13>Nov 21 03:00:01 mail app: two\n");
    transcript.write("empty", "");
    let json = r#"{"i":1,"d":1.5,"b":true,"n":null,"l":["a","b"],"t":"x"}"#;
    for line in [
        "DIR/conf",
        "DIR/bad --message x",
        "DIR/none --message x",
        "DIR/nowhere --message x",
        "DIR/conf --message x --source nowhere",
        "DIR/conf --message-file DIR/nowhere",
        "DIR/conf --source s_file --message-file DIR/empty",
        &format!("DIR/conf --source s --message <13>Nov~21~03:00:00~web~app[7]:~{json}"),
        "DIR/conf --source s --message <13>Nov~21~03:00:00~mail~app:~\u{1b}[2J\ttab",
        "DIR/conf --source s_new --message <13>1~2026-11-21T03:00:00Z~web~app~7~ID~-~text",
        "DIR/conf --source s_new --message nonsense",
        "DIR/conf --source s_raw --message <13>what~it~is",
        "DIR/conf --source s_file --message-file DIR/messages",
        "DIR/conf --source s_file --message-file DIR/messages --json",
    ] {
        transcript.run(&format!("duramen explain {line}"));
    }
    transcript.check("command/explained.txt");
}

/// A server that lets everybody in and answers each call for a tail with the next of some texts.
fn tails(answers: Vec<String>) -> (u16, thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serve = move || {
        let mut asked = Vec::new();
        let mut answers = answers.into_iter();
        while answers.len() > 0 {
            let (mut peer, _) = listener.accept().unwrap();
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && peer.read(&mut byte).unwrap() == 1 {
                head.push(byte[0]);
            }
            let head = String::from_utf8(head).unwrap();
            if head.starts_with("POST ") {
                // The body, which is as long as the password and the name are.
                let length = head.to_lowercase();
                let length = length.split("content-length: ").nth(1).unwrap().split("\r\n").next().unwrap();
                let mut body = vec![0; length.parse().unwrap()];
                peer.read_exact(&mut body).unwrap();
                peer.write_all(b"HTTP/1.1 200 OK\r\nset-cookie: duramen_session=t\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}").unwrap();
                continue;
            }
            asked.push(head.split(' ').nth(1).unwrap().to_owned());
            let answer = answers.next().unwrap();
            peer.write_all(format!("HTTP/1.1 {answer}").as_bytes()).unwrap();
        }
        asked
    };
    (port, thread::spawn(serve))
}

#[test]
fn a_tail_goes_on_where_it_was() {
    let event = |id: u32, message: &str| {
        format!(
            "event: row\nid: {id}\ndata: {{\"message\":\"{message}\",\"host\":\"h\",\"program\":\"p\",\"received_us\":1795233600000000,\"sequence\":{id}}}\n\n"
        )
    };
    let stream = "200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let (port, asked) = tails(vec![
        format!(
            "{stream}event: status\ndata: {{\"matched\":0}}\n\n{}{}",
            event(7, "one"),
            event(8, "two\\u001b[2J")
        ),
        "503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned(),
        format!("{stream}event: row\ndata: no json\n\n{}", event(9, "three")),
        format!("{stream}{}", event(10, "no one reads this")),
    ]);
    let mut transcript = Transcript::new();
    transcript.mask(&port.to_string(), "PORT");
    let line = format!("duramen tail n* --logspace a --format message --url http://127.0.0.1:{port}/");
    transcript.run_until(3, &line);
    let asked = asked.join().unwrap();
    assert_eq!(
        asked,
        [
            "/api/v1/tail?query=n*&logspace=a",
            "/api/v1/tail?query=n*&logspace=a&after=8",
            "/api/v1/tail?query=n*&logspace=a&after=8",
            "/api/v1/tail?query=n*&logspace=a&after=9",
        ]
    );
    transcript.check("command/tail.txt");
}
