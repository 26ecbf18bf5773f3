// GET /session: who is looking, and at which server.
import { ask } from "./call.ts";

export interface Session {
  user: string;
  version: string;
  host: string;
}

export function readSession(signal?: AbortSignal): Promise<Session> {
  return ask<Session>("session", {}, signal);
}
