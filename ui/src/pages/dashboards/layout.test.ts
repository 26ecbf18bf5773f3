import { expect, test } from "vitest";
import type { Panel } from "../../api/dashboards.ts";
import { compact, freePlace, isValid, place, step } from "./layout.ts";

const panel = (id: string, x: number, y: number, w: number, h: number): Panel => ({
  id,
  title: id,
  kind: "number",
  x,
  y,
  w,
  h,
  logspace: "",
  query: "",
  options: {},
});
const shown = (panels: Panel[]): string =>
  [...panels]
    .sort((a, b) => a.id.localeCompare(b.id))
    .map(({ id, x, y, w, h }) => `${id}:${x},${y} ${w}x${h}`)
    .join(" ");

test("a panel that is moved pushes others down", () => {
  const panels = [panel("a", 0, 0, 6, 2), panel("b", 6, 0, 6, 2), panel("c", 0, 2, 12, 3)];
  expect(shown(place(panels, "b", { x: 0, y: 0, w: 6, h: 2 }))).toBe("a:0,2 6x2 b:0,0 6x2 c:0,4 12x3");
  expect(shown(place(panels, "a", { x: 0, y: 0, w: 12, h: 2 }))).toBe("a:0,0 12x2 b:6,2 6x2 c:0,4 12x3");
  expect(shown(place(panels, "c", { x: 0, y: 0, w: 12, h: 3 }))).toBe("a:0,3 6x2 b:6,3 6x2 c:0,0 12x3");
});

test("no panel leaves the grid or lies on another, however it is moved", () => {
  let panels = [panel("a", 0, 0, 4, 2), panel("b", 4, 0, 4, 3), panel("c", 8, 0, 4, 1), panel("d", 0, 3, 12, 2)];
  let seed = 7;
  const next = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most;
  for (let step = 0; step < 2_000; step++) {
    const id = "abcd"[next(4)]!;
    panels = place(panels, id, { x: next(20) - 4, y: next(20) - 4, w: next(16) - 1, h: next(60) - 2 });
    expect(isValid(panels), shown(panels)).toBe(true);
    expect(panels.some(({ y }) => y === 0)).toBe(true);
  }
});

test("a step passes the panel above or below", () => {
  const panels = [panel("a", 0, 0, 6, 2), panel("b", 6, 0, 6, 2), panel("c", 0, 2, 6, 3)];
  expect(shown(step(panels, "c", "up"))).toBe("a:0,3 6x2 b:6,0 6x2 c:0,0 6x3");
  expect(shown(step(panels, "a", "down"))).toBe("a:0,3 6x2 b:6,0 6x2 c:0,0 6x3");
  expect(shown(step(panels, "c", "down"))).toBe(shown(panels));
  expect(shown(step(panels, "b", "up"))).toBe(shown(panels));
  expect(shown(step(panels, "c", "left"))).toBe(shown(panels));
  expect(shown(step(panels, "c", "right"))).toBe("a:0,0 6x2 b:6,0 6x2 c:1,2 6x3");
  expect(step(panels, "none", "up")).toBe(panels);
});

test("gaps close, and a new panel is below all others", () => {
  expect(shown(compact([panel("a", 0, 5, 6, 2), panel("b", 6, 9, 6, 2)]))).toBe("a:0,0 6x2 b:6,0 6x2");
  expect(freePlace([panel("a", 0, 0, 6, 2)], 4, 3)).toEqual({ x: 0, y: 2, w: 4, h: 3 });
});
