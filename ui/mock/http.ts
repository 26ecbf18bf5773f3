// Functions that the mock's calls share: reading a body, answering, refusing in the API's form.
import type { IncomingMessage, ServerResponse } from "node:http";
import { SyntaxProblem } from "./query.ts";

const BODY_BYTES_MAX = 1 << 20;

export class Refusal extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;
  constructor(status: number, code: string, message: string, more: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.body = { code, message, ...more };
  }
}

export function asRefusal(cause: unknown): Refusal {
  if (cause instanceof Refusal) return cause;
  if (cause instanceof SyntaxProblem) {
    const { message, position, length, suggestion } = cause;
    return new Refusal(400, "query_syntax", message, { position, length, suggestion });
  }
  if (cause instanceof RangeError) return new Refusal(400, "bad_request", cause.message);
  return new Refusal(500, "internal", String(cause));
}

export function cookieOf(request: IncomingMessage): string {
  return /duramen_session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
}

export async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BODY_BYTES_MAX) throw new Refusal(413, "too_large", "the request is too large");
    chunks.push(chunk as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString() || "{}") as Record<string, unknown>;
  } catch {
    throw new Refusal(400, "bad_request", "the request is not JSON");
  }
}

export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store", ...headers });
  response.end(JSON.stringify(body));
}
