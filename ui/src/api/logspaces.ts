// GET /logspaces: what can be searched.
import { ask } from "./call.ts";

export interface Logspace {
  name: string;
  messages: number;
  bytes: number;
  /** Absent when it is empty. */
  oldest_us?: number;
  newest_us?: number;
}

export function readLogspaces(signal?: AbortSignal): Promise<Logspace[]> {
  return ask<Logspace[]>("logspaces", {}, signal);
}
