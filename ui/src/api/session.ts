// GET /session: the user who is logged in, and the server.
import { get, type OnSessionEnd } from "./call.ts";
import type { Logspace } from "./logspaces.ts";

export interface Session {
  user: string;
  version: string;
  host: string;
  /** The addresses on which the server waits for syslog. */
  listeners: Listener[];
  /** The rights that the user has in any logspace. */
  may: Logspace["may"];
  /** True if the user may administer every logspace, and with that the users. */
  administers: boolean;
  /** Whether the password is kept in a directory, where it is changed. */
  of_directory?: boolean;
}

export interface Listener {
  transport: "tcp" | "udp";
  /** An IP address; all of the machine with 0.0.0.0 and ::. */
  address: string;
  port: number;
}

export function readSession(onSessionEnd?: OnSessionEnd): Promise<Session> {
  return get<Session>("session", {}, undefined, onSessionEnd);
}
