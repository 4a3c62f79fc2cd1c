import { resolve } from "node:path";
import { systemClock, type Logger } from "@toolmount/core";
import type { Authenticate, PageSignIn, TokenExchange, TokenRecord } from "@toolmount/http";
import type { OpenedHost } from "@toolmount/loader";
import type { Shell } from "../process/shell.ts";
import { usageError } from "../process/usage-error.ts";
import { readSecret, requireOutside } from "./token-file.ts";
import { fileOfTokens, inState, tokensInState, type TokenPlace } from "./token-place.ts";

/** The `--oidc` options: an OpenID provider whose tokens the server accepts, and the client id with which users sign in there. */
export interface OidcOptions {
  readonly issuer?: string;
  readonly audience?: string;
  /** The name of the claim that lists a user's roles. */
  readonly roles?: string;
  readonly client?: string;
  /** The scopes that clients and the page request, separated by blanks. */
  readonly scope?: string;
  /** Path of a file with the secret of the client. */
  readonly secret?: string;
}

/** Options that decide which tokens the server accepts. */
export interface AccessOptions {
  readonly tokens?: string;
  readonly oidc?: OidcOptions;
}

/** How a server recognises tokens and lets users sign in. */
export interface ServerAccess {
  readonly authenticate: Authenticate;
  /** The sign-in of the page. Absent if users enter a token. */
  readonly pageSignIn?: PageSignIn | undefined;
  /** Exchanges a user's signed token for a token of a mounted server; null without an OpenID provider. */
  readonly exchange: TokenExchange["exchange"] | null;
  /** Newly created tokens, which are shown once; absent if no token was created. */
  readonly created?: { readonly call: string; readonly decide: string };
  /** Reads the tokens again now. If this fails, the earlier tokens stay valid. */
  reload(): Promise<void>;
}

/**
 * Reads stored tokens, or creates tokens: for this run only, if no option names any, or for a place that has no tokens yet. New
 * tokens are shown only at a terminal, because a tool could read them in a log. With an OpenID provider, its signed tokens are
 * accepted, too. Throws `USAGE_INVALID` and `OPTION_INVALID`.
 */
export async function prepareAccess(
  options: AccessOptions,
  hosts: readonly OpenedHost[],
  shell: Shell,
  logger: Logger,
): Promise<ServerAccess> {
  const { createLiveTokens } = await import("./live-tokens.ts");
  const planFolders = hosts.map(({ plan }) => plan.folder);
  const signed = await openIssuer(options);
  const pageSignIn =
    signed === null
      ? undefined
      : await openSignIn(options.oidc ?? {}, signed.authenticate, { planFolders, shell, logger });
  const place = placeOf(options, hosts, shell);
  const { records, created } = await prepareTokens(place, options, planFolders, shell);
  const read = async () => place?.read() ?? records;
  const stored = createLiveTokens({ records, read, clock: systemClock, logger });
  return {
    authenticate: async (token) => (await stored.authenticate(token)) ?? signed?.authenticate(token) ?? null,
    pageSignIn,
    exchange: signed?.exchange ?? null,
    ...(created !== undefined && { created }),
    reload: stored.reload,
  };
}

/** Returns where the tokens are stored; null if they exist only for this run, or come from an OpenID provider. */
function placeOf(
  { tokens }: AccessOptions,
  [first]: readonly OpenedHost[],
  { cwd }: Shell,
): TokenPlace | null {
  if (tokens === undefined) return null;
  return tokens === inState ? tokensInState(first!) : fileOfTokens(tokens, cwd);
}

interface SignInPlace {
  readonly planFolders: readonly string[];
  readonly shell: Shell;
  readonly logger: Logger;
}

/**
 * Lets users sign in to the operator's page at the OpenID provider. Undefined without a client id of this server at the provider.
 */
async function openSignIn(
  { issuer, audience, client: clientId, scope, secret }: OidcOptions,
  authenticate: Authenticate,
  { planFolders, shell, logger }: SignInPlace,
): Promise<PageSignIn | undefined> {
  if (clientId === undefined) return undefined;
  const { createPageSignIn } = await import("@toolmount/http");
  const clientSecret =
    secret === undefined ? undefined : await readSecret(resolve(shell.cwd, secret), planFolders);
  return createPageSignIn({
    issuer: issuer!,
    audience: audience!,
    clientId,
    clientSecret,
    scope,
    authenticate,
    logger,
  });
}

/**
 * Recognises the signed tokens of an OpenID provider; null without one. A token without dots is not signed and is left to the
 * stored ones.
 */
async function openIssuer({ oidc }: AccessOptions): Promise<TokenExchange | null> {
  if (oidc === undefined) return null;
  const { issuer, audience, roles: rolesClaim } = oidc;
  if (issuer === undefined)
    throw usageError("--oidc needs issuer=<url>, the provider at which people sign in");
  if (audience === undefined)
    throw usageError("--oidc needs audience=<name>, the name under which the issuer knows this server");
  const { createOidcCheck, createTokenExchange, findOidcKeys } = await import("@toolmount/http");
  const check = createOidcCheck({ issuer, audience, keys: await findOidcKeys(issuer), rolesClaim });
  return createTokenExchange(issuer, (token) => (token.includes(".") ? check(token) : null));
}

interface Tokens {
  readonly records: readonly TokenRecord[];
  readonly created?: ServerAccess["created"];
}

async function prepareTokens(
  place: TokenPlace | null,
  { tokens: named, oidc }: AccessOptions,
  planFolders: readonly string[],
  shell: Shell,
): Promise<Tokens> {
  if (place === null || named === undefined) {
    if (oidc !== undefined) return { records: [] };
    return createTokens(
      shell,
      "name a file of tokens with --tokens; toolmount serve tokens add --print makes one",
    );
  }
  if (named !== inState) await requireOutside(resolve(shell.cwd, named), planFolders);
  const records = await place.read();
  if (records !== null) return { records };
  const path = named === inState ? inState : resolve(shell.cwd, named);
  const made = await createTokens(
    shell,
    `create ${path} first: toolmount serve tokens add ${path} <name> --print`,
  );
  await place.write(made.records);
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
