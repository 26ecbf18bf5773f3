import { expect, test } from "vitest";
import { DEFAULT_DRAFT, decodeDraft, encodeDraft, fileOf, ruleOf, type Draft } from "./draft.ts";

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
