//! Rows about the ready-made parsers of devices and programs: which lines they take, and what they read out of them.

use super::runs;

/// One line through log path elements, and a template at its end; without an output the line was refused.
#[track_caller]
fn reads(steps: &str, flags: &str, line: &str, template: &str, want: &[&str]) {
    let text = format!(
        "source s {{ network(flags({flags})); }};\nlog {{ source(s); {steps} destination {{ file(\"/o\" template(\"{template}\")); }}; }};"
    );
    let want: Vec<String> = want.iter().map(|text| format!("/o: {text}")).collect();
    runs(&text, &[line], &want.iter().map(String::as_str).collect::<Vec<_>>());
}

/// A line as it came over the network, through a parser.
#[track_caller]
fn raw(parser: &str, line: &str, template: &str, want: &str) {
    reads(&format!("parser {{ {parser}; }};"), "no-parse", line, template, &[want]);
}

/// A line that the source decodes, through `app-parser(topic(syslog))`.
#[track_caller]
fn claimed(line: &str, template: &str, want: &str) {
    reads("parser { app-parser(topic(syslog)); };", "syslog-protocol", line, template, &[want]);
}

/// A raw line through `app-parser(topic(syslog-raw))`.
#[track_caller]
fn claimed_raw(line: &str, template: &str, want: &str) {
    reads("parser { app-parser(topic(syslog-raw)); };", "no-parse", line, template, &[want]);
}

/// A line of PAN-OS whose columns behind the common ones are `c8`, `c9` and so on, but for some that are given.
fn panos_line(kind: &str, count: usize, given: &[(usize, &str)]) -> String {
    let common = format!(
        "<14>Apr 14 16:54:18 fw 1,2020/04/14 16:54:18,0009C100218,{kind},end,2305,2020/04/14 16:54:17"
    );
    let column = |at: usize| {
        given
            .iter()
            .find(|(column, _)| *column == at)
            .map_or(format!("c{at}"), |(_, value)| (*value).to_owned())
    };
    (8..=count).fold(common, |line, at| format!("{line},{}", column(at)))
}

#[test]
fn panos_columns_of_each_type_are_as_documented() {
    // Positions are those of the "Format" lines of the documentation, counted from 1.
    let rows: &[(&str, usize, &str, &str)] = &[
        ("TRAFFIC", 115, "${.panos.src} ${.panos.session_end_reason} ${.panos.device_name}", "c8 c47 c53"),
        ("TRAFFIC", 115, "${.panos.sec} ${.panos.tunnel_id/imsi} ${.panos.rule_uuid}", "c37 c57 c66"),
        (
            "TRAFFIC",
            115,
            "${.panos.http2_connection} ${.panos.dynusergroup_name}.${.panos.xff_ip}",
            "c67 c75.",
        ),
        ("THREAT", 120, "${.panos.misc} ${.panos.threatid} ${.panos.device_name}", "c32 c33 c60"),
        ("THREAT", 120, "${.panos.thr_category} ${.panos.http2_connection}", "c70 c78"),
        ("SYSTEM", 26, "${.panos.eventid} ${.panos.opaque} ${.panos.device_name}", "c9 c15 c23"),
        ("HIP-MATCH", 30, "${.panos.machine_name} ${.panos.device_name} ${.panos.hostid}", "c10 c25 c28"),
        ("HIPMATCH", 30, "${.panos.srcuser} ${.panos.serialnumber}", "c8 c29"),
        (
            "USERID",
            35,
            "${.panos.user} ${.panos.device_name} ${.panos.factorno} ${.panos.userbysource}",
            "c10 c26 c30 c34",
        ),
        ("CORRELATION", 22, "${.panos.src} ${.panos.device_name} ${.panos.evidence}", "c8 c18 c22"),
        (
            "GLOBALPROTECT",
            49,
            "${.panos.stage} ${.panos.portal} ${.panos.gateway} ${.panos.vsys_id}",
            "c10 c34 c42 c49",
        ),
        (
            "DECRYPTION",
            120,
            "${.panos.tls_version} ${.panos.cn} ${.panos.sni} ${.panos.seqno}",
            "c40 c61 c64 c90",
        ),
        (
            "AUTHENTICATION",
            48,
            "${.panos.authpolicy} ${.panos.device_name} ${.panos.rule_uuid}",
            "c13 c30 c33",
        ),
        ("TUNNEL", 90, "${.panos.severity} ${.panos.tunnelid} ${.panos.tunnel_insp_rule}", "c32 c43 c64"),
        ("START", 90, "${.panos.device_name}", "c42"),
        ("SCTP", 70, "${.panos.device_name} ${.panos.assoc_id} ${.panos.rule_uuid}", "c38 c41 c64"),
        ("GTP", 90, "${.panos.event_type} ${.panos.mcc} ${.panos.imsi} ${.panos.start}", "c32 c43 c59 c77"),
        ("IPTAG", 27, "${.panos.ip} ${.panos.tag_name} ${.panos.device_name}", "c9 c10 c24"),
        ("NEWTYPE", 20, "${.panos.type} ${.panos.rest}", "NEWTYPE c8"),
    ];
    for (kind, count, template, want) in rows {
        let count = (*count).max(50);
        claimed(
            &panos_line(kind, count, &[]),
            &format!("$HOST $PROGRAM {template}"),
            &format!("fw paloalto_panos {want}"),
        );
    }
}

#[test]
fn panos_config_has_two_layouts() {
    let show = "${.panos.path} ${.panos.before_change_detail} ${.panos.seqno} ${.panos.device_name}";
    claimed(&panos_line("CONFIG", 23, &[(16, "0x0")]), show, "c14  c15 c22");
    claimed(&panos_line("CONFIG", 27, &[(16, "0x8000000000000000")]), show, "c14  c15 c22");
    claimed(&panos_line("CONFIG", 25, &[(14, "\"a, b\""), (18, "0x0")]), show, "a, b c15 c17 c24");
}

#[test]
fn panos_lines_need_neither_header_nor_a_usual_serial() {
    let line = "<12>Apr 14 16:48:54 fw.test 1,2020/04/14 16:48:54,unknown,SYSTEM,auth,0,2020/04/14 16:48:54,,auth-fail,,0,0,general,medium,\"failed \"\"admin\"\", from 10.0.10.55\",1718,0x0,0,0,0,0,,paloalto,foo,bar";
    let show = "$PROGRAM ${.panos.serial} ${.panos.eventid} ${.panos.opaque} ${.panos.device_name}";
    raw(
        "panos-parser()",
        line,
        show,
        "paloalto_panos unknown auth-fail failed \"admin\", from 10.0.10.55 paloalto",
    );
    claimed(line, show, "paloalto_panos unknown auth-fail failed \"admin\", from 10.0.10.55 paloalto");
    let iso = line.replace("2020/04/14 16:48:54", "2020-04-14T16:48:54Z").replace("unknown", "PA-VM 01");
    claimed(&iso, "${.panos.serial} ${.panos.receive_time}", "PA-VM 01 2020-04-14T16:48:54Z");
}

#[test]
fn panos_columns_of_later_versions_are_an_option() {
    let line = panos_line("THREAT", 121, &[]);
    let show = "${.panos.dynusergroup_name} ${.panos.partial_hash} ${.panos.sanctioned_state_of_app}";
    raw("panos-parser(all-columns(yes))", &line, show, "c79 c107 c120");
    raw("panos-parser()", &line, show, "  ");
}

const CHECKPOINT: &str =
    "[action:\"Accept\"; ifname:\"eth; 1\"; product:\"VPN-1 & FireWall-1\"; src:\"10.1.2.3\"; ]";

#[test]
fn checkpoint_headers_are_read() {
    let show = "$PRI $PROGRAM $HOST $PID $S_ISODATE ${.checkpoint.action} ${.checkpoint.ifname} ${.checkpoint.product} ${.checkpoint.src}";
    let want =
        "134 CheckPoint fwmgmt 16559 2020-01-02T14:04:50+00:00 Accept eth; 1 VPN-1 & FireWall-1 10.1.2.3";
    for time in ["2020-01-02T14:04:50Z", "2020-01-02T14:04:50", "2020-01-02 14:04:50"] {
        let line = format!("<134>1 {time} fwmgmt CheckPoint 16559 - {CHECKPOINT}");
        raw("checkpoint-parser()", &line, show, want);
        claimed_raw(&line, &format!("${{.app.name}} {show}"), &format!("checkpoint {want}"));
    }
    let splunk = "time=1557767758|hostname=r80test|product=Firewall|action=Accept|originsicname=cn\\=mgmt|src=192.168.96.27|";
    claimed_raw(
        splunk,
        "${.app.name} ${.checkpoint.product} ${.checkpoint.src}",
        "checkpoint Firewall 192.168.96.27",
    );
    claimed(
        &format!("<134>1 2020-01-02T14:04:50Z fwmgmt CheckPoint 16559 - - {CHECKPOINT}"),
        "${.app.name} ${.checkpoint.action} ${.checkpoint.src}",
        "checkpoint Accept 10.1.2.3",
    );
}

#[test]
fn raw_lines_of_other_devices_are_read() {
    let websense = "<159>Dec 19 10:48:57 EST 10.203.28.21 vendor=Websense product=Security action=permitted dst_port=443";
    claimed_raw(
        websense,
        "${.app.name} $PRI $HOST $PROGRAM $S_MONTH/$S_DAY $MSG ${.websense.action} ${.websense.dst_port}",
        "websense 159 10.203.28.21 Websense 12/19 vendor=Websense product=Security action=permitted dst_port=443 permitted 443",
    );
    claimed_raw(
        "<134>{\"_insertion_epoch_timestamp\": 1547421943, \"user\": \"u@d\"}",
        "${.app.name} $PRI ${.netskope.user} $MSG",
        "netskope 134 u@d {\"_insertion_epoch_timestamp\": 1547421943, \"user\": \"u@d\"}",
    );
    claimed_raw(
        "<189>date=2021-01-15 time=12:58:59 devname=\"FORTI_111\" devid=\"FG1\" logid=\"0001000014\" tz=\"+0300\" srcip=91.234.154.139",
        "${.app.name} $PRI $HOST $S_UNIXTIME ${.fortigate.srcip}",
        "fortigate 189 FORTI_111 1610704739 91.234.154.139",
    );
    claimed_raw(
        "<189>date=2021-01-15 time=12:58:59 devname=F devid=FG1",
        "$S_ISODATE",
        "2021-01-15T12:58:59+00:00",
    );
    claimed_raw(
        "<187>3408: CLC 6/0: Dec 11 13:31:14.214 EST: %PKI-3-CERTIFICATE_INVALID_EXPIRED: Certificate (SN: X) has expired.",
        "${.app.name} ${.cisco.cpu_module} ${.cisco.facility} ${.cisco.severity} ${.cisco.mnemonic} $MSG",
        "cisco CLC 6/0 PKI 3 CERTIFICATE_INVALID_EXPIRED %PKI-3-CERTIFICATE_INVALID_EXPIRED: Certificate (SN: X) has expired.",
    );
    claimed_raw(
        "<166>2022-02-16T15:31:53Z na-zy-p02 : %FTD-6-305012: Teardown",
        "$HOST $S_ISODATE ${.cisco.mnemonic}",
        "na-zy-p02 2022-02-16T15:31:53+00:00 305012",
    );
    claimed_raw(
        "<190>32: foo: *Apr 29 13:58:46.411: %SYSMGR-STANDBY-3-SHUTDOWN_START: text",
        "$PRI $HOST $DATE $MSEC ${.cisco.facility} ${.cisco.severity} ${.cisco.mnemonic}",
        "190 foo Apr 29 13:58:46 411 SYSMGR-STANDBY 3 SHUTDOWN_START",
    );
}

#[test]
fn applications_of_syslog_are_named() {
    claimed(
        "<14>1 2019-04-12T14:29:06.576Z - RT_FLOW - RT_FLOW_SESSION_CLOSE [junos@2636.1.1.1.2.129 reason=\"TCP FIN\"] closed",
        "${.app.name} ${.SDATA.junos@2636.1.1.1.2.129.reason}",
        "junos TCP FIN",
    );
    claimed(
        "<14>1 2019-04-12T14:29:06.576Z - RT_FLOW - X [junos@2636.1.1.1.2.40 policy-name=\"p\"] denied",
        "${.app.name}",
        "junos",
    );
    claimed(
        "<13>Jun 25 15:51:13 web sudo:     mike : 1 incorrect password attempt ; PWD=/root ; USER=root ; COMMAND=/bin/ls",
        "${.app.name} ${.sudo.SUBJECT} ${.sudo.COMMAND} ${0}",
        "sudo mike /bin/ls \"mike : 1 incorrect password attempt ;\"",
    );
    claimed(
        "<4>Jun 25 15:51:13 gw kernel: [ 27.3] DROP IN=eth0 OUT= MAC=08:00 PROTO=2",
        "${.app.name} ${.iptables.IN} ${.iptables.PROTO}",
        "iptables eth0 2",
    );
    claimed(
        "<190>Apr 29 13:56:16 db mysql-server_auditing: eff8,user1,172.18.0.3,11,58,QUERY,d,'insert into t (a, b)',0",
        "${.mariadb.syslog_info}.${.mariadb.serverhost} ${.mariadb.object} ${.mariadb.retcode}",
        ".eff8 insert into t (a, b) 0",
    );
}

#[test]
fn access_logs_with_a_virtual_host_are_read() {
    let show = "${.apache.vhost} ${.apache.port} ${.apache.clientip} ${.apache.verb} ${.apache.httpversion} ${.apache.rawrequest} ${.apache.agent} $S_ISODATE";
    let rest = "127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a.gif HTTP/1.0\" 200 2326 \"-\" \"Mozilla/4.08 [en]\"";
    let want = "127.0.0.1 GET 1.0 GET /a.gif HTTP/1.0 Mozilla/4.08 [en] 2000-10-10T13:55:36-07:00";
    raw("apache-accesslog-parser()", rest, show, &format!("  {want}"));
    raw(
        "apache-accesslog-parser()",
        &format!("www.example.com:443 {rest}"),
        show,
        &format!("www.example.com 443 {want}"),
    );
    raw(
        "apache-accesslog-parser()",
        "127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"\\x16\\x03\" 400 226",
        "${.apache.verb}.${.apache.response}",
        ".400",
    );
}

#[test]
fn postgresql_values_have_their_types() {
    let line = "2023-11-03 16:32:35.084 CET,\"postgres\",\"bench_test\",3451998,\"[local]\",65451258.34ac5e,632376,\"UPDATE\",2023-11-03 16:31:36 CET,6/45171,228887,LOG,00000,\"duration: 0.081 ms\",,,,,,,,,\"pgbench\",\"client backend\",,1521477082073268809";
    raw(
        "postgresql-csvlog-parser()",
        line,
        "$(format-json SEVERITY=$SEVERITY --key .pgsql.*id --key .pgsql.session_line_num --key .pgsql.query_pos) $S_MONTH/$S_DAY",
        "{\"_pgsql\":{\"virtual_transaction_id\":\"6/45171\",\"transaction_id\":228887,\"session_line_num\":632376,\"session_id\":\"65451258.34ac5e\",\"query_id\":1521477082073268809,\"pid\":3451998},\"SEVERITY\":\"info\"} 11/03",
    );
}

#[test]
fn card_numbers_are_hidden_within_words() {
    let line = "American Express378282246310005Diners30569309025904x Discover  6011111111111117JCB 3530111333300000MC5555555555554444Visa4222222222222";
    let show = |rewrite: &str, want: &str| {
        reads(&format!("rewrite {{ {rewrite}; }};"), "no-parse", line, "$MSG", &[want])
    };
    show(
        "credit-card-mask()",
        "American Express378282******0005Diners305693******5904x Discover  601111******1117JCB 353011******0000MC555555******4444Visa422222******2222",
    );
    show(
        "credit-card-hash()",
        "American Expressea4654336c140e70Diners58b3e8b7f99a5ab1x Discover  0ccaaf4da33d3e26JCB 4c1d57bdab8338e7MC6589b0d46b6f2f0dVisaeb0f3622c9362fe9",
    );
}
