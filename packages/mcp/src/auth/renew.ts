import {
  auth,
  ClientCredentialsProvider,
  discoverOAuthServerInfo,
  OAuthError,
  refreshAuthorization,
  selectResourceURL,
  UnauthorizedError,
  type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import { withoutUndefined } from "@toolmount/core/json";
import { placeOf, type Challenge, type Kept, type KeptTokens } from "./credentials.ts";
import type { AuthSettings } from "./settings.ts";
import { createSignInFetch, signInProblem, type SignInFetch } from "./sign-in-fetch.ts";

interface Renewal {
  readonly url: URL;
  readonly settings: AuthSettings;
  readonly challenge: Challenge;
  readonly kept: Kept;
}

interface Renewed {
  readonly issuer: string;
  readonly tokens: KeptTokens;
}

/** Asks the authorization server for new tokens, with the refresh token or with the client's own secret. */
export async function renewTokens(renewal: Renewal): Promise<Renewed> {
  const { fetch } = createSignInFetch(renewal.url, renewal.settings);
  try {
    return await (renewal.settings.grant === "client_credentials" ? signInAlone : refresh)(renewal, fetch);
  } catch (error) {
    // The server's status shows one sentence, not the whole list of what is wrong with an answer.
    if (error instanceof OAuthError || error instanceof UnauthorizedError) throw error;
    throw new Error(signInProblem(error), { cause: error });
  }
}

/** Renews with the refresh token. Looks up the authorization server each time, because the MCP server may use another one now. */
async function refresh(
  { url, kept: { record }, challenge, settings }: Renewal,
  fetchFn: SignInFetch["fetch"],
): Promise<Renewed> {
  const found = await discoverOAuthServerInfo(url, { fetchFn, ...placeOf(challenge) });
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = found;
  const issuer = metadata?.issuer ?? String(authorizationServerUrl);
  const tokens = record.tokens[issuer];
  const client = clientOf(settings) ?? record.clients[issuer];
  // A refresh token is sent only to the issuer that gave it.
  if (tokens?.refresh_token === undefined || client === undefined)
    throw new UnauthorizedError(`no person has signed in at ${issuer} yet`);
  const allowed = await selectResourceURL(url, {} as OAuthClientProvider, resourceMetadata);
  const renewed = await refreshAuthorization(authorizationServerUrl, {
    clientInformation: client,
    refreshToken: tokens.refresh_token,
    fetchFn,
    ...(metadata !== undefined && { metadata }),
    ...(allowed !== undefined && { resource: resourceMetadata?.resource ?? allowed }),
  });
  // An answer without a scope means that the scope is as before.
  return {
    issuer,
    tokens: { ...(tokens.scope !== undefined && { scope: tokens.scope }), ...renewed, issuer },
  };
}

/** Returns the client that the plan names; undefined if the sign-in registers one. */
export function clientOf({ clientId, clientSecret, issuer }: AuthSettings) {
  if (clientId === undefined) return undefined;
  return { client_id: clientId, ...withoutUndefined({ client_secret: clientSecret, issuer }) };
}

async function signInAlone(
  { url, settings, challenge }: Renewal,
  fetchFn: SignInFetch["fetch"],
): Promise<Renewed> {
  const { clientId, clientSecret, issuer, scope = challenge.scope } = settings;
  if (clientId === undefined || clientSecret === undefined)
    throw new UnauthorizedError("auth: grant client_credentials needs clientId and clientSecret");
  const asked = withoutUndefined({ scope });
  const own = { clientId, clientSecret, ...asked, ...withoutUndefined({ expectedIssuer: issuer }) };
  const provider = new ClientCredentialsProvider(own);
  await auth(provider, { serverUrl: url, fetchFn, ...asked, ...placeOf(challenge) });
  const tokens = provider.tokens();
  if (tokens === undefined) throw new UnauthorizedError("the authorization server gave no token");
  return { issuer: tokens.issuer ?? url.origin, tokens };
}
