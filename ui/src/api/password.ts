// POST /password: changes the password of the user, and ends the other sessions.
import { post } from "./call.ts";

export function changePassword(password: string, newPassword: string): Promise<{ ended: number }> {
  return post("password", { password, new_password: newPassword });
}
