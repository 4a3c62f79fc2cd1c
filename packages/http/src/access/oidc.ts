import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from "jose";
import { roles, type Principal, type Role } from "./principal.ts";

/** The provider whose tokens are accepted, and how roles are read from them. */
export interface OidcOptions {
  /** The `iss` that tokens must have. */
  readonly issuer: string;
  /** The `aud` that tokens must have: this server. */
  readonly audience: string;
  /** The address of the provider's keys, or a function that finds a key. */
  readonly keys: URL | JWTVerifyGetKey;
  /** The claim with a list of roles. Default `roles`. Unknown roles are ignored. */
  readonly rolesClaim?: string | undefined;
}

/** Algorithms with a public key. `none` and algorithms with a shared secret are excluded. */
const algorithms = ["RS256", "PS256", "ES256", "ES384", "EdDSA"];

/**
 * Creates a function that recognises signed tokens of an OpenID provider. It returns null for an invalid token, and rejects if
 * the provider's keys cannot be read. A token without a role is recognised, but has no rights.
 */
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

/** Tests whether a token is invalid. Other errors mean that the provider's keys could not be read. */
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
