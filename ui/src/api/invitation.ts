// POST /invitation, POST /invitation/accept: sets the password of a user who was invited. Nobody is logged in for them.
import { post } from "./call.ts";

export interface Invited {
  user: string;
  /** Fewest characters of the password. */
  password_chars_min: number;
}

export function readInvitation(invitation: string): Promise<Invited> {
  return post("invitation", { invitation }, undefined, "fail");
}

export function acceptInvitation(invitation: string, newPassword: string): Promise<Invited> {
  return post("invitation/accept", { invitation, new_password: newPassword }, undefined, "fail");
}
