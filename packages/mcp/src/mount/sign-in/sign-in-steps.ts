import {
  auth,
  Client,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type AuthProvider,
} from "@modelcontextprotocol/client";
import { isToolmountError, silentLogger, ToolmountError, type SignedIn } from "@toolmount/core";
import {
  challengeOf,
  placeOf,
  tokensOf,
  type Challenge,
  type CredentialRecord,
  type Credentials,
} from "../../auth/credentials.ts";
import { signInProblem, type SignInFetch } from "../../auth/sign-in-fetch.ts";
import type { SignInProvider } from "../../auth/sign-in-provider.ts";
import type { ServerSettings } from "../config.ts";
import { negotiationOf } from "../client.ts";
import { createTransport } from "../transport.ts";

/** Returns what the server asks for, as it said it when a call was refused, or says it now; null when it asks for nothing. */
export async function challengeFor(
  { challenge: known }: CredentialRecord,
  settings: ServerSettings,
  folder: string,
): Promise<Challenge | null> {
  const challenge = known ?? (await askServer(settings, folder));
  if (challenge === null) return null;
  const scope = computeScopeUnion(challenge.scope, settings.auth.scope);
  return { ...challenge, ...(scope !== undefined && { scope }) };
}

/** Connects without credentials. */
async function askServer(settings: ServerSettings, folder: string): Promise<Challenge | null> {
  let challenge: Challenge | undefined;
  const asking: AuthProvider = {
    token: async () => undefined,
    onUnauthorized: async ({ response }) => {
      challenge = challengeOf(extractWWWAuthenticateParams(response));
      throw new UnauthorizedError();
    },
  };
  const client = new Client(
    { name: "toolmount", version: "0.0.0" },
    { versionNegotiation: negotiationOf(settings) },
  );
  try {
    await client.connect(createTransport({ settings, folder, logger: silentLogger, authProvider: asking }), {
      timeout: settings.startTimeoutMs,
    });
    return null;
  } catch (error) {
    if (challenge === undefined) throw error;
    return challenge;
  } finally {
    await client.close();
  }
}

/** First half of a sign-in: finds the authorization server. Resolves to the address that the person opens. */
export async function beginSignIn(
  provider: SignInProvider,
  challenge: Challenge,
  { url, requests: { fetch, requireAllowed } }: { readonly url: URL; readonly requests: SignInFetch },
): Promise<URL> {
  const { scope } = challenge;
  await auth(provider, {
    serverUrl: url,
    fetchFn: fetch,
    ...(scope !== undefined && { scope }),
    ...placeOf(challenge),
    forceReauthorization: true,
  });
  if (provider.address === undefined) throw new UnauthorizedError("the server gave no address to sign in at");
  await requireAllowed(provider.address);
  return provider.address;
}

/** Second half: changes what the browser came back with for tokens, and stores these. */
export async function finishSignIn(
  provider: SignInProvider,
  parameters: URLSearchParams,
  {
    url,
    requests: { fetch },
    credentials,
  }: { readonly url: URL; readonly requests: SignInFetch; readonly credentials: Credentials },
): Promise<SignedIn> {
  // The SDK checks who sent the browser back, and changes the code for tokens.
  await new StreamableHTTPClientTransport(url, { authProvider: provider, fetch }).finishAuth(parameters);
  const kept = await credentials.change((now) => provider.recordAfter(now));
  const tokens = tokensOf(kept);
  return {
    state: "signed in",
    issuer: kept.record.issuer,
    scope: tokens?.scope,
    renewable: tokens?.refresh_token !== undefined,
  };
}

/** The error of a sign-in that did not succeed. */
export function signInFailed(server: string, error: unknown): unknown {
  if (isToolmountError(error)) return error;
  return new ToolmountError("SIGN_IN_FAILED", { server, problem: signInProblem(error) }, { cause: error });
}
