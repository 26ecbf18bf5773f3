// GET /logspaces: the logspaces that the user may search.
import { ask } from "./call.ts";

export interface Logspace {
  name: string;
  kind: "local" | "filtered" | "multiple";
  /** Rights of the user there. */
  may: ("search" | "export" | "administer")[];
  /** Absent when they could not be counted in time. */
  messages?: number;
  /** Absent when it is not a local one. */
  bytes?: number;
  /** Parts are locked for this session; parts were unlocked by it. */
  locked: boolean;
  unlocked: boolean;
  /** Absent when it is empty. */
  oldest_us?: number;
  newest_us?: number;
}

export function readLogspaces(signal?: AbortSignal): Promise<Logspace[]> {
  return ask<Logspace[]>("logspaces", {}, signal);
}
