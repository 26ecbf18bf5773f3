// GET /session: the user who is logged in, and the server.
import { get } from "./call.ts";

export interface Session {
  user: string;
  version: string;
  host: string;
}

export function readSession(signal?: AbortSignal): Promise<Session> {
  return get<Session>("session", {}, signal);
}
