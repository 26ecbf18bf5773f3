import { expect, test } from "vitest";
import type { RuleHealth } from "../../api/rules.ts";
import { coveragePart, coverageText, levelOf } from "./coverage.ts";

const health = (change: Partial<RuleHealth>): RuleHealth => ({
  logspace: "main",
  from: 0,
  next_sequence: 2_524_417,
  missed: 0,
  gaps: 0,
  firing: 0,
  behind_messages: 0,
  behind_us: 0,
  running: true,
  trouble: null,
  ...change,
});
const text = (change: Partial<RuleHealth>): string => coverageText(health(change)).replaceAll("\u2009", ",");

test("the coverage of a rule is one sentence", () => {
  expect(text({})).toBe("Evaluated #0 to #2,524,416 without a gap; up to date");
  expect(text({ behind_us: 3_000_000, behind_messages: 1_204 })).toBe(
    "Evaluated #0 to #2,524,416 without a gap; 3 s behind (1,204 messages)",
  );
  expect(text({ gaps: 1, missed: 1 })).toBe("Evaluated #0 to #2,524,416 with 1 gap, 1 message missed; up to date");
  expect(text({ gaps: 2, missed: 0 })).toBe("Evaluated #0 to #2,524,416 with 2 gaps; up to date");
  expect(text({ running: false })).toBe("Evaluated #0 to #2,524,416 without a gap; not running");
  expect(text({ from: null, next_sequence: 7 })).toBe("Waits for the first message after #7");
  expect(text({ from: 7, next_sequence: 7 })).toBe("Has evaluated nothing yet: no message came since #7; up to date");
});

test("a rule that stands still or has missed something is not well", () => {
  expect(levelOf(health({}))).toBe("well");
  expect(levelOf(health({ gaps: 1 }))).toBe("warning");
  expect(levelOf(health({ behind_us: 60_000_000 }))).toBe("warning");
  expect(levelOf(health({ running: false }))).toBe("stopped");
  expect(levelOf(health({ trouble: "the disk is full" }))).toBe("stopped");
});

test("each gap has its reason", () => {
  const part = { version: "v", goes_on: false };
  expect(coveragePart({ ...part, from: 100, to: 200, state: "damaged" })).toBe("#100 to #199: damaged on the disk");
  expect(coveragePart({ ...part, from: 5, to: 5, state: "state-lost" })).toContain("At #5: the rule began again");
});
