import { HttpError } from "../fault/http-error.ts";

/** All roles. */
export const roles = ["view", "call", "approve", "admin"] as const;

/**
 * What a token may do. `view`: see the work of every user and what waits, and change nothing. `call`: call tools, run turns,
 * resume. `approve`: see and decide approvals. `admin`: reload a plan, revoke an approval, and see the work of every user.
 */
export type Role = (typeof roles)[number];

/** The sender of a request. */
export interface Principal {
  /** The name that is recorded with each decision. */
  readonly name: string;
  /** The user for whom its calls are, and whose data alone it sees. Null if each request itself names a user. */
  readonly user: string | null;
  readonly roles: ReadonlySet<Role>;
  /** Names of the hosts that the sender may use; null for all. */
  readonly hosts: ReadonlySet<string> | null;
}

/** Throws `FORBIDDEN` for a user without any role, because a provider knows more people than may use this server. */
export function requireAnyRole({ name, roles: own }: Principal): void {
  if (own.size > 0) return;
  throw new HttpError("FORBIDDEN", {
    problem: `${name} has no role here; give the user one of ${roles.join(", ")} at the provider`,
  });
}

/** Throws `FORBIDDEN` unless the principal has one of the roles. */
export function requireRole(principal: Principal, ...oneOf: readonly Role[]): void {
  if (oneOf.some((role) => principal.roles.has(role))) return;
  throw new HttpError("FORBIDDEN", {
    problem: `it needs the role ${oneOf.join(" or ")}, which ${principal.name} lacks`,
  });
}

/** Tests whether a token may see the questions for people. */
export function maySeeQuestions({ roles: own }: Principal): boolean {
  return own.has("approve") || own.has("view");
}

/** Returns the only user whose calls and sessions the token may see; null if it may see all. */
export function visibleUser({ user, roles: own }: Principal): string | null {
  return own.has("admin") || own.has("approve") || own.has("view") ? null : user;
}

/** Returns the user of a call: the token's own or, for a token without a user, the one that the request names. */
export function userOfCall({ user, name }: Principal, requested: string | undefined): string | undefined {
  if (user === null || requested === undefined || requested === user) return user ?? requested;
  throw new HttpError("FORBIDDEN", { problem: `${name} acts for the user ${user} only` });
}
