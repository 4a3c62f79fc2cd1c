import { resolve } from "node:path";
import type { Logger } from "@toolmount/core";
import type { Authenticate, PageSignIn, TokenExchange, TokenRecord } from "@toolmount/http";
import type { Shell } from "../process/shell.ts";
import { usageError } from "../process/usage-error.ts";
import { readSecret, readTokenFile, requireOutside, writeTokenFile } from "./token-file.ts";

/** Options that say whose tokens a server accepts. */
export interface AccessOptions {
  readonly tokens?: string;
  readonly oidcIssuer?: string;
  readonly oidcAudience?: string;
  readonly oidcRoles?: string;
  readonly oidcClient?: string;
  readonly oidcScope?: string;
  readonly oidcSecret?: string;
}

/** Whose tokens a server accepts. */
export interface ServerAccess {
  readonly authenticate: Authenticate;
  /** Where people sign in to the page. Absent when they enter a token. */
  readonly pageSignIn?: PageSignIn | undefined;
  /** Exchanges the tokens with which users come; null where they come with no signed tokens. */
  readonly exchange: TokenExchange["exchange"] | null;
  /** New tokens, which are shown once. Absent when the tokens come from elsewhere. */
  readonly created?: { readonly call: string; readonly decide: string };
  /** Reads the file of tokens again. With a file that is refused the tokens stay as they were. */
  reload(): Promise<void>;
}

/**
 * Reads a file of hashed tokens, or makes new tokens: for this run, or for a file that is not there yet. New tokens are
 * shown at a terminal only, since a log that a tool can read would give them away. With an issuer its signed tokens are
 * accepted, too. Throws `USAGE_INVALID` and `OPTION_INVALID`.
 */
export async function prepareAccess(
  options: AccessOptions,
  planFolders: readonly string[],
  shell: Shell,
  logger: Logger,
): Promise<ServerAccess> {
  const { createTokenCheck } = await import("@toolmount/http");
  const signed = await openIssuer(options);
  const pageSignIn =
    signed === null
      ? undefined
      : await openSignIn(options, signed.authenticate, { planFolders, shell, logger });
  const { records, created } = await prepareTokens(options, planFolders, shell);
  let stored = createTokenCheck(records);
  return {
    authenticate: (token) => stored(token) ?? signed?.authenticate(token) ?? null,
    pageSignIn,
    exchange: signed?.exchange ?? null,
    ...(created !== undefined && { created }),
    async reload() {
      if (options.tokens === undefined) return;
      const path = resolve(shell.cwd, options.tokens);
      stored = createTokenCheck((await readTokenFile(path)) ?? []);
    },
  };
}

interface SignInPlace {
  readonly planFolders: readonly string[];
  readonly shell: Shell;
  readonly logger: Logger;
}

/** Lets people sign in to the page at the provider, as the client that the provider knows this server by. */
async function openSignIn(
  { oidcIssuer, oidcAudience, oidcClient: clientId, oidcScope: scope, oidcSecret }: AccessOptions,
  authenticate: Authenticate,
  { planFolders, shell, logger }: SignInPlace,
): Promise<PageSignIn | undefined> {
  if (clientId === undefined) return undefined;
  const { createPageSignIn } = await import("@toolmount/http");
  const clientSecret =
    oidcSecret === undefined ? undefined : await readSecret(resolve(shell.cwd, oidcSecret), planFolders);
  return createPageSignIn({
    issuer: oidcIssuer!,
    audience: oidcAudience!,
    clientId,
    clientSecret,
    scope,
    authenticate,
    logger,
  });
}

/** Recognises the signed tokens of an OpenID provider. Only a signed token has dots. */
async function openIssuer(options: AccessOptions): Promise<TokenExchange | null> {
  const { oidcIssuer: issuer, oidcAudience: audience, oidcRoles: rolesClaim } = options;
  if (issuer === undefined) {
    if (options.oidcClient === undefined) return null;
    throw usageError("--oidc-client needs --oidc-issuer, the provider at which people sign in");
  }
  if (audience === undefined)
    throw usageError(
      "--oidc-issuer needs --oidc-audience, the name under which the issuer knows this server",
    );
  const { createOidcCheck, createTokenExchange, findOidcKeys } = await import("@toolmount/http");
  const check = createOidcCheck({ issuer, audience, keys: await findOidcKeys(issuer), rolesClaim });
  return createTokenExchange(issuer, (token) => (token.includes(".") ? check(token) : null));
}

interface Tokens {
  readonly records: readonly TokenRecord[];
  readonly created?: ServerAccess["created"];
}

async function prepareTokens(
  { tokens: file, oidcIssuer }: AccessOptions,
  planFolders: readonly string[],
  shell: Shell,
): Promise<Tokens> {
  if (file === undefined) {
    if (oidcIssuer !== undefined) return { records: [] };
    return createTokens(
      shell,
      "name a file of tokens with --tokens; toolmount serve tokens add --print makes one",
    );
  }
  const path = resolve(shell.cwd, file);
  await requireOutside(path, planFolders);
  const records = await readTokenFile(path);
  if (records !== null) return { records };
  const made = await createTokens(
    shell,
    `create ${path} first: toolmount serve tokens add ${path} <name> --print`,
  );
  await writeTokenFile(path, made.records);
  return made;
}

async function createTokens({ terminal }: Shell, todo: string): Promise<Tokens> {
  if (terminal === undefined)
    throw usageError(`new tokens are shown at a terminal only, and this process has no terminal; ${todo}`);
  const { createToken, hashToken } = await import("@toolmount/http");
  const created = { call: createToken(), decide: createToken() };
  return {
    records: [
      { name: "call", sha256: hashToken(created.call), roles: ["call"], user: "call" },
      { name: "operator", sha256: hashToken(created.decide), roles: ["call", "approve", "admin"] },
    ],
    created,
  };
}
