import {
  computeScopeUnion,
  UnauthorizedError,
  type InsufficientScopeError,
} from "@modelcontextprotocol/client";
import { systemClock, type ExchangeToken } from "@toolmount/core";
import { ToolError } from "@toolmount/core/errors";
import { ServerAuthorization } from "./authorization.ts";
import type { AuthSettings } from "./settings.ts";

/** A token is exchanged again so long before it ends, in milliseconds, or in a fifth of its time where that is shorter. */
const marginMs = 30_000;

interface ExchangeOptions {
  readonly url: URL;
  readonly user: string;
  readonly settings: AuthSettings;
  /** Looked up for each exchange: a host is opened before it is known whose tokens it accepts. */
  readonly exchange: () => ExchangeToken | null;
}

interface HeldToken {
  readonly text: string;
  /** In milliseconds since the epoch. */
  readonly renewAt: number;
}

/**
 * Sends a token with each request of one user, for which the user's own token was exchanged. It is kept in memory until
 * shortly before it ends, and stored nowhere.
 */
export class ExchangedAuthorization extends ServerAuthorization {
  readonly #options: ExchangeOptions;
  #held: HeldToken | undefined;
  #exchanging: Promise<HeldToken> | undefined;
  /** What is asked for: that of the plan, and what the server wanted and the provider granted. */
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

  /** The server refused a token that may have been revoked: a new one is asked for, and refused at the second time. */
  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    const before = this.#held?.text;
    // A late answer refuses the token before; the request is sent again with the one that came since.
    if (before !== undefined && this.sentWith(response) !== before) return;
    this.#held = undefined;
    if ((await this.token()) === before)
      throw new UnauthorizedError("the provider gave the same token again");
  }

  async mayTry(): Promise<boolean> {
    return true;
  }

  /** Where the provider refuses the scope, the user keeps the token, and other tools run. */
  async needsScope({ requiredScope }: InsufficientScopeError): Promise<boolean> {
    if (computeScopeUnion(this.#scope, requiredScope) === this.#scope) return false;
    // An exchange that runs may ask for less. Its own caller gets its error.
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
