// The mock's messages: a day of a small shop's machines, with bursts, and new ones as time goes by.
import { columnOf, type Row as ShownRow } from "../src/api/row.ts";

/** A row of a local logspace: its sequence number is its index. */
export type Row = ShownRow & { sequence: number };
import { SAYINGS, type Saying } from "./programs.ts";
import { seeded, type Random } from "./random.ts";

const DAY_US = 86_400_000_000;
const ADDRESS_OF: Record<string, string> = {};

export interface Store {
  name: string;
  rows: Row[];
  /** Makes `count` new messages, received now. */
  grow(nowUs: number, count: number): Row[];
}

const TOTAL_WEIGHT = SAYINGS.reduce((sum, saying) => sum + saying.weight, 0);

/** The hours of the night are quiet, and one message comes in bursts: an attack, a crash loop. */
function choose(random: Random, dayShare: number): Saying {
  const bursts = dayShare > 0.81 && dayShare < 0.835 && random.unit() < 0.6;
  if (bursts) return SAYINGS[3]!;
  let left = random.unit() * TOTAL_WEIGHT;
  for (const saying of SAYINGS) {
    left -= saying.weight;
    if (left <= 0) return saying;
  }
  return SAYINGS[0]!;
}

function make(random: Random, sequence: number, receivedUs: number, dayShare: number): Row {
  const saying = choose(random, dayShare);
  const host = random.pick(saying.hosts);
  ADDRESS_OF[host] ??= `10.20.1.${10 + Object.keys(ADDRESS_OF).length}`;
  const viaNetwork = host !== "kube-a";
  const skewed = host === "db-replica" ? 94_000_000 : random.whole(500, 240_000);
  const message = saying.text(random);
  return {
    sequence,
    received_us: receivedUs,
    event_us: receivedUs - skewed,
    event_offset_s: host === "mx1" ? 0 : 3600,
    event_quality: host === "gw2" ? "year_guessed" : host === "mx1" ? "zone_guessed" : "known",
    facility: saying.facility,
    severity: saying.severity,
    host,
    program: saying.program,
    pid: saying.program === "kernel" ? "" : String(random.whole(300, 32_000)),
    msgid: saying.msgid ?? "",
    source: viaNetwork ? (saying.msgid ? "s_syslog" : "s_net") : "s_local",
    peer: viaNetwork ? ADDRESS_OF[host] : "",
    message,
    tags: host === "gw2" ? ["syslog.rfc3164_missing_year"] : [],
    values: saying.values?.(random) ?? {},
  };
}

/** A day of messages up to `nowUs`; `count` of them, denser by day than by night. */
export function fill(name: string, count: number, nowUs: number, seed: number): Store {
  const random = seeded(seed);
  const shares: number[] = [];
  while (shares.length < count) {
    const share = random.unit();
    const burst = share > 0.81 && share < 0.835;
    const density = burst ? 1 : 0.25 + 0.35 * Math.sin(Math.PI * share) ** 2 + 0.08 * Math.sin(share * 40);
    if (random.unit() < density) shares.push(share);
  }
  shares.sort((a, b) => a - b);
  const rows = shares.map((share, index) =>
    make(random, index, Math.floor(nowUs - DAY_US + share * (DAY_US - 2_000_000)), share),
  );
  return {
    name,
    rows,
    grow(now, more) {
      const fresh = Array.from({ length: more }, (_, i) =>
        make(random, rows.length + i, now - (more - i) * 1_700, 0.5),
      );
      rows.push(...fresh);
      return fresh;
    },
  };
}

/** The message as it was received. */
export function rawOf(row: Row): string {
  const priority = 8 * Math.max(0, FACILITIES.indexOf(row.facility)) + SEVERITIES.indexOf(row.severity);
  const when = new Date(row.event_us / 1000);
  if (row.msgid) {
    const data = Object.entries(row.values).filter(([name]) => name.startsWith(".SDATA.order@32473."));
    const items = data
      .map(([name]) => ` ${name.slice(".SDATA.order@32473.".length)}="${columnOf(row, name)}"`)
      .join("");
    return `<${priority}>1 ${when.toISOString()} ${row.host} ${row.program} ${row.pid || "-"} ${row.msgid} ${items ? `[order@32473${items}]` : "-"} ${row.message}`;
  }
  const stamp = `${when.toUTCString().slice(8, 11)} ${String(when.getUTCDate()).padStart(2)} ${when.toISOString().slice(11, 19)}`;
  return `<${priority}>${stamp} ${row.host} ${row.program}${row.pid ? `[${row.pid}]` : ""}: ${row.message}`;
}

export const SEVERITIES = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];
export const FACILITIES = [
  "kern",
  "user",
  "mail",
  "daemon",
  "auth",
  "syslog",
  "lpr",
  "news",
  "uucp",
  "cron",
  "authpriv",
  "ftp",
  "ntp",
  "security",
  "console",
  "solaris-cron",
  "local0",
  "local1",
  "local2",
  "local3",
  "local4",
  "local5",
  "local6",
  "local7",
];
