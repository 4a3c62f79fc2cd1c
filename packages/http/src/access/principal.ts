import { HttpError } from "../fault/http-error.ts";

/** The roles that a token can have; {@link Role} says what each may do. */
export const roles = ["view", "call", "approve", "admin"] as const;

/**
 * What a token may do. `view`: see the work of all users and what waits, and change nothing. `call`: call tools, run and resume
 * turns. `approve`: see and answer questions. `admin`: reload a plan, revoke a remembered approval, and see the work of all
 * users.
 */
export type Role = (typeof roles)[number];

/** Who sends a request, and what they may do. */
export interface Principal {
  /** The name that is recorded with each decision. */
  readonly name: string;
  /** The user for whom calls of the token run, and whose data it sees; null if each request names a user itself. */
  readonly user: string | null;
  readonly roles: ReadonlySet<Role>;
  /** Names of the hosts that the sender may use; null for all. */
  readonly hosts: ReadonlySet<string> | null;
}

/** Throws `FORBIDDEN` for a user without a role, because not everyone at the provider may use this server. */
export function requireAnyRole({ name, roles: own }: Principal): void {
  if (own.size > 0) return;
  throw new HttpError("FORBIDDEN", {
    problem: `${name} has no role here; give the user one of ${roles.join(", ")} at the provider`,
  });
}

/** Throws `FORBIDDEN` unless the principal has at least one of the roles `oneOf`. */
export function requireRole(principal: Principal, ...oneOf: readonly Role[]): void {
  if (oneOf.some((role) => principal.roles.has(role))) return;
  throw new HttpError("FORBIDDEN", {
    problem: `it needs the role ${oneOf.join(" or ")}, which ${principal.name} lacks`,
  });
}

/** Tests whether a token may see the questions that wait for an answer. */
export function maySeeQuestions({ roles: own }: Principal): boolean {
  return own.has("approve") || own.has("view");
}

/** Returns the only user whose calls and sessions the token may see; null if it may see all. */
export function visibleUser({ user, roles: own }: Principal): string | null {
  return own.has("admin") || own.has("approve") || own.has("view") ? null : user;
}

/**
 * Returns the user of a call: the token's user or, for a token without one, the user that the request names. Throws `FORBIDDEN`
 * if the request names another user than the token's.
 */
export function userOfCall({ user, name }: Principal, requested: string | undefined): string | undefined {
  if (user === null || requested === undefined || requested === user) return user ?? requested;
  throw new HttpError("FORBIDDEN", { problem: `${name} acts for the user ${user} only` });
}
