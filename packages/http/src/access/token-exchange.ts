import {
  systemClock,
  type Clock,
  type ExchangedToken,
  type ExchangeToken,
  type TokenExchangeRequest,
} from "@toolmount/core";
import { messageOf, ToolError } from "@toolmount/core/errors";
import { decodeJwt } from "jose";
import type * as Oauth from "oauth4webapi";
import { authenticationOf } from "./client-authentication.ts";
import { fetchBounded, readIssuer, type Issuer } from "./issuer.ts";
import type { Authenticate } from "./tokens.ts";

/** Exchanges a user's token for a token of another server (RFC 8693). */
export interface TokenExchange {
  /** Recognises tokens. Keeps in memory, for each user, the token that expires last. Only `exchange` can read it. */
  readonly authenticate: Authenticate;
  readonly exchange: ExchangeToken;
}

/** For how many users a token is kept. For one more, the user whose last request is oldest is forgotten. */
const maxUsers = 10_000;

const grantType = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";

/** Creates an exchange for the tokens of one provider, which `check` recognises. */
export function createTokenExchange(
  issuer: string,
  check: Authenticate,
  clock: Clock = systemClock,
): TokenExchange {
  const tokens = new Map<string, { readonly token: string; readonly endsAt: number }>();
  let metadata: Promise<Issuer> | undefined;
  const readMetadata = () =>
    (metadata ??= readIssuer(issuer).catch((error: unknown) => {
      metadata = undefined; // a failed answer is not kept, so that the next exchange asks again
      throw error;
    }));
  const tokenOf = (user: string): string => {
    const kept = tokens.get(user);
    if (kept !== undefined && kept.endsAt > clock.now()) return kept.token;
    tokens.delete(user);
    throw new ToolError(
      `there is no valid token of the user ${JSON.stringify(user)} from ${issuer}; a call of this server has to come to toolmount serve --http with one`,
      { code: "TOKEN_MISSING" },
    );
  };
  const forgetEnded = () => {
    for (const [user, { endsAt }] of tokens) if (endsAt <= clock.now()) tokens.delete(user);
  };
  return {
    async authenticate(token) {
      const principal = await check(token);
      if (principal?.user == null) return principal;
      const kept = tokens.get(principal.user);
      const given = { token, endsAt: kept?.token === token ? kept.endsAt : endOf(token) };
      if (kept?.token !== token) forgetEnded();
      tokens.delete(principal.user);
      // Another client of the user may still send an older token, so the one that expires last is kept.
      tokens.set(principal.user, kept !== undefined && kept.endsAt > given.endsAt ? kept : given);
      if (tokens.size > maxUsers) tokens.delete(tokens.keys().next().value!);
      return principal;
    },
    async exchange(request) {
      if (request.issuer !== issuer)
        throw new ToolError(
          `the plan names the provider ${request.issuer}, and users come with tokens of ${issuer}; a token is sent to its own issuer only`,
          { code: "TOKEN_EXCHANGE_REFUSED" },
        );
      const subject = tokenOf(request.user);
      try {
        return await exchangeAt(await readMetadata(), subject, request, clock);
      } catch (error) {
        throw error instanceof ToolError ? error : failed(issuer, error);
      }
    },
  };
}

/** Returns when a signed token expires, in milliseconds since the epoch. */
function endOf(token: string): number {
  return (decodeJwt(token).exp ?? 0) * 1_000;
}

async function exchangeAt(
  issuer: Issuer,
  subject: string,
  request: TokenExchangeRequest,
  clock: Clock,
): Promise<ExchangedToken> {
  const oauth = await import("oauth4webapi");
  if (issuer.token_endpoint === undefined) throw new Error("it names no address for tokens");
  const provider = issuer as Oauth.AuthorizationServer;
  const client = { client_id: request.clientId };
  const { audience, resource, scope } = request;
  const parameters = {
    subject_token: subject,
    subject_token_type: accessTokenType,
    requested_token_type: accessTokenType,
    ...(audience !== undefined && { audience }),
    ...(resource !== undefined && { resource }),
    ...(scope !== undefined && { scope }),
  };
  const { allowInsecureRequests, customFetch } = oauth;
  try {
    const response = await oauth.genericTokenEndpointRequest(
      provider,
      client,
      authenticationOf(request, issuer, oauth),
      grantType,
      parameters,
      // Addresses without TLS are allowed here, because all except those on loopback were refused earlier.
      { [allowInsecureRequests]: true, [customFetch]: fetchBounded },
    );
    const answer = await oauth.processGenericTokenEndpointResponse(provider, client, response);
    if (answer.token_type !== "bearer") throw refused(issuer.issuer, `a token of type ${answer.token_type}`);
    if (answer.access_token === subject)
      throw refused(issuer.issuer, "the token of the user itself, which no other server may get");
    const { access_token: accessToken, expires_in: seconds } = answer;
    return { accessToken, endsAt: seconds === undefined ? undefined : clock.now() + seconds * 1_000 };
  } catch (error) {
    if (error instanceof oauth.WWWAuthenticateChallengeError)
      throw refused(
        issuer.issuer,
        `it does not know the client ${request.clientId}, or another secret of it`,
        error,
      );
    if (!(error instanceof oauth.ResponseBodyError)) throw error;
    const { error: code, error_description: why } = error;
    throw refused(issuer.issuer, why === undefined ? code : `${code}: ${why}`, error);
  }
}

function refused(issuer: string, answer: string, cause?: unknown): ToolError {
  const message = `the provider ${issuer} gave no token for this server; it answered: ${answer.slice(0, 500)}`;
  return new ToolError(message, { code: "TOKEN_EXCHANGE_REFUSED", cause });
}

function failed(issuer: string, error: unknown): ToolError {
  const message = `the provider ${issuer} could not be asked for a token of this server: ${messageOf(error)}`;
  return new ToolError(message, { code: "TOKEN_EXCHANGE_FAILED", cause: error });
}
