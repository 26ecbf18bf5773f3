import { expect, test } from "vitest";
import { messagesBehind, patternTerm, stagesOf } from "./behind.ts";

const isField = (name: string): boolean => ["host", "program"].includes(name);
const behind = (query: string, column: string, value: string | number | null): string | undefined =>
  messagesBehind(query, column, value, isField);

test("a pattern is asked as a whole text, its gaps as words", () => {
  expect(patternTerm("login user=<*> ok in <*> ms")).toBe("message:/^login user=\\S+ ok in \\S+ ms$/");
  expect(patternTerm("a/b (c) [d] 1.5* $x ^")).toBe("message:/^a\\/b \\(c\\) \\[d\\] 1\\.5\\* \\$x \\^$/");
  expect(patternTerm("x".repeat(1024)).endsWith("x/")).toBe(true);
  expect(behind("failed | patterns", "pattern", "user <*> left")).toBe("failed AND message:/^user \\S+ left$/");
  expect(behind("a OR b | patterns | head 5", "pattern", "x")).toBe("(a OR b) AND message:/^x$/");
  expect(behind("* | patterns", "pattern", "x")).toBe("message:/^x$/");
  expect(behind("* | stats count() by pattern", "pattern", "x")).toBeUndefined();
});

test("fields that a pipe made are asked behind the same pipe", () => {
  const rex = 'rex "from (?<ip>[0-9.]+) port"';
  expect(behind(`sshd | ${rex} | top ip`, "ip", "10.0.0.1")).toBe(`sshd | ${rex} | where ip:10.0.0.1`);
  expect(behind(`sshd | ${rex}`, "ip", "10.0.0.1")).toBe(`sshd | ${rex} | where ip:10.0.0.1`);
  expect(behind(`sshd | ${rex} | top host`, "host", "gw1")).toBe("sshd AND host:gw1");
  expect(behind("* | kv | where ms:>5 | stats count() by user", "user", "a b")).toBe(
    '* | kv | where ms:>5 | where user:"a b"',
  );
  expect(behind('a "x | y" | kv', "user", "ann")).toBe('a "x | y" | kv | where user:ann');
});

test("times and fields are asked as they are, counts are no messages", () => {
  const time = "2026-11-21T04:00:05.123456Z";
  expect(behind("* | fields @received, host", "@received", time)).toBe(`@received:["${time}" TO "${time}"]`);
  expect(behind("failed | top host", "host", "gw1")).toBe("failed AND host:gw1");
  expect(behind("failed | top host", "count", 5)).toBeUndefined();
  expect(behind("failed | top host", "host", null)).toBeUndefined();
  expect(behind("failed | stats count() as n by host", "n", "5")).toBeUndefined();
});

test("stages end at bars that are not in quotes", () => {
  expect(stagesOf('a | rex "x|y" | top z')).toEqual(['rex "x|y"', "top z"]);
  expect(stagesOf("a")).toEqual([]);
});
