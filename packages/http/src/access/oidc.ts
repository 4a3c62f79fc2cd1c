import { ToolmountError } from "@toolmount/core";
import { z } from "zod";
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

/** Recognises signed tokens of an OpenID provider. A token without a role is not accepted. */
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
  if (own.length === 0 || sub === undefined || sub === "") return null;
  return { name: sub, user: sub, roles: new Set<Role>(own), hosts: null };
}

const discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** Milliseconds in which an issuer must describe itself. */
const discoveryMs = 10_000;

/**
 * Asks an issuer where its keys are, by OpenID Connect Discovery. Rejects with `OPTION_INVALID` when it does not answer, is
 * another issuer than it was asked for, or does not use HTTPS, except on loopback.
 */
export async function findOidcKeys(issuer: string): Promise<URL> {
  const refuse = (problem: string, cause?: unknown) =>
    new ToolmountError("OPTION_INVALID", { option: "issuer", problem: `${issuer}: ${problem}` }, { cause });
  if (!isSafe(issuer)) throw refuse("it is not an https address");
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const found = await readDiscovery(address).catch((cause: unknown) => {
    throw refuse(`${address} cannot be read: ${messageOf(cause)}`, cause);
  });
  if (found.issuer !== issuer) throw refuse(`its discovery document names the issuer ${found.issuer}`);
  if (!isSafe(found.jwks_uri)) throw refuse(`its keys are not at an https address: ${found.jwks_uri}`);
  return new URL(found.jwks_uri);
}

async function readDiscovery(address: string): Promise<z.output<typeof discovery>> {
  const response = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(discoveryMs) });
  if (!response.ok) throw new Error(`it answered with status ${response.status}`);
  return discovery.parse(await response.json());
}

const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

function isSafe(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return false;
  return url.protocol === "https:" || loopbackNames.has(url.hostname);
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof z.ZodError) return z.prettifyError(thrown);
  const { message, cause } = thrown as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
