// GET /logspaces: what can be searched.
import { ask } from "./call.ts";

export interface Logspace {
  name: string;
  messages: number;
  bytes: number;
  oldest_us: number | null;
  newest_us: number | null;
}

export function readLogspaces(signal?: AbortSignal): Promise<Logspace[]> {
  return ask<Logspace[]>("logspaces", {}, signal);
}
