import { expect, test } from "vitest";
import {
  DEFAULT_DRAFT,
  decodeDraft,
  DRAFT_KINDS,
  draftOf,
  encodeDraft,
  fileOf,
  ruleOf,
  specOf,
  type Draft,
} from "./draft.ts";
import { linesOf, readLines } from "./extra.ts";

const draft = (change: Partial<Draft>): Draft => ({ ...DEFAULT_DRAFT, ...change });

test("a draft is in its address, and back", () => {
  for (const one of [
    DEFAULT_DRAFT,
    draft({ logspace: "main", query: 'a "b c" & d', kind: "distinct", field: "user", by: "", from: "now-1d" }),
  ])
    expect(decodeDraft(encodeDraft(one))).toEqual(one);
  expect(decodeDraft("?kind=none")).toEqual(DEFAULT_DRAFT);
});

test("a rule has the keys of its kind", () => {
  expect(ruleOf(draft({ query: "failed", title: "Much failed: Ärger!", by: "host, user" }))).toEqual({
    id: "much-failed-a-rger",
    title: "Much failed: Ärger!",
    severity: "warning",
    query: "failed",
    by: ["host", "user"],
    kind: "count",
    "more-than": 10,
    within: "1m",
  });
  expect(Object.keys(ruleOf(draft({ kind: "match", by: "" })))).toEqual(["id", "title", "severity", "query", "kind"]);
  expect(ruleOf(draft({ kind: "new-value", field: "user" }))["field"]).toBe("user");
  expect(ruleOf(draft({ more: "x" }))["more-than"]).toBe("x");
  expect(ruleOf(draft({ query: "*" }))["id"]).toBe("new-rule");
});

test("a file has quotes where YAML needs them", () => {
  const text = fileOf(
    draft({ query: 'program:sshd "failed password"', title: "yes", logspace: "main", by: "host, .x" }),
  );
  expect(text).toBe(
    `rules:
- id: yes
  title: "yes"
  severity: warning
  logspace: main
  query: "program:sshd \\"failed password\\""
  by: [host, ".x"]
  kind: count
  more-than: 10
  within: 1m
`.replace("id: yes", 'id: "yes"'),
  );
});

test("a saved rule of each kind is the same after it was opened", () => {
  const common = { logspace: "main", query: "a b", by: ["host", "user"], severity: "err", enabled: true };
  const specs: Record<string, unknown>[] = [
    { ...common, kind: "count", "at-least": 3, within: "10s", hysteresis: 0.5, for: "5m", missing: "-" },
    { ...common, kind: "count", between: [3, 8], within: "10s", window: "tumbling" },
    { ...common, kind: "match", "resolve-after": "1m" },
    { ...common, kind: "absence", within: "30s", keys: [["gw1", "eva"]], learn: 3 },
    { ...common, kind: "distinct", field: "x", "less-than": 2, within: "1m", window: "tumbling" },
    { ...common, kind: "new-value", field: "x", "learn-for": "10s" },
    { ...common, kind: "sequence", then: "c", "then-by": "peer", within: "1m" },
    { ...common, kind: "not-followed", then: "c", within: "1h" },
    ...["sum", "avg", "min", "max"].map((kind) => {
      return { ...common, kind, field: "ms", exactly: 1.5, within: "1m", resolve: { "less-than": 1 } };
    }),
  ];
  for (const spec of specs) {
    const draft = draftOf(spec, "Name", "What to do");
    expect(specOf(decodeDraft(encodeDraft(draft)), "other", true)).toEqual(spec);
    expect([draft.title, draft.description]).toEqual(["Name", "What to do"]);
  }
  expect(new Set(specs.map(({ kind }) => kind))).toEqual(new Set(DRAFT_KINDS));
  expect(specOf(DEFAULT_DRAFT, "main", false)).toMatchObject({ logspace: "main", query: "*", enabled: false });
});

test("further keys are text that is read back as the same", () => {
  const keys = {
    a: "5m",
    b: 3,
    c: "3",
    d: ["x", "y z"],
    e: { "at-most": 1 },
    f: "[a]",
    g: " x ",
    h: "",
    i: true,
    j: "a\nb",
  };
  expect(readLines(linesOf(keys))).toEqual(keys);
  expect(readLines("for: 5m\n\n  keys: [gw1, 'b']\nresolve-after\n: x")).toEqual({
    for: "5m",
    keys: ["gw1", "'b'"],
    "resolve-after": "",
  });
});
