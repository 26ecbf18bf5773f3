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
        ("IPTAG", 27, "${.panos.src} ${.panos.tag_name} ${.panos.device_name}", "c9 c10 c24"),
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
fn panos_audits_have_columns_of_their_own() {
    let show = "$HOST $PROGRAM ${.panos.type} ${.panos.serial} ${.panos.time_generated} ${.panos.eventid} ${.panos.object} ${.panos.cmd} ${.panos.result}";
    let want = "fw paloalto_panos AUDIT 0009C1 2022/11/22 12:03:54 gui-op eva <show name=\"a, b\"/> success";
    let audit = "0009C1,2022/11/22 12:03:54,audit,2561,gui-op,eva,\"<show name=\"\"a, b\"\"/>\",success";
    claimed(&format!("<14>Nov 22 12:03:55 fw {audit}"), show, want);
    claimed(&format!("<14>1 2022-11-22T12:03:55Z fw - - - - {audit}"), show, want);
    let other = audit.replace("gui-op", "other");
    reads(
        "parser { app-parser(topic(syslog)); };",
        "",
        &format!("<14>Nov 22 12:03:55 fw {other}"),
        show,
        &[],
    );
}

#[test]
fn panos_lines_without_a_host_are_whole() {
    let show =
        "$HOST.$PROGRAM ${.panos.type} ${.panos.future_use1} ${.panos.receive_time} ${.panos.src} $MSG";
    let line = panos_line("TRAFFIC", 12, &[]);
    let columns = line.strip_prefix("<14>Apr 14 16:54:18 fw ").expect("the header of these lines");
    let want = format!(".paloalto_panos TRAFFIC 1 2020/04/14 16:54:18 c8 {columns}");
    claimed(&format!("<14>Apr 14 16:54:18 {columns}"), show, &want);
    reads("parser { panos-parser(); };", "", &format!("<14>Apr 14 16:54:18 {columns}"), show, &[&want]);
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
fn headers_of_cisco_are_read() {
    let show = "$HOST/$S_ISODATE/$S_MSEC/${.cisco.cpu_module}/${.cisco.facility}/${.cisco.severity}/${.cisco.mnemonic}";
    // Received on 2026-11-21 at 4:00; what has no time has that one.
    let rows = [
        // IOS: sequence numbers of the sender and of the receiver, origin-id, uptime in place of a time.
        (
            "<189>29: r1: *Apr 29 13:58:40.411: %SYS-5-CONFIG_I: x",
            "r1/2026-04-29T13:58:40+00:00/411//SYS/5/CONFIG_I",
        ),
        (
            "<189>29: 000031: *Apr  9 03:58:40: %SYS-5-CONFIG_I: x",
            "/2026-04-09T03:58:40+00:00/000//SYS/5/CONFIG_I",
        ),
        (
            "<189>29: a b: .Apr 29 2025 13:58:40.4 CEST: %SYS-5-A: x",
            "a b/2025-04-29T13:58:40+00:00/400//SYS/5/A",
        ),
        ("29: 10.1.2.3: Apr 29 13:58:40 EST: %SYS-5-A: x", "10.1.2.3/2026-04-29T13:58:40+00:00/000//SYS/5/A"),
        ("<189>29: fe80::1: Apr 29 13:58:40: %SYS-5-A: x", "fe80::1/2026-04-29T13:58:40+00:00/000//SYS/5/A"),
        ("<189>29: 10.1.2.3: %SYS-5-A: x", "10.1.2.3/NOW//SYS/5/A"),
        ("<189>29: r1: 1d03h: %LINK-3-UPDOWN: x", "r1/NOW//LINK/3/UPDOWN"),
        ("<189>29: 2w3d: %LINK-3-UPDOWN: x", "/NOW//LINK/3/UPDOWN"),
        ("<189>29: 00:00:46: %LINK-3-UPDOWN: x", "/NOW//LINK/3/UPDOWN"),
        ("<189>%LINK-3-UPDOWN: x", "/NOW//LINK/3/UPDOWN"),
        (
            "<189>1 2025-05-05T15:01:35.234Z r1 - - - - %SYS-5-A: x",
            "r1/2025-05-05T15:01:35+00:00/234//SYS/5/A",
        ),
        ("<189>1 2025-05-05T15:01:35-08:00 - - - - - %SYS-5-A: x", "/2025-05-05T15:01:35-08:00/000//SYS/5/A"),
        // Parts of a facility.
        ("<189>1: %SYS-SW1-5-CONFIG: x", "/NOW//SYS-SW1/5/CONFIG"),
        (
            "<189>1: %CCM_CALLMANAGER-CALLMANAGER-3-DeviceUnregistered: x",
            "/NOW//CCM_CALLMANAGER-CALLMANAGER/3/DeviceUnregistered",
        ),
        (
            "<166>Sep 29 2021 08:02:13: %ASA-vpn-6-713228: x",
            "/2021-09-29T08:02:13+00:00/000//ASA-vpn/6/713228",
        ),
        // IOS-XR.
        (
            "<189>5: RP/0/RP0/CPU0:Dec 11 12:43:29.227 EST: snmpd[1]: %SNMP-SNMP-3-A : x",
            "/2026-12-11T12:43:29+00:00/227/RP/0/RP0/CPU0/SNMP-SNMP/3/A",
        ),
        (
            "<189>5: xr1 LC/0/1/CPU0:Dec 11 12:43:29 : a[1]: %B-3-A: x",
            "xr1/2026-12-11T12:43:29+00:00/000/LC/0/1/CPU0/B/3/A",
        ),
        ("<189>5: CLC 6/0: %PKI-3-A: x", "/NOW/CLC 6/0/PKI/3/A"),
        // NX-OS and ACI.
        (
            "<189>: 2020 Jan 14 11:23:03 EST: %ETHPORT-5-IF_UP: x",
            "/2020-01-14T11:23:03+00:00/000//ETHPORT/5/IF_UP",
        ),
        (
            "<189>: 2020 Jan 14 11:23:03 n1 %$ VDC-1 %$ Jan 14 11:23:03 %KERN-2-SYSTEM_MSG: x",
            "n1/2020-01-14T11:23:03+00:00/000//KERN/2/SYSTEM_MSG",
        ),
        (
            "<189>Jan 14 11:23:03 leaf-1 %LOG_LOCAL0-3-SYSTEM_MSG [F0321][cleared] x",
            "leaf-1/2026-01-14T11:23:03+00:00/000//LOG_LOCAL0/3/SYSTEM_MSG",
        ),
        // ASA and FTD.
        ("<166>:%ASA-session-6-302015: x", "/NOW//ASA-session/6/302015"),
        ("<166>fw.lab:%ASA-6-302015: x", "fw.lab/NOW//ASA/6/302015"),
        ("<164>Aug 08 16:58:18 FW : %FTD-4-106023: x", "FW/2026-08-08T16:58:18+00:00/000//FTD/4/106023"),
        ("<164>Aug 08 2025 16:58:18 UTC : %ASA-4-106023: x", "/2025-08-08T16:58:18+00:00/000//ASA/4/106023"),
        ("<164>:Aug 08 16:58:18 EDT: %ASA-4-106023: x", "/2026-08-08T16:58:18+00:00/000//ASA/4/106023"),
        (
            "<164>2025-02-16T15:31:53Z fw-2 : %FTD-6-305012: x",
            "fw-2/2025-02-16T15:31:53+00:00/000//FTD/6/305012",
        ),
        // Unified Communications Manager.
        (
            "<189>66: : : 65: cm.lab: Dec 31 2019 09:32:15 PM.255 UTC :  %UC_AUDITLOG-5-AdministrativeEvent: %[ a=b]: x",
            "cm.lab/2019-12-31T21:32:15+00:00/255//UC_AUDITLOG/5/AdministrativeEvent",
        ),
        (
            "<189>17: Jun 14 2025 11:57:27 AM UTC : %UC_RTMT-2-RTMT_ALERT: x",
            "/2025-06-14T11:57:27+00:00/000//UC_RTMT/2/RTMT_ALERT",
        ),
    ];
    for (line, want) in rows {
        let want = want.replace("NOW", "2026-11-21T04:00:00+00:00/000");
        raw("cisco-parser()", line, show, &want);
    }
}

#[test]
fn zones_of_cisco_are_read_where_they_are_sure() {
    let options =
        "options { time-zone(\"UTC\"); };\nsource s { network(flags(no-parse) time-zone(\"Asia/Tokyo\")); };";
    let show = |line: &str, want: &str| {
        let text = format!(
            "{options}\nlog {{ source(s); parser {{ cisco-parser(); }}; destination {{ file(\"/o\" template(\"$S_UNIXTIME\")); }}; }};"
        );
        runs(&text, &[line], &[&format!("/o: {want}")]);
    };
    show("<189>1: Jan  1 2025 00:00:00 UTC: %SYS-5-A: x", "1735689600");
    show("<189>1: Jan  1 2025 00:00:00.5 GMT: %SYS-5-A: x", "1735689600");
    show("<164>2025-01-01T00:00:00Z fw : %FTD-6-1: x", "1735689600");
    show("<164>2025-01-01T09:00:00+09:00 fw : %FTD-6-1: x", "1735689600");
}

#[test]
fn messages_of_cisco_begin_at_the_percent_sign() {
    let rows = [
        ("<189>1: r1: %SYS-5-A: one: %SYS-5-B: two", "%SYS-5-A: one: %SYS-5-B: two", "SYS"),
        ("<189>1: r1: *Apr 29 13:58:40: %SYS-5-A: line\\n two", "%SYS-5-A: line\\n two", "SYS"),
        ("<189>1: at 50%: used %SYS-5-A : x", "%SYS-5-A : x", "SYS"),
    ];
    for (line, message, facility) in rows {
        raw("cisco-parser()", line, "$MSG ${.cisco.facility}$PROGRAM$PID", &format!("{message} {facility}"));
    }
    for line in [
        "<189>1: r1: no message",
        "%SYS-8-A: x",
        "%SYS-5: x",
        "<13>Nov 1 10:00:00 h p: 100%-5-x",
        "<134>1 1374543213.3 MX84 urls request: GET https://a/%C3%A4-3-b: c",
        "",
    ] {
        reads("parser { cisco-parser(); };", "no-parse", line, "$MSG", &[]);
    }
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
    let error = "[Wed Oct 11 14:32:52 2000] [error] [client 127.0.0.1] client denied";
    reads("parser { apache-accesslog-parser(); };", "no-parse", error, show, &[]);
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

#[test]
fn fields_of_the_header_have_types() {
    raw(
        "postgresql-csvlog-parser()",
        "2023-11-03 16:32:35.084 CET,\"p\",\"d\",345,\"[local]\",6.3,1,\"UPDATE\",2023-11-03 16:31:36 CET,6/4,2,LOG,00000,\"m\",,,,,,,,,\"\",\"b\",,1",
        "$(format-json --scope core --exclude DATE --exclude HOST)",
        "{\"PRIORITY\":\"info\",\"PID\":345,\"MESSAGE\":\"m\",\"FACILITY\":\"user\"}",
    );
    let pid = |rewrite: &str, want: &str| {
        let json = "$(format-json PID=$PID --pair p=${PID:-0} all=\\\"$PID.\\\")";
        reads(&format!("rewrite {{ {rewrite} }};"), "", "<13>Nov 22 03:00:00 h p[5]: x", json, &[want]);
    };
    pid("set(int(\"7\") value(\"PID\"));", "{\"p\":7,\"all\":\"7.\",\"PID\":7}");
    pid(
        "set(int(\"7\") value(\"PID\")); set(\"7\" value(\"PID\"));",
        "{\"p\":\"7\",\"all\":\"7.\",\"PID\":\"7\"}",
    );
}

#[test]
fn tags_are_printed_in_the_order_of_the_configuration() {
    let text = "filter f { tags(\"late\"); };
        source s { network(tags(\"given\")); };
        log {
            source(s);
            rewrite { set-tag(\"$PROGRAM\"); set-tag(\"z\"); set-tag(\"a\"); set-tag(\"late\"); };
            if { parser { regexp-parser(patterns(\"nothing\")); }; rewrite { set-tag(\"none\"); }; };
            destination { file(\"/o\" template(\"$TAGS\")); };
        };";
    runs(text, &["Nov 22 03:00:00 h app: x"], &["/o: syslog.missing_pri,late,z,a,app"]);
}

#[test]
fn logs_of_home_servers_are_read() {
    let show = "$PROGRAM $LEVEL $S_ISODATE $S_MSEC $MSG";
    raw(
        "arr-internal(program(\"Sonarr\") prefix(\".sonarr.\"))",
        "2024-01-26 17:20:01.5|Fatal|Sync|Done|2",
        &format!("{show} ${{.sonarr.module}}"),
        "Sonarr crit 2024-01-26T17:20:01+00:00 500 Done|2 Sync",
    );
    for (line, want) in [
        ("[2023-01-01 10:00:00.123 1234M] INFO: a [b]: c", "info 2023-01-01T10:00:00+00:00 123 a [b]: c"),
        ("[2025-02-18 21:00:00.123 CET 1/T5] WARNING: x", "warning 2025-02-18T21:00:00+00:00 123 x"),
        ("[2023-01-01 10:00:00.123 1/T2] no level", "notice 2023-01-01T10:00:00+00:00 123 no level"),
    ] {
        raw("pihole-ftl()", line, show, &format!("Pi-hole {want}"));
    }
    raw(
        "qbittorrent()",
        "(W) 2024-01-02T03:04:05 - a - b",
        show,
        "qBittorrent warning 2024-01-02T03:04:05+00:00 000 a - b",
    );
    raw(
        "jellyfin()",
        "[2024-01-26 22:10:29.472 +01:00] [WRN] [60] A.B: \"x\"",
        show,
        "Jellyfin warning 2024-01-26T22:10:29+01:00 472 A.B: \"x\"",
    );
    for parser in ["arr-internal(program(x) prefix(y))", "pihole-ftl()", "qbittorrent()", "jellyfin()"] {
        reads(&format!("parser {{ {parser}; }};"), "no-parse", "no such line", show, &[]);
    }
}
