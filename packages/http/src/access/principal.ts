import { HttpError } from "../fault/http-error.ts";

/** All roles. */
export const roles = ["view", "call", "approve", "admin"] as const;

/**
 * What a token may do. `view`: see what every user does and what waits, and change nothing. `call`: call tools, run turns,
 * resume. `approve`: see and decide approvals. `admin`: reload a plan, revoke an approval, and see what every user does.
 */
export type Role = (typeof roles)[number];

/** Who a request is from. */
export interface Principal {
  /** Recorded with each decision. */
  readonly name: string;
  /** Its calls are on behalf of this user, and it sees this user's only. Null: a request names its user itself. */
  readonly user: string | null;
  readonly roles: ReadonlySet<Role>;
  /** Names of the hosts that it may use; null for all. */
  readonly hosts: ReadonlySet<string> | null;
}

/** Throws `FORBIDDEN` without any role. A provider knows more people than those who may use this server. */
export function requireAnyRole({ name, roles: own }: Principal): void {
  if (own.size > 0) return;
  throw new HttpError("FORBIDDEN", {
    problem: `${name} has no role here; give the user one of ${roles.join(", ")} at the provider`,
  });
}

/** Throws `FORBIDDEN` without one of the roles. */
export function requireRole(principal: Principal, ...oneOf: readonly Role[]): void {
  if (oneOf.some((role) => principal.roles.has(role))) return;
  throw new HttpError("FORBIDDEN", {
    problem: `it needs the role ${oneOf.join(" or ")}, which ${principal.name} lacks`,
  });
}

/** Whether a token sees the questions for people. */
export function maySeeQuestions({ roles: own }: Principal): boolean {
  return own.has("approve") || own.has("view");
}

/** The only user whose calls and sessions it may see; null when it may see all. */
export function visibleUser({ user, roles: own }: Principal): string | null {
  return own.has("admin") || own.has("approve") || own.has("view") ? null : user;
}

/** The user of a call: the token's own, or for a token without one the user that the request names. */
export function userOfCall({ user, name }: Principal, requested: string | undefined): string | undefined {
  if (user === null || requested === undefined || requested === user) return user ?? requested;
  throw new HttpError("FORBIDDEN", { problem: `${name} acts for the user ${user} only` });
}
