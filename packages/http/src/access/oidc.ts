import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from "jose";
import { roles, type Principal, type Role } from "./principal.ts";

/** Whose tokens are accepted, and how roles are read from them. */
export interface OidcOptions {
  /** The `iss` of its tokens. */
  readonly issuer: string;
  /** The `aud` that they must have: this server. */
  readonly audience: string;
  /** Where its keys are, or a function that finds them. */
  readonly keys: URL | JWTVerifyGetKey;
  /** The claim with a list of roles. Default `roles`; values that are no role are ignored. */
  readonly rolesClaim?: string | undefined;
}

/** Algorithms with a public key. `none` and shared secrets are not among them. */
const algorithms = ["RS256", "PS256", "ES256", "ES384", "EdDSA"];

/** Recognises signed tokens of an OpenID provider. A token whose claim lists no role is recognised, and may do nothing. */
export function createOidcCheck(options: OidcOptions): (token: string) => Promise<Principal | null> {
  const { issuer, audience, keys, rolesClaim = "roles" } = options;
  const findKey = keys instanceof URL ? createRemoteJWKSet(keys) : keys;
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, findKey, {
        issuer,
        audience,
        algorithms,
        requiredClaims: ["exp", "sub"],
      });
      return principalOf(payload, rolesClaim);
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  };
}

/** The token itself is not valid; anything else says that the keys could not be read. */
function isRefusal(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  return error instanceof errors.JOSEError && error.code !== "ERR_JOSE_GENERIC";
}

function principalOf(payload: JWTPayload, rolesClaim: string): Principal | null {
  const claimed: unknown = payload[rolesClaim];
  const own = Array.isArray(claimed) ? roles.filter((role) => claimed.includes(role)) : [];
  const { sub } = payload;
  if (sub === undefined || sub === "") return null;
  return { name: sub, user: sub, roles: new Set<Role>(own), hosts: null };
}
