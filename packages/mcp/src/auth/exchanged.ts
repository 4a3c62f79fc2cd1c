import {
  computeScopeUnion,
  UnauthorizedError,
  type InsufficientScopeError,
} from "@modelcontextprotocol/client";
import { systemClock, type ExchangeToken } from "@toolmount/core";
import { ToolError } from "@toolmount/core/errors";
import { ServerAuthorization } from "./authorization.ts";
import type { AuthSettings } from "./settings.ts";

/** How long before the end of a token a new one is fetched, in milliseconds; a fifth of its lifetime if that is shorter. */
const marginMs = 30_000;

interface ExchangeOptions {
  readonly url: URL;
  readonly user: string;
  readonly settings: AuthSettings;
  /**
   * Returns the exchange that the HTTP server offers, or null. It is looked up each time, because it is offered only after the
   * host has opened.
   */
  readonly exchange: () => ExchangeToken | null;
}

interface HeldToken {
  readonly text: string;
  /** In milliseconds since the epoch. */
  readonly renewAt: number;
}

/**
 * Authorizes each request of one user with a token that the provider gave in exchange for the user's own. This token is kept in
 * memory until shortly before it ends, and is never stored.
 */
export class ExchangedAuthorization extends ServerAuthorization {
  readonly #options: ExchangeOptions;
  #held: HeldToken | undefined;
  #exchanging: Promise<HeldToken> | undefined;
  /** The scope to ask for: that of the plan and, later, also what the server wanted and the provider granted. */
  #scope: string | undefined;

  constructor(options: ExchangeOptions) {
    super();
    this.#options = options;
    this.#scope = options.settings.scope;
  }

  override async ready(): Promise<void> {
    await this.token();
  }

  /** Rejects with the `ToolError` of the exchange, which says why the user gets no token. */
  async token(): Promise<string> {
    if (this.#held !== undefined && systemClock.now() < this.#held.renewAt) return this.#held.text;
    return (await this.#exchangeFor(this.#scope)).text;
  }

  /** Asks for a new token, because the refused one may have been revoked. Throws if the provider gives the same one again. */
  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    const before = this.#held?.text;
    // If the refused request was sent with an older token, it is only sent again, with the token that came since.
    if (before !== undefined && this.sentWith(response) !== before) return;
    this.#held = undefined;
    if ((await this.token()) === before)
      throw new UnauthorizedError("the provider gave the same token again");
  }

  async mayTry(): Promise<boolean> {
    return true;
  }

  /** Asks the provider for more scope. If it refuses, the user keeps the token that other tools still accept. */
  async needsScope({ requiredScope }: InsufficientScopeError): Promise<boolean> {
    if (computeScopeUnion(this.#scope, requiredScope) === this.#scope) return false;
    // An exchange that runs already may ask for less scope, so it has to end first. Its error goes to its own caller.
    while (this.#exchanging !== undefined) await this.#exchanging.catch(() => undefined);
    await this.#exchangeFor(computeScopeUnion(this.#scope, requiredScope));
    return true;
  }

  #exchangeFor(scope: string | undefined): Promise<HeldToken> {
    return (this.#exchanging ??= this.#exchange(scope)
      .then((held) => {
        [this.#scope, this.#held] = [scope, held];
        return held;
      })
      .finally(() => (this.#exchanging = undefined)));
  }

  async #exchange(scope: string | undefined): Promise<HeldToken> {
    const { url, user, settings, exchange } = this.#options;
    const { clientId = "", clientSecret, issuer = "", audience } = settings;
    const run = exchange();
    if (run === null)
      throw new ToolError(
        `the server is called with a token for which that of the user is exchanged, and users come to this host without one; start it by toolmount serve --http --oidc ${issuer}`,
        { code: "TOKEN_MISSING" },
      );
    const target = audience === undefined ? { resource: url.href } : { audience };
    const began = systemClock.now();
    const { accessToken, endsAt } = await run({
      user,
      issuer,
      clientId,
      clientSecret,
      ...target,
      scope,
    });
    const end = endsAt ?? began + 10 * marginMs;
    return { text: accessToken, renewAt: end - Math.min(marginMs, (end - began) / 5) };
  }
}
