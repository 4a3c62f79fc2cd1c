import { ToolmountError } from "@toolmount/core";
import type * as Oauth from "oauth4webapi";
import { authenticationOf } from "./client-authentication.ts";
import { fetchBounded, readIssuer, type Issuer } from "./issuer.ts";

/** This server as a client of an OpenID provider. */
export interface OidcClient {
  /** The provider, such as `https://login.example.com`. */
  readonly issuer: string;
  readonly clientId: string;
  /** The client's secret; absent for a public client. PKCE is used in both cases. */
  readonly clientSecret?: string | undefined;
  /** The audience that this server requires in a token, and for which the provider is asked. */
  readonly audience: string;
  /** Default `openid`. Some providers issue a refresh token only with `offline_access`. */
  readonly scope?: string | undefined;
}

/** Values that a user's browser keeps while the user signs in at the provider. */
export interface Started {
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
}

/** Tokens of a user, as the provider issued them. */
export interface Granted {
  /** Signed tokens, of which this server may accept one. */
  readonly tokens: readonly string[];
  /** The refresh token, which gets the next tokens; undefined if the provider issued none. */
  readonly renewal: string | undefined;
}

/**
 * Thrown if the provider refuses a user, or no longer accepts their refresh token. Other errors mean that the provider could not
 * be asked.
 */
export class ProviderRefusal extends Error {}

/** The code flow with PKCE. Sources: OpenID Connect Core 1.0, section 3.1; RFC 7636; RFC 8707 for `resource`. */
export class CodeFlow {
  readonly #options: OidcClient;
  readonly #issuer: Oauth.AuthorizationServer;
  readonly #oauth: typeof Oauth;
  readonly #client: Oauth.Client;
  readonly #authentication: Oauth.ClientAuth;

  private constructor(options: OidcClient, issuer: Issuer, oauth: typeof Oauth) {
    this.#options = options;
    this.#issuer = issuer as Oauth.AuthorizationServer;
    this.#oauth = oauth;
    this.#client = { client_id: options.clientId };
    this.#authentication = authenticationOf(options, issuer, oauth);
  }

  /** Asks the provider for its addresses. Rejects with `OPTION_INVALID`, also if there is no address at which people sign in. */
  static async open(options: OidcClient): Promise<CodeFlow> {
    const [issuer, oauth] = await Promise.all([readIssuer(options.issuer), import("oauth4webapi")]);
    if (issuer.authorization_endpoint !== undefined && issuer.token_endpoint !== undefined)
      return new CodeFlow(options, issuer, oauth);
    const problem = `${options.issuer}: it names no address at which people sign in`;
    throw new ToolmountError("OPTION_INVALID", { option: "issuer", problem });
  }

  /** The provider's host, as its name for people. */
  get name(): string {
    return new URL(this.#options.issuer).host;
  }

  /** Returns the address at which the user signs in, and the values that their browser keeps until they return. */
  async start(redirectUri: string): Promise<{ readonly url: string; readonly started: Started }> {
    const { generateRandomCodeVerifier, generateRandomNonce, generateRandomState } = this.#oauth;
    const started = {
      state: generateRandomState(),
      verifier: generateRandomCodeVerifier(),
      nonce: generateRandomNonce(),
    };
    const url = new URL(this.#issuer.authorization_endpoint!);
    for (const [name, value] of Object.entries({
      response_type: "code",
      client_id: this.#options.clientId,
      redirect_uri: redirectUri,
      scope: this.#options.scope ?? "openid",
      state: started.state,
      nonce: started.nonce,
      code_challenge: await this.#oauth.calculatePKCECodeChallenge(started.verifier),
      code_challenge_method: "S256",
      ...this.#audience(),
    }))
      url.searchParams.set(name, value);
    return { url: url.href, started };
  }

  /**
   * Gets tokens for the parameters in the address at which the user returned. Rejects with a `ProviderRefusal`, or another
   * error if the provider could not be asked.
   */
  async finish(given: URLSearchParams, redirectUri: string, started: Started): Promise<Granted> {
    const { state, verifier, nonce } = started;
    return this.#judged(async (oauth) => {
      const checked = oauth.validateAuthResponse(this.#issuer, this.#client, given, state);
      const response = await oauth.authorizationCodeGrantRequest(
        this.#issuer,
        this.#client,
        this.#authentication,
        checked,
        redirectUri,
        verifier,
        { ...this.#request(), additionalParameters: this.#audience() },
      );
      return oauth.processAuthorizationCodeResponse(this.#issuer, this.#client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
    });
  }

  /** Gets new tokens for a refresh token. Rejects as {@link finish} does. */
  renew(renewal: string): Promise<Granted> {
    return this.#judged(async (oauth) => {
      const response = await oauth.refreshTokenGrantRequest(
        this.#issuer,
        this.#client,
        this.#authentication,
        renewal,
        { ...this.#request(), additionalParameters: this.#audience() },
      );
      return oauth.processRefreshTokenResponse(this.#issuer, this.#client, response);
    });
  }

  /** Revokes a refresh token at the provider, if the provider supports that. */
  async revoke(renewal: string): Promise<void> {
    if (this.#issuer.revocation_endpoint === undefined) return;
    const { revocationRequest } = this.#oauth;
    await revocationRequest(this.#issuer, this.#client, this.#authentication, renewal, this.#request());
  }

  /**
   * Returns the parameters that name the audience. `resource` must be a URL; some providers expect the value as `audience`. Empty
   * if the client itself is the audience.
   */
  #audience(): Record<string, string> {
    const { audience, clientId } = this.#options;
    if (audience === clientId) return {};
    return URL.canParse(audience) ? { resource: audience, audience } : { audience };
  }

  /**
   * Returns options for a request. Addresses without TLS are allowed here, because all except those on loopback were refused
   * earlier.
   */
  #request() {
    const { allowInsecureRequests, customFetch } = this.#oauth;
    return { [allowInsecureRequests]: true, [customFetch]: fetchBounded };
  }

  async #judged(ask: (oauth: typeof Oauth) => Promise<Oauth.TokenEndpointResponse>): Promise<Granted> {
    const oauth = this.#oauth;
    try {
      const { access_token, id_token, refresh_token } = await ask(oauth);
      const tokens = [access_token, id_token].filter((token) => token !== undefined);
      return { tokens, renewal: refresh_token };
    } catch (cause) {
      const isRefusal =
        cause instanceof oauth.AuthorizationResponseError || cause instanceof oauth.ResponseBodyError;
      if (!isRefusal) throw cause;
      throw new ProviderRefusal(
        `${cause.error}${cause.error_description ? `: ${cause.error_description}` : ""}`,
        {
          cause,
        },
      );
    }
  }
}
