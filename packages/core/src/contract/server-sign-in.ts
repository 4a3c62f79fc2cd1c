// Types for signing users in to mounted servers. The server that users come to and the mounted servers share them.

/** A request to a sign-in provider for a token with which a user can use a mounted server. */
export interface TokenExchangeRequest {
  readonly user: string;
  /** The provider that the plan names. A user's token is sent only to its own issuer. */
  readonly issuer: string;
  /** The client that may exchange tokens at the provider. */
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** The server that the new token is for, by the name that the provider uses. */
  readonly audience?: string | undefined;
  /** The server that the new token is for, by its address. */
  readonly resource?: string | undefined;
  readonly scope?: string | undefined;
}

/** A token for one user and one server. */
export interface ExchangedToken {
  readonly accessToken: string;
  /** In milliseconds since the epoch; undefined if the provider does not say when the token ends. */
  readonly endsAt: number | undefined;
}

/**
 * Exchanges the token with which a user came for a token of another server (RFC 8693). Rejects with a `ToolError`:
 * `TOKEN_MISSING` without a valid token of the user, `TOKEN_EXCHANGE_REFUSED` with the provider's reason, and
 * `TOKEN_EXCHANGE_FAILED` if the provider could not be asked.
 */
export type ExchangeToken = (request: TokenExchangeRequest) => Promise<ExchangedToken>;

/** The result of a sign-in. */
export interface SignedIn {
  /** `not needed`: the server answers without a sign-in. */
  readonly state: "signed in" | "not needed";
  /** The address of the authorization server. */
  readonly issuer?: string | undefined;
  readonly scope?: string | undefined;
  /** Whether the host can renew the tokens by itself. */
  readonly renewable: boolean;
}

/** A sign-in that has begun. */
export interface BrowserSignIn {
  /** Where the person signs in. */
  readonly address: string;
  /** The value with which the browser comes back. Only the browser that began the sign-in may know it. */
  readonly state: string;
}

/** The sign-in to one mounted server, for a browser that comes back to an address of this host's server. */
export interface ServerSignIn {
  /** The name that the plan's entry gives to the server. */
  readonly name: string;
  /** Whether each user signs in; otherwise the credentials are those of the host. */
  readonly isOfUser: boolean;
  /** Returns whether calls of a user use the sign-in. They do not if the plan itself gives credentials to the user. */
  isUsedBy(user: string): boolean;
  /**
   * Resolves to `signed_in` if tokens are stored, `needed` if the server has asked for a sign-in, or `unknown` otherwise.
   */
  state(user: string | undefined): Promise<"signed_in" | "needed" | "unknown">;
  /**
   * Finds the address of the authorization server; null if the server needs no sign-in. A later sign-in of the same user
   * replaces an unfinished one. Rejects with `SIGN_IN_FAILED`.
   */
  begin(user: string | undefined, redirectUrl: string): Promise<BrowserSignIn | null>;
  /**
   * Stores the tokens when the browser comes back, once for each sign-in, even if another process began it. Rejects with
   * `SIGN_IN_REFUSED` if this user did not begin the sign-in or is too late, and with `SIGN_IN_FAILED`.
   */
  finish(user: string | undefined, parameters: URLSearchParams): Promise<SignedIn>;
}
