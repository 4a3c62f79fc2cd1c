import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { roles, type Principal } from "./principal.ts";

/** A token in a file of tokens, as a hash. The token itself is not stored. */
const tokenRecord = z.strictObject({
  /** A name for the holder of the token, which is recorded with each decision. */
  name: z.string().min(1).max(128),
  /** SHA-256 of the token, in hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  roles: z.array(z.enum(roles)).min(1),
  user: z.string().min(1).max(256).optional(),
  hosts: z.array(z.string()).optional(),
});

/** A stored token: its hash, and what it may do. */
export type TokenRecord = z.output<typeof tokenRecord>;

/** The schema of a file of tokens. */
export const tokenFile = z.strictObject({ version: z.literal(1), tokens: z.array(tokenRecord).max(1_000) });

/** Creates a token of 256 random bits. Programs that search for leaked secrets recognise it by its prefix. */
export function createToken(): string {
  return `tm_${randomBytes(32).toString("base64url")}`;
}

/** Returns the hash under which a token is stored. */
export function hashToken(token: string): string {
  return hash("sha256", token);
}

/** Returns whose token it is, with their roles; null for an unknown token. */
export type Authenticate = (token: string) => Principal | null | Promise<Principal | null>;

/**
 * Creates a function that recognises stored tokens. It compares all of them in constant time, so that its duration reveals
 * nothing.
 */
export function createTokenCheck(records: readonly TokenRecord[]): (token: string) => Principal | null {
  const known = records.map((record) => ({
    digest: Buffer.from(record.sha256, "hex"),
    principal: principalOf(record),
  }));
  return (token) => {
    const digest = hash("sha256", token, "buffer");
    let found: Principal | null = null;
    for (const one of known) if (timingSafeEqual(one.digest, digest)) found = one.principal;
    return found;
  };
}

function principalOf({ name, user, roles: own, hosts }: TokenRecord): Principal {
  return {
    name,
    user: user ?? null,
    roles: new Set(own),
    hosts: hosts === undefined ? null : new Set(hosts),
  };
}
