import { randomUUID } from "node:crypto";
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { CredentialRecord, KeptClient, StartedSignIn } from "./credentials.ts";
import { clientOf } from "./renew.ts";
import type { AuthSettings } from "./settings.ts";

/** The SDK's client provider for one sign-in of a person. What it learns is kept here until the sign-in has succeeded. */
export class SignInProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadataUrl?: string;
  /** Absent for a client that the plan names: no other one is registered in its place. */
  readonly saveClientInformation?: NonNullable<OAuthClientProvider["saveClientInformation"]>;
  readonly #settings: AuthSettings;
  readonly #before: CredentialRecord;
  readonly #state: string;
  readonly #clients: Map<string, StoredOAuthClientInformation>;
  #tokens: { readonly issuer: string; readonly tokens: StoredOAuthTokens } | undefined;
  #verifier: string;
  #discovery: OAuthDiscoveryState | undefined;
  #address: URL | undefined;

  /** With `started`, it continues a sign-in of which that was kept; with its clients alone, no other ones are registered. */
  constructor(
    settings: AuthSettings,
    before: CredentialRecord,
    redirectUrl: string,
    started?: Partial<StartedSignIn>,
  ) {
    this.#settings = settings;
    this.#before = before;
    this.redirectUrl = redirectUrl;
    this.#state = started?.state ?? randomUUID();
    this.#verifier = started?.verifier ?? "";
    this.#clients = new Map(Object.entries(started?.clients ?? {}));
    this.#discovery = started?.discovery as OAuthDiscoveryState | undefined;
    if (settings.metadataUrl !== undefined) this.clientMetadataUrl = settings.metadataUrl;
    if (settings.clientId === undefined)
      this.saveClientInformation = (information, context) =>
        void this.#clients.set(context?.issuer ?? "", information);
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope } = this.#settings;
    return {
      client_name: "toolmount",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...(scope !== undefined && { scope }),
    };
  }

  /** Returns where the person signs in. */
  get address(): URL | undefined {
    return this.#address;
  }

  state(): string {
    return this.#state;
  }

  /** A client that was registered for another return address is registered again. */
  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const issuer = context?.issuer ?? "";
    const known = this.#before.redirectUrl === this.redirectUrl ? this.#before.clients[issuer] : undefined;
    return clientOf(this.#settings) ?? this.#clients.get(issuer) ?? known;
  }

  /** A sign-in begins without tokens, whatever is stored. */
  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens?.tokens;
  }

  saveTokens(tokens: StoredOAuthTokens, context?: OAuthClientInformationContext): void {
    this.#tokens = { issuer: context?.issuer ?? tokens.issuer ?? "", tokens };
  }

  redirectToAuthorization(address: URL): void {
    this.#address = address;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  /** Whether the plan has to name a client: the authorization server registers none. */
  get lacksClient(): boolean {
    const metadata = this.#discovery?.authorizationServerMetadata;
    if (metadata === undefined || metadata.registration_endpoint !== undefined) return false;
    return this.clientInformation({ issuer: metadata.issuer }) === undefined;
  }

  /** What has to be kept until the browser comes back. */
  get started(): Omit<StartedSignIn, "origins" | "until"> {
    return {
      state: this.#state,
      verifier: this.#verifier,
      redirectUrl: this.redirectUrl,
      clients: Object.fromEntries(this.#clients) as Record<string, KeptClient>,
      ...(this.#discovery !== undefined && { discovery: { ...this.#discovery } }),
    };
  }

  /** The record after the sign-in: what was learned replaces what the same issuer gave before. */
  recordAfter(before: CredentialRecord): CredentialRecord {
    const signed = this.#tokens;
    if (signed === undefined) return before;
    const { challenge: _, lease: __, started: ___, ...rest } = before;
    return {
      ...rest,
      issuer: signed.issuer,
      redirectUrl: this.redirectUrl,
      clients: { ...rest.clients, ...this.started.clients },
      tokens: { ...rest.tokens, [signed.issuer]: signed.tokens },
    };
  }
}
