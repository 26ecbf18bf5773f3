// GET /health: the state of the server; needs no login.
import { ask } from "./call.ts";

export function readHealth(signal?: AbortSignal): Promise<{ status: string }> {
  return ask("health", {}, signal);
}
