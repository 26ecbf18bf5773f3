// Evidence packages: made first, then downloaded.
import { address, post } from "./call.ts";
import type { SearchRequest } from "./search.ts";

export interface EvidencePackage {
  id: string;
  name: string;
  messages: number;
  segments: number;
  /** SHA-256 of its manifest. */
  manifest: string;
  /** Messages that could not be read, and why. */
  unread?: string[];
}

export function makePackage(request: Pick<SearchRequest, "logspace" | "query" | "time">): Promise<EvidencePackage> {
  return post<EvidencePackage>("package", request);
}

/** Seals what the logspace has received until now. */
export function seal(logspace: string): Promise<unknown> {
  return post("seal", { logspace });
}

/** The address for downloading it, within an hour. */
export function packageAddress({ id }: EvidencePackage): string {
  return address("package", { id });
}
