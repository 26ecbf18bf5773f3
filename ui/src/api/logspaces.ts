// GET /logspaces: the logspaces that the user may search.
import { get, type OnSessionEnd } from "./call.ts";

export interface Logspace {
  name: string;
  kind: "local" | "filtered" | "multiple";
  /** Rights of the user there. */
  may: ("search" | "export" | "administer")[];
  /** Absent when they could not be counted in time. */
  messages?: number;
  /** Absent when it is not a local one. */
  bytes?: number;
  /** Some of its messages are locked for this session. */
  locked: boolean;
  /** Some of its messages were unlocked for this session. */
  unlocked: boolean;
  /** Absent when it is empty. */
  oldest_us?: number;
  newest_us?: number;
}

export function readLogspaces(onSessionEnd?: OnSessionEnd): Promise<Logspace[]> {
  return get<Logspace[]>("logspaces", {}, undefined, onSessionEnd);
}
