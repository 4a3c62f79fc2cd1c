import { randomUUID } from "node:crypto";
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { CredentialRecord, KeptClient, StartedSignIn } from "./credentials.ts";
import { clientOf } from "./renew.ts";
import type { AuthSettings } from "./settings.ts";

/** One sign-in of a person. What the SDK learns during it is kept in memory until the sign-in has succeeded. */
interface PersonSignIn {
  /** The object by which the SDK asks for data and reports what it has learned. */
  readonly provider: OAuthClientProvider;
  /** Returns the page at which the person signs in; undefined before the SDK has named it. */
  readonly address: () => URL | undefined;
  /** Returns a clearer error if the authorization server registers no clients, so that the plan has to name one. */
  readonly explain: (error: unknown) => unknown;
  /** Returns what has to be stored until the browser comes back. */
  readonly started: () => Omit<StartedSignIn, "origins" | "until">;
  /** Returns the record after the sign-in: what was learned replaces what the same issuer gave before. */
  readonly recordAfter: (before: CredentialRecord) => CredentialRecord;
}

/** What the SDK has reported during a sign-in so far. The clients are kept by issuer. */
interface Learned {
  readonly clients: Map<string, StoredOAuthClientInformation>;
  verifier: string;
  discovery: OAuthDiscoveryState | undefined;
  signed?: { readonly issuer: string; readonly tokens: StoredOAuthTokens };
  address?: URL;
}

/**
 * Prepares a sign-in. If `started` has all its members, the stored sign-in continues; if it has only `clients`, the SDK uses
 * these clients instead of registering new ones.
 */
export function createPersonSignIn(
  settings: AuthSettings,
  before: CredentialRecord,
  redirectUrl: string,
  started: Partial<StartedSignIn>,
): PersonSignIn {
  const { state = randomUUID(), verifier = "", clients = {} } = started;
  const discovery = started.discovery as OAuthDiscoveryState | undefined;
  const learned: Learned = { clients: new Map(Object.entries(clients)), verifier, discovery };
  // A client that was registered for another return address is registered again.
  const earlier = before.redirectUrl === redirectUrl ? before.clients : {};
  const clientAt = (issuer: string) => clientOf(settings) ?? learned.clients.get(issuer) ?? earlier[issuer];
  const registered = () => Object.fromEntries(learned.clients) as Record<string, KeptClient>;
  return {
    provider: createProvider(settings, { redirectUrl, state, clientAt }, learned),
    address: () => learned.address,
    explain(cause) {
      const { authorizationServerMetadata: metadata } = learned.discovery ?? {};
      const registers = metadata === undefined || metadata.registration_endpoint !== undefined;
      if (registers || clientAt(metadata.issuer) !== undefined) return cause;
      const problem = "its authorization server registers no clients; write auth: { clientId: … }";
      return new Error(problem, { cause });
    },
    started: () => ({
      state,
      verifier: learned.verifier,
      redirectUrl,
      clients: registered(),
      ...(learned.discovery !== undefined && { discovery: { ...learned.discovery } }),
    }),
    recordAfter(record) {
      if (learned.signed === undefined) return record;
      const { challenge: _, lease: __, started: ___, ...rest } = record;
      const { issuer, tokens } = learned.signed;
      const own = {
        clients: { ...rest.clients, ...registered() },
        tokens: { ...rest.tokens, [issuer]: tokens },
      };
      return { ...rest, issuer, redirectUrl, ...own };
    },
  };
}

/** Makes the object with which the SDK signs a person in; the SDK's results are written to `learned`. */
function createProvider(
  { scope, metadataUrl, clientId }: AuthSettings,
  known: {
    readonly redirectUrl: string;
    readonly state: string;
    readonly clientAt: (issuer: string) => StoredOAuthClientInformation | undefined;
  },
  learned: Learned,
): OAuthClientProvider {
  const { redirectUrl, state, clientAt } = known;
  return {
    redirectUrl,
    clientMetadata: {
      client_name: "toolmount",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...(scope !== undefined && { scope }),
    },
    ...(metadataUrl !== undefined && { clientMetadataUrl: metadataUrl }),
    state: () => state,
    clientInformation: (context) => clientAt(context?.issuer ?? ""),
    // `saveClientInformation` is left out if the plan names a client, so that the SDK does not register another one.
    ...(clientId === undefined && {
      saveClientInformation: (information, context) =>
        void learned.clients.set(context?.issuer ?? "", information),
    }),
    // Stored tokens are not returned, so that the SDK signs the person in again and does not renew them.
    tokens: () => learned.signed?.tokens,
    saveTokens: (tokens, context) =>
      void (learned.signed = { issuer: context?.issuer ?? tokens.issuer ?? "", tokens }),
    redirectToAuthorization: (address) => void (learned.address = address),
    saveCodeVerifier: (verifier) => void (learned.verifier = verifier),
    codeVerifier: () => learned.verifier,
    saveDiscoveryState: (discovery) => void (learned.discovery = discovery),
    discoveryState: () => learned.discovery,
  };
}
