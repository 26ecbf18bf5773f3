import { expect, test } from "vitest";
import { decodeBoardView, EMPTY_BOARD_VIEW, encodeBoardView, withFilter, type BoardView } from "./board-view.ts";

test("a view of a dashboard survives the URL", () => {
  const views: [BoardView, string][] = [
    [EMPTY_BOARD_VIEW, ""],
    [
      {
        range: { from: "now-7d", to: "now" },
        clock: "event",
        logspace: "edge & co",
        values: { host: 'a&b="c"', ms: "-5" },
        filters: [
          { field: "host", value: "gw1" },
          { field: "host", value: "f.x=ä" },
          { field: ".SDATA.a@1.b", value: "" },
        ],
        kiosk: true,
      },
      "?in=edge+%26+co&from=now-7d&to=now&clock=event&v.host=a%26b%3D%22c%22&v.ms=-5&f.host=gw1&f.host=f.x%3D%C3%A4&f..SDATA.a%401.b=&kiosk=1",
    ],
    [{ ...EMPTY_BOARD_VIEW, range: { from: "", to: "" } }, "?from=&to="],
  ];
  for (const [view, text] of views) {
    expect(encodeBoardView(view)).toBe(text);
    expect(decodeBoardView(text)).toEqual(view);
  }
});

test("parts that cannot be read are left out", () => {
  expect(decodeBoardView("?from=tea&to=now&clock=sun&f.=x&x=1")).toEqual({
    ...EMPTY_BOARD_VIEW,
    range: { from: "", to: "now" },
  });
  const many = Array.from({ length: 30 }, (_, n) => `f.a=${n}`).join("&");
  expect(decodeBoardView(`?${many}`).filters).toHaveLength(20);
});

test("a filter is added once", () => {
  const once = withFilter(EMPTY_BOARD_VIEW, { field: "host", value: "gw1" });
  expect(withFilter(once, { field: "host", value: "gw1" })).toBe(once);
  expect(withFilter(once, { field: "host", value: "gw2" }).filters).toHaveLength(2);
});
