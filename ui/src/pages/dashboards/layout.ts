// Panels on the grid: moved, resized, and pushed so that none lies on another.
//
// In: panels and a change of one. Out: panels without gaps above them, in the order of reading. Limits: the grid's columns,
// HEIGHT_MAX.
import type { Panel } from "../../api/dashboards.ts";

export const COLUMNS = 12;
export const HEIGHT_MAX = 40;

export type Place = Pick<Panel, "x" | "y" | "w" | "h">;

const overlap = (a: Place, b: Place): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** Returns a place within the grid. */
export function clamp({ x, y, w, h }: Place): Place {
  const width = Math.min(COLUMNS, Math.max(1, Math.round(w)));
  return {
    x: Math.min(COLUMNS - width, Math.max(0, Math.round(x))),
    y: Math.max(0, Math.round(y)),
    w: width,
    h: Math.min(HEIGHT_MAX, Math.max(1, Math.round(h))),
  };
}

/** Returns the panels with one of them at a place; it has its row before others, which move down. */
export function place(panels: Panel[], id: string, to: Place): Panel[] {
  const moved = panels.map((panel) => (panel.id === id ? { ...panel, ...clamp(to) } : panel));
  return compact(moved, id);
}

export type Direction = "left" | "right" | "up" | "down";

/** Moves a panel by a column, or past the panel above or below it. */
export function step(panels: Panel[], id: string, direction: Direction): Panel[] {
  const panel = panels.find((one) => one.id === id);
  if (!panel) return panels;
  if (direction === "left") return place(panels, id, { ...panel, x: panel.x - 1 });
  if (direction === "right") return place(panels, id, { ...panel, x: panel.x + 1 });
  const shares = (other: Panel): boolean =>
    other.id !== id && panel.x < other.x + other.w && other.x < panel.x + panel.w;
  if (direction === "up") {
    const above = panels.filter((other) => shares(other) && other.y < panel.y).map(({ y }) => y);
    return place(panels, id, { ...panel, y: above.length > 0 ? Math.max(...above) : 0 });
  }
  const below = panels.filter((other) => shares(other) && other.y > panel.y).map(({ y }) => y);
  return below.length > 0 ? place(panels, id, { ...panel, y: Math.min(...below) + 1 }) : panels;
}

/** Moves all panels up as far as possible, in the order of their rows. */
export function compact(panels: Panel[], first?: string): Panel[] {
  const before = (panel: Panel): number => (panel.id === first ? 0 : 1);
  const order = [...panels].sort((a, b) => a.y - b.y || before(a) - before(b) || a.x - b.x);
  const placed: Panel[] = [];
  for (const panel of order) {
    let y = 0;
    // The lowest row below everything above it that shares a column.
    for (const other of placed) {
      if (panel.x < other.x + other.w && other.x < panel.x + panel.w) y = Math.max(y, other.y + other.h);
    }
    placed.push({ ...panel, y });
  }
  return placed;
}

/** Returns a place for a new panel: below all others. */
export function freePlace(panels: Panel[], w: number, h: number): Place {
  return { x: 0, y: panels.reduce((end, panel) => Math.max(end, panel.y + panel.h), 0), w, h };
}

/** Returns true if no panel lies on another and all are within the grid. */
export function isValid(panels: Panel[]): boolean {
  return panels.every(
    (panel, index) =>
      panel.x >= 0 && panel.x + panel.w <= COLUMNS && !panels.slice(0, index).some((other) => overlap(panel, other)),
  );
}
