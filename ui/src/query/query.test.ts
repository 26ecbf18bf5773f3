import { describe, expect, test } from "vitest";
import { addFilter, filterTerm, removeFilter, activeFilter } from "./edit.ts";
import { cursorContext, utf16Offset } from "./cursor.ts";
import { tokenize } from "./tokens.ts";

describe("tokens", () => {
  function check(query: string, want: string): void {
    const shown = tokenize(query).map(({ kind, from, to }) => `${kind}[${query.slice(from, to)}]`);
    expect(shown.join(" ")).toBe(want);
  }

  test("of every kind", () => {
    check("failed AND host:gw1", "term[failed] operator[AND] field[host:] term[gw1]");
    check('NOT "a \\" b" OR -x', 'operator[NOT] phrase["a \\" b"] operator[OR] prefix[-] term[x]');
    check("host:/gw[0-9]+/i (a b)", "field[host:] regex[/gw[0-9]+/i] paren[(] term[a] term[b] paren[)]");
    check("bytes:[100 TO 200} x", "field[bytes:] range[[100 TO 200}] term[x]");
    check(".SDATA.x@1.y:5 | terms a", "field[.SDATA.x@1.y:] term[5] pipe[|] term[terms] term[a]");
    check("a-b /usr/bin http://x", "term[a-b] regex[/usr/] term[bin] field[http:] regex[//] term[x]");
    check("first\\ name:x f:==Mr", "field[first\\ name:] term[x] field[f:==] term[Mr]");
  });

  test("of unfinished text", () => {
    check('"open', 'phrase["open]');
    check("host:", "field[host:]");
    check("/re", "regex[/re]");
    check("bytes:[1 TO", "field[bytes:] range[[1 TO]");
    check("\\", "term[\\]");
    check("a |", "term[a] pipe[|]");
  });

  test("cover any text", () => {
    let state = 7;
    const next = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 2_000; round++) {
      const query = Array.from({ length: next(20) }, () => ' ":/\\()[]{}|+-!aANDOR<>='[next(23)]).join("");
      let at = 0;
      for (const token of tokenize(query)) {
        expect(query.slice(at, token.from).trim()).toBe("");
        expect(token.to).toBeGreaterThan(token.from);
        at = token.to;
      }
      expect(query.slice(at).trim()).toBe("");
    }
  });
});

describe("filters", () => {
  function check(query: string, value: string, filter: "include" | "exclude", want: string): void {
    const changed = addFilter(query, "host", value, filter);
    expect(changed).toBe(want);
    expect(activeFilter(changed, "host", value)).toBe(filter);
    expect(addFilter(changed, "host", value, filter)).toBe(changed);
  }

  test("are added", () => {
    check("", "gw1", "include", "host:gw1");
    check("*", "gw1", "exclude", "NOT host:gw1");
    check("failed", "gw1", "include", "failed AND host:gw1");
    check("a OR b", "gw1", "include", "(a OR b) AND host:gw1");
    check("(a OR b) c", "web 1", "exclude", '(a OR b) c AND NOT host:"web 1"');
    check("failed", 'say "hi"\\', "include", 'failed AND host:"say \\"hi\\"\\\\"');
  });

  test("replace their opposite", () => {
    check("failed AND host:gw1", "gw1", "exclude", "failed AND NOT host:gw1");
    check("-host:gw1 failed", "gw1", "include", "failed AND host:gw1");
    check("a AND NOT host:gw1 AND b", "gw1", "include", "a AND b AND host:gw1");
  });

  test("are removed", () => {
    expect(removeFilter("failed AND NOT host:gw1", "host", "gw1")).toBe("failed");
    expect(removeFilter("host:gw1 AND failed", "host", "gw1")).toBe("failed");
    expect(removeFilter("host:gw1", "host", "gw1")).toBe("");
    expect(removeFilter("(host:gw1 OR a)", "host", "gw1")).toBe("(host:gw1 OR a)");
  });

  test("quote names and values", () => {
    expect(filterTerm("first name", "x")).toBe("first\\ name:x");
    expect(filterTerm(".SDATA.order@32473.state", "paid")).toBe(".SDATA.order@32473.state:paid");
    expect(filterTerm("user", "NOT")).toBe('user:"NOT"');
    expect(filterTerm("peer", "fe80::1")).toBe('peer:"fe80::1"');
  });
});

describe("the text at the cursor", () => {
  function check(marked: string, want: string): void {
    const cursor = marked.indexOf("^");
    const found = cursorContext(marked.replace("^", ""), cursor);
    expect(
      found ? `${found.kind} ${found.kind === "value" ? `${found.field}=` : ""}${found.prefix}@${found.from}` : "none",
    ).toBe(want);
  }

  test("is a name or a value", () => {
    check("^", "name @0");
    check("ho^", "name ho@0");
    check("a AND ho^", "name ho@6");
    check("host:^", "value host=@5");
    check("host:gw^", "value host=gw@5");
    check('program:"post fi^"', "value program=post fi@8");
    check("(-fac^", "name fac@2");
    check('"in a phr^"', "none");
  });

  test("positions in characters and UTF-16 units", () => {
    expect(utf16Offset('😀 "a', 2)).toBe(3);
    expect(utf16Offset("ab", 9)).toBe(2);
  });
});
