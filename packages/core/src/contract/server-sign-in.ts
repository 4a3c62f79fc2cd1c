// What a server that hosts are served by, and the servers that they mount, share about the people who use both.

/** A token that a mounted server needs for a user. */
export interface TokenExchangeRequest {
  readonly user: string;
  /** The provider that the plan names. A token goes to its own issuer only. */
  readonly issuer: string;
  /** The client that may exchange tokens there. */
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** Which server the new token is for, as the provider names it. */
  readonly audience?: string | undefined;
  /** Which server the new token is for, by its address. */
  readonly resource?: string | undefined;
  readonly scope?: string | undefined;
}

/** A token for one user and one server. */
export interface ExchangedToken {
  readonly accessToken: string;
  /** In milliseconds since the epoch; undefined where the provider does not say when it ends. */
  readonly endsAt: number | undefined;
}

/**
 * Exchanges the token with which a user came for one of another server (RFC 8693). Rejects with a `ToolError`:
 * `TOKEN_MISSING` without a valid token of the user, `TOKEN_EXCHANGE_REFUSED` with the provider's reason, and
 * `TOKEN_EXCHANGE_FAILED` where the provider could not be asked.
 */
export type ExchangeToken = (request: TokenExchangeRequest) => Promise<ExchangedToken>;

/** What a sign-in did. */
export interface SignedIn {
  /** `not needed`: the server answers without a sign-in. */
  readonly state: "signed in" | "not needed";
  /** The authorization server. */
  readonly issuer?: string | undefined;
  readonly scope?: string | undefined;
  /** Whether the host can renew the tokens by itself. */
  readonly renewable: boolean;
}

/** A sign-in that has begun. */
export interface BrowserSignIn {
  /** Where the person signs in. */
  readonly address: string;
  /** The browser comes back with this `state`, and only the browser that began the sign-in may know it. */
  readonly state: string;
}

/** The sign-in to one mounted server, for a browser that comes back to an address of the host's own server. */
export interface ServerSignIn {
  /** The entry's name for the server. */
  readonly name: string;
  /** Whether each user signs in; otherwise the credentials are those of the host. */
  readonly isOfUser: boolean;
  /** Whether a user's calls use the sign-in: not where the plan itself gives the user credentials. */
  isUsedBy(user: string): boolean;
  /**
   * `signed_in`: there are tokens. `needed`: the server asked for a sign-in. `unknown`: neither; the server may need none.
   */
  state(user: string | undefined): Promise<"signed_in" | "needed" | "unknown">;
  /**
   * Finds the address of the authorization server; null where the server needs no sign-in. A later sign-in of the same user
   * replaces one that has not ended. Rejects with `SIGN_IN_FAILED`.
   */
  begin(user: string | undefined, redirectUrl: string): Promise<BrowserSignIn | null>;
  /**
   * Stores the tokens of a browser that came back. Once for each sign-in, also in another process than the one that began it.
   * Rejects with `SIGN_IN_REFUSED` for one that this user did not begin or that is too late, and with `SIGN_IN_FAILED`.
   */
  finish(user: string | undefined, parameters: URLSearchParams): Promise<SignedIn>;
}
