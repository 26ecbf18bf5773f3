import { expect, test } from "vitest";
import type { Alert } from "../../api/alerts.ts";
import type { Rule } from "../../api/rules.ts";
import { courseOf, messagesOf, queryOf } from "./alert-messages.ts";

const BEGAN_US = 1_795_248_000_000_000;

const rule = (change: Partial<Rule>): Rule => ({
  id: "r",
  title: "r",
  description: "",
  severity: "warning",
  version: "v",
  file: "r.yaml",
  object: null,
  state: "running",
  reason: null,
  kind: "count",
  query: "failed",
  then: null,
  by: ["host"],
  condition: "",
  window_us: 60_000_000,
  window: "sliding",
  missing: null,
  logspaces: [],
  ...change,
});

const alert = (change: Partial<Alert>): Alert => ({
  number: 1,
  logspace: "main",
  id: "i",
  rule: "r",
  version: "v",
  title: "r",
  severity: "warning",
  key: { host: "gw1" },
  state: "firing",
  began_us: BEGAN_US,
  sequence: 9,
  ended_us: null,
  value: 11,
  acknowledged_us: null,
  acknowledged_by: "",
  note: "",
  ...change,
});

test("a query names the values of the key", () => {
  expect(queryOf(alert({}), rule({}))).toBe("failed AND host:gw1");
  expect(queryOf(alert({ key: {} }), rule({}))).toBe("failed");
  expect(queryOf(alert({}), rule({ query: "a OR b" }))).toBe("(a OR b) AND host:gw1");
  expect(queryOf(alert({}), rule({ query: "" }))).toBe("host:gw1");
  expect(queryOf(alert({ key: { user: "a b" } }), rule({ then: "accepted" }))).toBe(
    '((failed) OR (accepted)) AND user:"a b"',
  );
  expect(queryOf(alert({ key: { user: "-" } }), rule({ missing: "-" }))).toBe(
    '(failed) AND (user:"-" OR NOT _exists_:user)',
  );
  expect(queryOf(alert({ key: { url: "x".repeat(256) } }), rule({}))).toBe("failed");
});

test("the range is the window before the alert", () => {
  const { range, clock, logspace, open } = messagesOf(alert({}), rule({}));
  expect(range).toEqual({ from: "2026-11-21T07:59:00.000001Z", to: "2026-11-21T08:00:00.000001Z" });
  expect([clock, logspace, open]).toEqual(["received", "main", undefined]);
  const tumbling = messagesOf(alert({ sequence: null }), rule({ window: "tumbling" })).range;
  expect(tumbling).toEqual({ from: "2026-11-21T07:59:00Z", to: "2026-11-21T08:00:00Z" });
  const one = messagesOf(alert({}), rule({ kind: "match", window_us: 0, window: null }));
  expect(one.range).toEqual({ from: "2026-11-21T08:00:00Z", to: "2026-11-21T08:00:00.000001Z" });
  expect(one.open).toBe(9);
});

test("the course is a day that has the beginning of the alert", () => {
  const day = 86_400_000_000;
  const now = BEGAN_US + 60_000_000;
  expect(courseOf(alert({}), now)).toEqual({ fromUs: now - day, toUs: now });
  const long = courseOf(alert({}), BEGAN_US + 10 * day);
  expect(long).toEqual({ fromUs: BEGAN_US - day / 2, toUs: BEGAN_US + 10 * day });
  const ended = courseOf(alert({ state: "resolved", ended_us: BEGAN_US + 1 }), BEGAN_US + 10 * day);
  expect(ended.toUs).toBe(BEGAN_US + day / 24);
});
