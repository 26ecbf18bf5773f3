// Alerts and rules of the mock: what four rules report over the generated day, with one that fires now.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Alert } from "../src/api/alerts.ts";
import type { Rule, RuleHealth } from "../src/api/rules.ts";
import type { Severity } from "../src/api/row.ts";
import type { SavedRule } from "../src/api/saved-rules.ts";
import type { Row, Store } from "./data.ts";
import { readBody, Refusal, reply } from "./http.ts";
import type { MockObjects } from "./objects.ts";
import { compile } from "./query.ts";

const MINUTE_US = 60_000_000;

interface MockRule extends Omit<Rule, "logspaces"> {
  /** Messages within the window that fire; 0 for a rule that each message fires. */
  more: number;
}

const rule = (change: Partial<MockRule> & Pick<MockRule, "id" | "title" | "query" | "condition">): MockRule => ({
  description: "",
  severity: "warning",
  version: "5d0c1f72",
  file: "rules.yaml",
  object: null,
  state: "running",
  reason: null,
  kind: "count",
  then: null,
  by: ["host"],
  window_us: MINUTE_US,
  window: "sliding",
  missing: null,
  more: 10,
  ...change,
});

const RULES: MockRule[] = [
  rule({
    id: "failed-logins",
    title: "Many failed logins on one gateway",
    description: "Somebody guesses passwords. Block the address, and see which users it tried.",
    query: 'program:sshd AND "failed password"',
    condition: "more than 10 messages within 1 minute",
  }),
  rule({
    id: "out-of-memory",
    title: "A process was killed for want of memory",
    severity: "crit",
    query: '"out of memory"',
    kind: "match",
    condition: "each message",
    window_us: 0,
    window: null,
    more: 0,
  }),
  rule({
    id: "silent-host",
    title: "A host no longer sends anything",
    severity: "err",
    query: "*",
    kind: "absence",
    condition: "no message for 30 minutes",
    window_us: 30 * MINUTE_US,
    window: null,
  }),
  rule({
    id: "upstream-errors",
    title: "The shop does not answer its web servers",
    query: 'program:nginx AND "timed out"',
    condition: "more than 40 messages within 5 minutes",
    window_us: 5 * MINUTE_US,
    more: 40,
  }),
];

export class MockAlerts {
  private readonly alerts: Alert[];

  constructor(
    private readonly store: Store,
    private readonly objects: MockObjects,
  ) {
    const found = RULES.filter(({ kind }) => kind !== "absence").flatMap((rule) => report(rule, store.rows));
    const silent = RULES.find(({ kind }) => kind === "absence")!;
    const at = (store.rows.at(-1)?.received_us ?? 0) - 34 * MINUTE_US;
    if (store.rows.length > 0) found.push(alertOf(silent, { host: "vpn-2" }, at, null, null, "firing"));
    found.sort((a, b) => a.began_us - b.began_us);
    this.alerts = found.map((alert, index) => ({ ...alert, number: index + 1, id: `mock-${index}` })).reverse();
    const known = this.alerts.find(({ state }) => state === "occurred");
    if (known)
      Object.assign(known, { acknowledged_us: known.began_us + 9e8, acknowledged_by: "bob", note: "Restarted" });
  }

  /** Answers a call below `alerts` and `rules`. */
  async serve(path: string, asked: URLSearchParams, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [kind, id, part] = path.split("/");
    if (kind === "alerts" && !id) return this.list(asked, response);
    if (kind === "alerts") return this.acknowledge(Number(id), await readBody(request), response);
    if (!id) return this.rules(asked, response);
    if (id === "preview") return this.preview(await readBody(request), response);
    const all = [...RULES, ...this.objects.rules().map(ruleOf)];
    const found = all.find((rule) => rule.id === decodeURIComponent(id));
    if (!found || part !== "state") throw new Refusal(404, "not_found", `no rule ${id}`);
    const next = this.store.rows.length;
    const coverage = [{ version: found.version, from: 0, to: next, goes_on: true, state: "evaluated" }];
    reply(response, 200, [{ logspace: this.store.name, next_sequence: next, coverage, firing: [] }]);
  }

  private list(asked: URLSearchParams, response: ServerResponse): void {
    const limit = Number(asked.get("limit") ?? 100);
    const before = Number(asked.get("before") ?? Infinity);
    const fits = (alert: Alert): boolean =>
      alert.number < before &&
      alert.state === (asked.get("state") ?? alert.state) &&
      alert.rule === (asked.get("rule") ?? alert.rule);
    const found = this.alerts.filter(fits);
    reply(response, 200, { alerts: found.slice(0, limit), more: found.length > limit });
  }

  private acknowledge(number: number, body: Record<string, unknown>, response: ServerResponse): void {
    const alert = this.alerts.find((one) => one.number === number);
    if (!alert) throw new Refusal(404, "not_found", `there is no alert ${number}`);
    Object.assign(alert, { acknowledged_us: Date.now() * 1000, acknowledged_by: "admin", note: body.note ?? "" });
    reply(response, 200, alert);
  }

  private rules(asked: URLSearchParams, response: ServerResponse): void {
    const text = (asked.get("text") ?? "").toLowerCase();
    const fits = (rule: MockRule): boolean =>
      rule.id === (asked.get("id") ?? rule.id) && `${rule.id} ${rule.title} ${rule.query}`.toLowerCase().includes(text);
    const saved = this.objects.rules().map(ruleOf);
    const rules = [...RULES, ...saved].filter(fits).map((rule) => ({ ...rule, logspaces: [this.healthOf(rule)] }));
    rules.sort((a, b) => a.title.localeCompare(b.title));
    reply(response, 200, { rules, more: false, problems: [], has_problems: false });
  }

  private preview(body: Record<string, unknown>, response: ServerResponse): void {
    const asked = body.rule as Record<string, string>;
    const days = Number(/^now-(\d+)d$/.exec(String(body.from))?.[1] ?? 1);
    const to_us = Date.now() * 1000;
    const from_us = to_us - days * 1_440 * MINUTE_US;
    const more = asked["kind"] === "match" ? 0 : Number(asked["more-than"] ?? 1);
    if (Number.isNaN(more)) throw new Refusal(400, "bad_request", "a number is needed");
    const { id, title, query } = { id: "new", title: "", query: "", ...asked };
    const condition = more === 0 ? "each message" : `more than ${more} messages within 1 minute`;
    const rows = this.store.rows.filter((row) => row.received_us >= from_us);
    const bars = Number(body.bars ?? 84);
    const counts = (times: number[]): number[] => {
      const found = new Array<number>(bars).fill(0);
      for (const time of times) found[Math.min(bars - 1, Math.floor(((time - from_us) / (to_us - from_us)) * bars))]!++;
      return found;
    };
    const fired = report(rule({ id, title, query, condition, more }), rows);
    const { matches } = compile(query);
    reply(response, 200, {
      from_us,
      to_us,
      condition,
      matched: counts(rows.filter((row) => matches(row)).map((row) => row.received_us)),
      fired: counts(fired.map(({ began_us }) => began_us)),
      fired_total: fired.length,
      per_day: fired.length / days,
      first_us: rows[0]?.received_us ?? null,
      moments: fired.slice(0, 500).map(({ began_us, key, value }) => ({ at_us: began_us, key, value })),
      unread: 0,
      degraded: false,
      reached_us: null,
    });
  }

  private healthOf({ id }: MockRule): RuleHealth {
    return {
      logspace: this.store.name,
      from: 0,
      next_sequence: this.store.rows.length,
      missed: 0,
      gaps: 0,
      firing: this.alerts.filter((alert) => alert.rule === id && alert.state === "firing").length,
      behind_messages: 0,
      behind_us: 0,
      running: true,
      trouble: null,
    };
  }
}

/** The rule of a saved object. */
function ruleOf({ spec, ...object }: SavedRule): MockRule {
  const keys = spec as Record<string, string>;
  const state = spec["enabled"] === false ? "off" : "running";
  const condition =
    keys["kind"] === "match" ? "each message" : `more than ${keys["more-than"]} messages within 1 minute`;
  const { id, name: title, description } = object;
  const about = { id, title, description, query: keys["query"] ?? "*", condition, kind: keys["kind"] ?? "match" };
  return rule({ ...about, severity: (keys["severity"] ?? "warning") as Severity, file: null, object, state });
}

/** What a rule reports over messages. */
function report(rule: MockRule, rows: Row[]): Alert[] {
  const { matches } = compile(rule.query);
  const found: Alert[] = [];
  const windows = new Map<string, { times: number[]; firing: Alert | undefined }>();
  for (const row of rows) {
    if (!matches(row)) continue;
    const key = { host: row.host };
    if (rule.more === 0) {
      found.push(alertOf(rule, key, row.received_us, row.sequence, null, "occurred"));
      continue;
    }
    const window = windows.get(row.host) ?? { times: [], firing: undefined };
    windows.set(row.host, window);
    window.times = window.times.filter((time) => time > row.received_us - rule.window_us);
    window.times.push(row.received_us);
    if (window.firing && window.times.length <= rule.more * 0.8) {
      Object.assign(window.firing, { state: "resolved", ended_us: row.received_us });
      window.firing = undefined;
    } else if (!window.firing && window.times.length > rule.more) {
      window.firing = alertOf(rule, key, row.received_us, row.sequence, window.times.length, "firing");
      found.push(window.firing);
    }
  }
  return found;
}

function alertOf(
  rule: MockRule,
  key: Record<string, string>,
  began_us: number,
  sequence: number | null,
  value: number | null,
  state: Alert["state"],
): Alert {
  return {
    number: 0,
    logspace: "main",
    id: "",
    rule: rule.id,
    version: rule.version,
    title: rule.title,
    severity: rule.severity,
    key,
    state,
    began_us,
    sequence,
    ended_us: null,
    value,
    acknowledged_us: null,
    acknowledged_by: "",
    note: "",
  };
}
