import { describe, expect, test } from "vitest";
import { addFilter, filterTerm, removeFilter, activeFilter, withoutSelection } from "./edit.ts";
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

  test("of one field are alternatives", () => {
    check("host:gw1", "gw2", "include", "host:(gw1 OR gw2)");
    check("failed AND host:(gw1 OR gw2) AND b", "web 3", "include", 'failed AND host:(gw1 OR gw2 OR "web 3") AND b');
    check("host:(gw1 OR gw2)", "gw1", "exclude", "host:gw2 AND NOT host:gw1");
    expect(removeFilter("a AND host:(gw1 OR gw2 OR gw3)", "host", "gw2")).toBe("a AND host:(gw1 OR gw3)");
    expect(removeFilter("NOT host:(gw1 OR gw2)", "host", "gw2")).toBe("NOT host:gw1");
    expect(activeFilter("host:(gw1 AND gw2)", "host", "gw1")).toBe(undefined);
    expect(withoutSelection("a host:(gw1 OR gw2) | top host", "host")).toBe("a | top host");
    expect(withoutSelection("NOT host:gw1", "host")).toBe(undefined);
  });

  test("are found however they are quoted", () => {
    expect(activeFilter("host:bastion-1", "host", "bastion-1")).toBe("include");
    expect(activeFilter('host:"bastion-1"', "host", "bastion-1")).toBe("include");
    expect(activeFilter("host:bastion\\-1", "host", "bastion-1")).toBe("include");
    check("host:bastion-1", "bastion-1", "include", "host:bastion-1");
    expect(activeFilter("host:gw*", "host", "gw*")).toBe(undefined);
    expect(activeFilter('host:"gw*"', "host", "gw*")).toBe("include");
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
      found
        ? `${found.kind}${found.kind === "name" && found.inPipe ? " in pipe" : ""} ${found.kind === "value" ? `${found.field}=` : ""}${found.prefix}@${found.from}`
        : "none",
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
    check("* | to^", "command to@4");
    check("* | top ho^", "name in pipe ho@8");
    check("* | stats count() by ^", "name in pipe @21");
    check("* | where ho^", "name ho@10");
  });

  test("positions in characters and UTF-16 units", () => {
    expect(utf16Offset('😀 "a', 2)).toBe(3);
    expect(utf16Offset("ab", 9)).toBe(2);
  });
});
