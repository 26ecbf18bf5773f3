// One call of the HTTP API.
//
// In: a path below api/v1 and a body. Out: the decoded answer, or an ApiError. Holds: nothing. The address is below the
// root of the page, so that any path prefix works. Limits: the caller's AbortSignal.

import { below } from "../view/route.ts";

/** The kind of a failure, as the server names it; `unavailable` when it did not answer at all. */
export type ErrorCode =
  | "unauthorized"
  | "code_needed"
  | "wrong_code"
  | "wrong_password"
  | "forbidden"
  | "too_many_attempts"
  | "not_found"
  | "bad_request"
  | "query_syntax"
  | "timeout"
  | "too_large"
  | "conflict"
  | "changed"
  | "no_space"
  | "objects_unavailable"
  | "internal"
  | "unavailable";

/** The body of every error answer. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  /** Position in the query, in characters; for `query_syntax`. */
  position?: number;
  length?: number;
  suggestion?: string;
}

export class ApiError extends Error {
  readonly body: ErrorBody;
  /** Seconds after which to try again. */
  readonly retryAfter: number | undefined;
  /** The whole answer, when it says more than the error. */
  readonly answer: unknown;

  constructor(body: ErrorBody, retryAfter?: number, answer?: unknown) {
    super(body.message);
    this.answer = answer;
    this.body = body;
    this.retryAfter = retryAfter;
  }
}

/** What a call does when the session has ended: it asks for a new login and is repeated, it only reports it, or it just fails. */
export type OnSessionEnd = "ask" | "report" | "fail";

export interface SessionGuard {
  /** Resolves when there is a session again; rejects when the user wants none. */
  renew(): Promise<void>;
  report(): void;
}

let guard: SessionGuard | undefined;

/** Sets what happens when the server answers that the session has ended. */
export function setSessionGuard(used: SessionGuard | undefined): void {
  guard = used;
}

/** The address of an endpoint. */
export function address(path: string, parameters: Record<string, string | number | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return below(`api/v1/${path}${text ? `?${text}` : ""}`);
}

export function get<Answer>(
  path: string,
  parameters: Record<string, string | number | undefined> = {},
  signal?: AbortSignal,
  onSessionEnd: OnSessionEnd = "ask",
): Promise<Answer> {
  return send<Answer>(address(path, parameters), { method: "GET", signal: signal ?? null }, onSessionEnd);
}

export function post<Answer>(
  path: string,
  body: unknown,
  signal?: AbortSignal,
  onSessionEnd: OnSessionEnd = "ask",
): Promise<Answer> {
  const request = {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Requested-By": "duramen" },
    body: JSON.stringify(body),
    signal: signal ?? null,
  };
  return send<Answer>(address(path), request, onSessionEnd);
}

/** Sets something to what the body says, whatever it was. */
export function put<Answer>(path: string, body: unknown): Promise<Answer> {
  const request = {
    method: "PUT",
    headers: { "Content-Type": "application/json", "X-Requested-By": "duramen" },
    body: JSON.stringify(body),
  };
  return send<Answer>(address(path), request, "ask");
}

/** Changes or deletes something that the caller has seen in a certain state. */
export function change<Answer>(
  method: "PUT" | "DELETE" | "POST",
  path: string,
  etag: string,
  body?: unknown,
): Promise<Answer> {
  const request = {
    method,
    headers: { "Content-Type": "application/json", "X-Requested-By": "duramen", "If-Match": etag },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  return send<Answer>(address(path), request, "ask");
}

/** Deletes something, whatever state it is in. */
export function remove<Answer>(
  path: string,
  parameters: Record<string, string | number | undefined> = {},
): Promise<Answer> {
  return send<Answer>(address(path, parameters), { method: "DELETE", headers: { "X-Requested-By": "duramen" } }, "ask");
}

/** Header of calls that nobody has asked for at this moment, such as those of timers: they do not keep a session open. */
const AUTOMATIC = { "X-Automatic": "1" };

async function send<Answer>(url: string, request: RequestInit, onSessionEnd: OnSessionEnd): Promise<Answer> {
  const headers = { ...(request.headers as Record<string, string>), ...(onSessionEnd === "report" ? AUTOMATIC : {}) };
  let answer: Response;
  try {
    answer = await fetch(url, { ...request, headers, credentials: "same-origin", cache: "no-store" });
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new ApiError({ code: "unavailable", message: "The server does not answer." });
  }
  if (answer.ok) return (await answer.json()) as Answer;
  const error = await readError(answer);
  if (error.body.code !== "unauthorized" || !guard || onSessionEnd === "fail") throw error;
  if (onSessionEnd === "report") {
    guard.report();
    throw error;
  }
  await guard.renew().catch(() => {
    throw error;
  });
  request.signal?.throwIfAborted();
  return send<Answer>(url, request, "fail");
}

/** Returns why the server refuses a GET, of which the browser does not tell; undefined when it answers. */
export async function refusalOf(url: string): Promise<ApiError | undefined> {
  const request = new AbortController();
  try {
    const answer = await fetch(url, { credentials: "same-origin", cache: "no-store", signal: request.signal });
    if (answer.ok) return undefined;
    const error = await readError(answer);
    if (error.body.code === "unauthorized") guard?.report();
    return error;
  } catch {
    return new ApiError({ code: "unavailable", message: "The server does not answer." });
  } finally {
    request.abort();
  }
}

async function readError(answer: Response): Promise<ApiError> {
  const wait = Number(answer.headers.get("Retry-After"));
  const retryAfter = Number.isFinite(wait) && wait > 0 ? wait : undefined;
  try {
    const body = (await answer.json()) as { error?: ErrorBody };
    if (body.error?.code) return new ApiError(body.error, retryAfter, body);
  } catch {
    // This was not our server: a proxy on the way answered with a page of its own.
  }
  const unavailable = answer.status === 502 || answer.status === 503 || answer.status === 504;
  const code: ErrorCode = answer.status === 401 ? "unauthorized" : unavailable ? "unavailable" : "internal";
  return new ApiError(
    { code, message: `The server answered ${answer.status} ${answer.statusText}.`.trim() },
    retryAfter,
  );
}

/** Returns what the server says of a failure, or what is known of one without an answer. */
export function bodyOf(cause: unknown): ErrorBody {
  if (cause instanceof ApiError) return cause.body;
  return { code: "internal", message: cause instanceof Error ? cause.message : String(cause) };
}

/** Returns true if a promise failed only because it was superseded. */
export function isAborted(cause: unknown): boolean {
  return cause instanceof DOMException && cause.name === "AbortError";
}
