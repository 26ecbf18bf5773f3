// GET /health: the state of the server; it needs no login.
import { get } from "./call.ts";

export function readHealth(signal?: AbortSignal): Promise<{ status: string }> {
  return get("health", {}, signal);
}
