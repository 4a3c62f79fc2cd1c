/** Channel on which each mounted server offers its sign-in to a server with a page: a {@link ServerSignIn}. */
export const signInChannel = "mcp.servers.sign_in";

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
