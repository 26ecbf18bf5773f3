// POST /unlock and /lock: unlocks messages with a private key, for this session alone.
import { post } from "./call.ts";

export interface Unlocked {
  /** Segments that the key opened. */
  opened: number;
  /** Segments that stay locked. */
  locked: number;
}

export function unlock(logspace: string, key: string, passphrase: string): Promise<Unlocked> {
  return post("unlock", { logspace, key, ...(passphrase ? { passphrase } : {}) });
}

export function lock(logspace: string): Promise<unknown> {
  return post("lock", { logspace });
}
