// What a user may do in a logspace, and why: the grants of their own and of their roles that reach it.
//
// The server decides by the same rules (`Grant::reaches` in `crates/accounts`); the page only explains.
import type { EffectiveGrant, Grant, Right, User } from "../../api/users.ts";

export const RIGHTS: readonly Right[] = ["search", "export", "administer"];
export const EVERY_LOGSPACE = "*";

/** Returns true if a grant is about a logspace; `*` as the name of one means all of them. */
export function reaches(grant: Grant, logspace: string): boolean {
  if (!grant.logspace.endsWith("*")) return grant.logspace === logspace;
  return logspace.startsWith(grant.logspace.slice(0, -1));
}

/** Returns the grants that give a user a right in a logspace. */
export function sourcesOf(user: Pick<User, "effective">, logspace: string, right: Right): EffectiveGrant[] {
  return user.effective.filter((grant) => grant.may.includes(right) && reaches(grant, logspace));
}

/** Returns the rights that a user has in a logspace. Who is locked out has none, and without `search` the others open nothing. */
export function rightsOf(user: Pick<User, "effective" | "locked">, logspace: string): Right[] {
  if (user.locked) return [];
  const has = (right: Right): boolean => sourcesOf(user, logspace, right).length > 0;
  if (!has("search") && logspace !== EVERY_LOGSPACE) return [];
  return RIGHTS.filter(has);
}

/** Names where a grant comes from: `own grant of main`, `role analyst (firewall-*)`. */
export function sourceText(grant: EffectiveGrant): string {
  return grant.role === undefined ? `own grant of ${grant.logspace}` : `role ${grant.role} (${grant.logspace})`;
}

/** One sentence for each right: whether the user has it, and by which grants. */
export function explain(user: User, logspace: string): string[] {
  const where = logspace === EVERY_LOGSPACE ? "all logspaces" : logspace;
  if (user.locked) return [`${user.name} is locked out and may do nothing in ${where}.`];
  const rights = rightsOf(user, logspace);
  return RIGHTS.map((right) => {
    const sources = sourcesOf(user, logspace, right);
    if (sources.length === 0) return `${right}: no grant.`;
    const from = sources.map(sourceText).join(", ");
    return rights.includes(right)
      ? `${right}: by ${from}.`
      : `${right}: by ${from}, but without search it opens nothing.`;
  });
}

/** The grants with one changed: export and administer bring search with them, and go with it. */
export function withRight(grant: Grant, right: Right, wanted: boolean): Grant {
  const kept = wanted
    ? RIGHTS.filter((one) => one === right || one === "search" || grant.may.includes(one))
    : RIGHTS.filter((one) => one !== right && right !== "search" && grant.may.includes(one));
  return { ...grant, may: kept };
}

/** What a user may do, in a few words for the list. */
export function summaryOf(user: Pick<User, "effective">): string {
  if (user.effective.length === 0) return "no rights";
  const shown = user.effective.slice(0, 4).map(({ logspace, may, role }) => {
    const where = logspace === EVERY_LOGSPACE ? "all logspaces" : logspace;
    return `${may.join(", ")} in ${where}${role === undefined ? "" : ` (role ${role})`}`;
  });
  const more = user.effective.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; ${more} more` : "");
}
