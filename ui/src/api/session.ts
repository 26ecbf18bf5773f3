// GET /session: the user who is logged in, and the server.
import { get, type OnSessionEnd } from "./call.ts";

export interface Session {
  user: string;
  version: string;
  host: string;
}

export function readSession(onSessionEnd?: OnSessionEnd): Promise<Session> {
  return get<Session>("session", {}, undefined, onSessionEnd);
}
