// POST /logout: ends the session.
import { post } from "./call.ts";

export function logout(): Promise<unknown> {
  return post("logout", {}, undefined, "fail");
}
