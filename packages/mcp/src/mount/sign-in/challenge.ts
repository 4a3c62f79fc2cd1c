import {
  Client,
  computeScopeUnion,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  UnauthorizedError,
  type AuthProvider,
} from "@modelcontextprotocol/client";
import { silentLogger } from "@toolmount/core";
import { challengeOf, type Challenge, type CredentialRecord } from "../../auth/credentials.ts";
import { createSignInFetch } from "../../auth/sign-in-fetch.ts";
import type { ServerSettings } from "../config.ts";
import { negotiationOf } from "../client.ts";
import { createTransport } from "../transport.ts";

/**
 * Returns the server's challenge: the one that is stored since it refused a call, or else the one with which it answers now.
 * Null if it wants no sign-in.
 */
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

/** Connects without credentials, and returns the challenge of the server; null if it wants no sign-in. */
async function askServer(settings: ServerSettings, folder: string): Promise<Challenge | null> {
  let challenge: Challenge | undefined;
  const { fetch } = createSignInFetch(new URL(settings.url!), settings.auth);
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
    // Some servers list their tools without a sign-in and ask for it only at a call.
    return await discoverOAuthProtectedResourceMetadata(settings.url!, {}, fetch).then(
      () => ({}),
      () => null,
    );
  } catch (error) {
    if (challenge === undefined) throw error;
    return challenge;
  } finally {
    await client.close();
  }
}
