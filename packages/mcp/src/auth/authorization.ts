import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  computeScopeUnion,
  extractWWWAuthenticateParams,
  OAuthError,
  OAuthErrorCode,
  UnauthorizedError,
  type AuthProvider,
  type FetchLike,
  type InsufficientScopeError,
} from "@modelcontextprotocol/client";
import { systemClock, type Logger } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import {
  challengeOf,
  tokensOf,
  type Challenge,
  type Credentials,
  type Kept,
  type KeptTokens,
} from "./credentials.ts";
import { renewTokens } from "./renew.ts";
import type { AuthSettings } from "./settings.ts";

/** How long one process may take to renew tokens before another one tries, in milliseconds. */
const leaseMs = 30_000;

/** How often a process looks whether another one has renewed the tokens, in milliseconds. */
const pollMs = 100;

/** Milliseconds after which a server that refused the stored tokens is asked again, even if they have not changed. */
const refusedMs = 30_000;

/** Error codes of an authorization server that does not know the client. */
const unknownCodes: ReadonlySet<string> = new Set([
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
]);

/** Error codes after which only a new sign-in helps. */
const finalCodes: ReadonlySet<string> = new Set([...unknownCodes, OAuthErrorCode.InvalidGrant]);

/** Authorizes the requests to one server, and remembers with which token the request of each response was sent. */
export abstract class ServerAuthorization implements AuthProvider {
  readonly #sent = new WeakMap<Response, string | undefined>();

  abstract token(): Promise<string | undefined>;
  abstract onUnauthorized(refused: { readonly response: Response }): Promise<void>;
  /** Rejects with a `ToolError` if no request can be authorized now. */
  ready?(): Promise<void>;
  abstract mayTry(): Promise<boolean>;
  abstract needsScope(error: InsufficientScopeError): Promise<boolean>;

  /** Wraps a fetch so that the token of each request is remembered for its response. */
  noting(fetchOne: FetchLike): FetchLike {
    return async (url, init) => {
      const response = await fetchOne(url, init);
      this.#sent.set(response, new Headers(init?.headers).get("authorization")?.replace(/^Bearer /, ""));
      return response;
    };
  }

  protected sentWith(response: Response): string | undefined {
    return this.#sent.get(response);
  }
}

interface AuthorizationOptions {
  readonly url: URL;
  readonly settings: AuthSettings;
  readonly credentials: Credentials;
  readonly logger: Logger;
}

/**
 * Sends the stored token with each request to one server, and renews it. It never opens a browser: if a person is needed, it
 * rejects with the SDK's `UnauthorizedError` and stores what the server asked for.
 *
 * Tokens are renewed once at a time, even by several processes: a lease in the stored record says which one does it.
 */
export class Authorization extends ServerAuthorization {
  readonly #options: AuthorizationOptions;
  readonly #id = randomUUID();
  #kept: Kept | undefined;
  #renewing: Promise<void> | undefined;
  #refused: { readonly at: number; readonly token: string | undefined } | undefined;

  constructor(options: AuthorizationOptions) {
    super();
    this.#options = options;
  }

  async token(): Promise<string | undefined> {
    this.#kept ??= await this.#options.credentials.read();
    return tokensOf(this.#kept)?.access_token;
  }

  /**
   * Replaces a token that the server refused by another one from the store or, if there is none, from the authorization server.
   */
  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    const challenge = challengeOf(extractWWWAuthenticateParams(response));
    const used = this.sentWith(response);
    this.#renewing ??= this.#renew(used, challenge).finally(() => (this.#renewing = undefined));
    await this.#renewing;
  }

  /** Whether another attempt can succeed: the store has another token than the refused one, or {@link refusedMs} have passed. */
  async mayTry(): Promise<boolean> {
    if (this.#refused === undefined) return true;
    this.#kept = await this.#options.credentials.read();
    const token = tokensOf(this.#kept)?.access_token;
    const isOther = token !== undefined && token !== this.#refused.token;
    return isOther || systemClock.now() - this.#refused.at >= refusedMs;
  }

  /**
   * Handles the refusal of a token that lacks scope. Returns true if the store has another token by now; otherwise stores the
   * scope for which the next sign-in asks.
   */
  async needsScope({ requiredScope, resourceMetadataUrl }: InsufficientScopeError): Promise<boolean> {
    const before = await this.token();
    this.#kept = await this.#options.credentials.read();
    const tokens = tokensOf(this.#kept);
    if (tokens !== undefined && tokens.access_token !== before) return true;
    const scope = computeScopeUnion(tokens?.scope, requiredScope);
    await this.#challenge(challengeOf({ scope, resourceMetadataUrl }));
    return false;
  }

  async #renew(used: string | undefined, challenge: Challenge): Promise<void> {
    for (;;) {
      const kept = await this.#options.credentials.read();
      this.#kept = kept;
      const tokens = tokensOf(kept);
      if (tokens !== undefined && tokens.access_token !== used) return;
      if (!this.#isRenewable(tokens)) return this.#refuse("a person has to sign in", used, challenge);
      const { lease } = kept.record;
      if (lease !== undefined && lease.until > systemClock.now()) await delay(pollMs);
      else {
        const until = systemClock.now() + leaseMs;
        const leased = { ...kept.record, lease: { by: this.#id, until } };
        const taken = await this.#options.credentials.replace(kept, leased);
        if (taken !== null) return this.#renewLeased(taken, used, challenge);
      }
    }
  }

  #isRenewable(tokens: KeptTokens | undefined): boolean {
    return this.#options.settings.grant === "client_credentials" || tokens?.refresh_token !== undefined;
  }

  async #renewLeased(taken: Kept, used: string | undefined, challenge: Challenge): Promise<void> {
    const { credentials, url, settings, logger } = this.#options;
    try {
      const { issuer, tokens } = await renewTokens({ url, settings, challenge, kept: taken });
      const { lease: _, challenge: __, ...rest } = taken.record;
      const next = { ...rest, issuer, tokens: { ...rest.tokens, [issuer]: tokens } };
      const written = await credentials.replace(taken, next);
      // Another writer comes first only if a person signed in meanwhile, and that person's tokens are newer.
      this.#kept = written ?? (await credentials.read());
      this.#refused = undefined;
    } catch (error) {
      const isFinal = error instanceof UnauthorizedError || isFinalAnswer(error);
      logger.warn({ err: error }, `the tokens of an MCP server were not renewed: ${messageOf(error)}`);
      await this.#release(taken, isFinal ? error : undefined);
      if (!isFinal) throw error;
      await this.#refuse(messageOf(error), used, challenge);
    }
  }

  /**
   * Gives the lease back. Deletes tokens that the authorization server refused to renew for good, and a client that it does not
   * know.
   */
  async #release(taken: Kept, final: unknown): Promise<void> {
    const { lease: _, ...rest } = taken.record;
    const { [rest.issuer ?? ""]: __, ...tokens } = rest.tokens;
    const { [rest.issuer ?? ""]: ___, ...clients } = rest.clients;
    const isUnknown = final instanceof OAuthError && unknownCodes.has(final.code);
    const kept = { ...rest, tokens, ...(isUnknown && { clients }) };
    await this.#options.credentials.replace(taken, final === undefined ? rest : kept);
  }

  async #refuse(cause: string, token: string | undefined, challenge: Challenge): Promise<never> {
    this.#refused = { at: systemClock.now(), token };
    await this.#challenge(challenge);
    throw new UnauthorizedError(cause);
  }

  async #challenge(challenge: Challenge): Promise<void> {
    this.#kept = await this.#options.credentials.change((record) => ({ ...record, challenge }));
  }
}

function isFinalAnswer(error: unknown): boolean {
  return error instanceof OAuthError && finalCodes.has(error.code);
}
