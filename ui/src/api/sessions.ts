// GET /sessions, DELETE /sessions, DELETE /sessions/{id}: the open sessions of a user.
import { get, remove } from "./call.ts";

export interface OpenSession {
  id: string;
  user: string;
  opened_us: number;
  used_us: number;
  ends_us: number;
  /** Address of the client that opened it; unknown for sessions of earlier versions. */
  address?: string;
  /** The browser or program, as it calls itself. */
  agent: string;
  /** True for the session of this page. */
  current: boolean;
}

export async function listSessions(user?: string): Promise<OpenSession[]> {
  const answer = await get<{ sessions: OpenSession[] }>("sessions", { user });
  return answer.sessions;
}

export function endSession(id: string): Promise<{ ended: number }> {
  return remove(`sessions/${encodeURIComponent(id)}`);
}

/** Ends all sessions of a user; without a user, all of one's own but this one. */
export function endSessions(user?: string): Promise<{ ended: number }> {
  return remove("sessions", { user });
}
