import { expect, test } from "vitest";
import { decodeView, encodeView } from "./codec.ts";
import { DEFAULT_VIEW, type View } from "./view.ts";

function check(change: Partial<View>, text: string): void {
  const view = { ...DEFAULT_VIEW, ...change };
  expect(encodeView(view)).toBe(text);
  expect(decodeView(text)).toEqual(view);
}

test("writes only what differs from the default", () => {
  check({}, "");
  check({ query: "failed" }, "?q=failed");
  check({ logspace: "audit", clock: "event" }, "?in=audit&clock=event");
  check({ range: { from: "now-15m", to: "now" } }, "?from=now-15m&to=now");
  check({ range: { from: "", to: "" } }, "?from=&to=");
  check({ wrap: true, live: true }, "?wrap=1&live=1");
  check({ open: 0, tab: "context" }, "?open=0&tab=context");
  check({ columns: [] }, "?columns=");
  check({ saved: "failed-logins" }, "?o=failed-logins");
  check({ query: "| top host", chart: "pie" }, "?q=%7C+top+host&chart=pie");
  expect(decodeView("?chart=cake").chart).toBe(undefined);
});

test("keeps every character of a query", () => {
  check({ query: 'host:gw1 AND "a b"' }, "?q=host:gw1+AND+%22a+b%22");
  check({ query: "50% & more = #1 +plus\\:" }, "?q=50%25+%26+more+%3D+%231+%2Bplus%5C:");
  check({ query: "日本語 😀" }, "?q=%E6%97%A5%E6%9C%AC%E8%AA%9E+%F0%9F%98%80");
  check({ columns: ["host", "a,b", ".SDATA.x@1.y"] }, "?columns=host,a%252Cb,.SDATA.x%25401.y");
});

test("round-trips views made at random", () => {
  let state = 1;
  const next = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  const text = (): string => Array.from({ length: next(12) }, () => String.fromCodePoint(32 + next(600))).join("");
  for (let round = 0; round < 500; round++) {
    const view: View = {
      logspace: text(),
      query: text(),
      clock: next(2) ? "event" : "received",
      range: next(2) ? { from: `now-${next(90)}m`, to: "now" } : { from: "2026-11-21T09:00:00.123456Z", to: "" },
      columns: [...new Set([text(), text()].filter(Boolean))],
      wrap: next(2) === 1,
      live: next(2) === 1,
      open: next(2) ? next(1e9) : undefined,
      chart: next(2) ? "pie" : undefined,
      tab: next(2) ? "raw" : "fields",
      saved: next(2) ? "01990a5e-6c00-7000-8000-000000000001" : "",
    };
    expect(decodeView(encodeView(view))).toEqual(view);
  }
});

test("opens what it cannot read as the default", () => {
  const broken = (text: string, want: Partial<View>): void =>
    expect(decodeView(text)).toEqual({ ...DEFAULT_VIEW, ...want });
  broken("?open=x&tab=nothing&clock=sundial", {});
  broken("?open=-4", {});
  broken("?o=../x", {});
  broken("?from=tea-time&to=now", { range: { from: "", to: "now" } });
  broken("?columns=host,host,%25E0", { columns: ["host", "%E0"] });
});
