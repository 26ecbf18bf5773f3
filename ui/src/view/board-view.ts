// The state of a dashboard's page <-> the query part of the URL.
//
// In: times, logspace, values of parameters, filters. Out: text after "?", and back. Times and logspace have the names that
// they have on the search page. A part that cannot be read is left out. Limits: FILTERS_MAX.
import type { FieldValue } from "../api/dashboards.ts";
import type { Clock } from "../api/search.ts";
import { isInstant, type Range } from "../time/range.ts";

export interface BoardView {
  /** Undefined: the times of the dashboard. */
  range: Range | undefined;
  clock: Clock | undefined;
  /** Empty: the logspace of the dashboard. */
  logspace: string;
  values: Record<string, string>;
  filters: FieldValue[];
  kiosk: boolean;
}

const FILTERS_MAX = 20;

export const EMPTY_BOARD_VIEW: BoardView = {
  range: undefined,
  clock: undefined,
  logspace: "",
  values: {},
  filters: [],
  kiosk: false,
};

export function encodeBoardView(view: BoardView): string {
  const parts = new URLSearchParams();
  if (view.logspace) parts.set("in", view.logspace);
  if (view.range) {
    parts.set("from", view.range.from);
    parts.set("to", view.range.to);
  }
  if (view.clock) parts.set("clock", view.clock);
  for (const [name, value] of Object.entries(view.values)) if (value) parts.set(`v.${name}`, value);
  for (const { field, value } of view.filters) parts.append(`f.${field}`, value);
  if (view.kiosk) parts.set("kiosk", "1");
  const text = parts.toString().replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%2F", "/");
  return text ? `?${text}` : "";
}

export function decodeBoardView(text: string): BoardView {
  const parts = new URLSearchParams(text);
  const clock = parts.get("clock");
  const values: Record<string, string> = {};
  const filters: FieldValue[] = [];
  for (const [name, value] of parts) {
    if (name.startsWith("v.")) values[name.slice(2)] = value;
    else if (name.startsWith("f.") && name.length > 2 && filters.length < FILTERS_MAX)
      filters.push({ field: name.slice(2), value });
  }
  return {
    range: decodeRange(parts),
    clock: clock === "event" || clock === "received" ? clock : undefined,
    logspace: parts.get("in") ?? "",
    values,
    filters,
    kiosk: parts.get("kiosk") === "1",
  };
}

function decodeRange(parts: URLSearchParams): Range | undefined {
  const from = parts.get("from");
  const to = parts.get("to");
  if (from === null && to === null) return undefined;
  const readable = (instant: string | null): string => (instant && isInstant(instant) ? instant : "");
  return { from: readable(from), to: readable(to) };
}

/** Adds a filter, once. */
export function withFilter(view: BoardView, added: FieldValue): BoardView {
  const has = view.filters.some(({ field, value }) => field === added.field && value === added.value);
  if (has || view.filters.length >= FILTERS_MAX) return view;
  return { ...view, filters: [...view.filters, added] };
}
