// GET /factor, POST /factor and the calls below it: the second factor of the user.
import { get, post } from "./call.ts";

export interface Factor {
  /** When it was enrolled; absent without one. */
  enrolled_us?: number;
  recovery_left: number;
}

export interface Enrolment {
  /** The secret in base 32, for those who type it. */
  secret: string;
  address: string;
  /** The address as a QR code: a square of black squares, as the path of an SVG picture. */
  picture: { size: number; path: string };
}

export function readFactor(): Promise<Factor> {
  return get("factor");
}

/** Begins with a new secret, which is in force once its first code was sent. */
export function beginFactor(password: string): Promise<Enrolment> {
  return post("factor", { password });
}

export function enrolFactor(code: string): Promise<{ recovery_codes: string[] }> {
  return post("factor/enrol", { code });
}

export function renewRecoveryCodes(password: string): Promise<{ recovery_codes: string[] }> {
  return post("factor/recovery", { password });
}

export function removeFactor(password: string): Promise<Factor> {
  return post("factor/remove", { password });
}
