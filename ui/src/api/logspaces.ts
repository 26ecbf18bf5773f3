// GET /logspaces: what can be searched.
import { ask } from "./call.ts";

export interface Logspace {
  name: string;
  kind: "local" | "filtered" | "multiple";
  /** What the user may do there. */
  may: ("search" | "export" | "administer")[];
  /** Absent when they could not be counted in time. */
  messages?: number;
  /** Absent when it is not a local one. */
  bytes?: number;
  /** Whether some of it is locked for this session, and whether this session unlocked some of it. */
  locked: boolean;
  unlocked: boolean;
  /** Absent when it is empty. */
  oldest_us?: number;
  newest_us?: number;
}

export function readLogspaces(signal?: AbortSignal): Promise<Logspace[]> {
  return ask<Logspace[]>("logspaces", {}, signal);
}
