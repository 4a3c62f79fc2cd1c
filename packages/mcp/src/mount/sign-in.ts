import {
  auth,
  Client,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type AuthProvider,
} from "@modelcontextprotocol/client";
import { isToolmountError, silentLogger, ToolmountError } from "@toolmount/core";
import { listenForBrowser, type Callback } from "../auth/callback.ts";
import {
  challengeOf,
  Credentials,
  placeOf,
  tokensOf,
  type Challenge,
  type CredentialStore,
} from "../auth/credentials.ts";
import { createSignInFetch, firstIssue, signInProblem } from "../auth/sign-in-fetch.ts";
import { SignInProvider } from "../auth/sign-in-provider.ts";
import { config, type ServerSettings } from "./config.ts";
import { credentialStoreOf } from "./authorize.ts";
import { negotiationOf } from "./client.ts";
import { createTransport } from "./transport.ts";

/** How a person signs in to a server. */
export interface SignInOptions {
  /** The entry's settings as the plan writes them, with variables filled in. */
  readonly settings: unknown;
  /** The plan's folder. */
  readonly folder: string;
  /** The user whose credentials they will be, for a server with `instance: user`. Default: those of the host. */
  readonly user?: string | undefined;
  /** Where the credentials are stored. Default: the file beside the plan that a host without `state` reads. */
  readonly store?: CredentialStore | undefined;
  /** Shows the address to the person, or opens it in a browser. */
  readonly open: (address: URL) => Promise<void> | void;
  /** A person copies the address to which a browser on another machine returned. Stays open until a person does. */
  readonly copied?: ((signal: AbortSignal) => Promise<string>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

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

/**
 * Lets a person sign in to a mounted server over HTTP, and stores the credentials. A host that runs uses them at its next
 * call. Rejects with `OPTION_INVALID` for a server over stdio, and with `SIGN_IN_FAILED` where the sign-in fails.
 */
export async function signIn(options: SignInOptions): Promise<SignedIn> {
  const settings = parseSettings(options.settings);
  if (options.user !== undefined && settings.instance !== "user")
    throw new ToolmountError("OPTION_INVALID", {
      option: "user",
      problem: `the users share the credentials of "${settings.name}"; write instance: user in its entry`,
    });
  try {
    return await signInTo(settings, options);
  } catch (error) {
    if (options.signal?.aborted === true || isToolmountError(error)) throw error;
    const details = { server: settings.name, problem: signInProblem(error) };
    throw new ToolmountError("SIGN_IN_FAILED", details, { cause: error });
  }
}

async function signInTo(settings: ServerSettings, options: SignInOptions): Promise<SignedIn> {
  const url = new URL(settings.url ?? "");
  const store = options.store ?? credentialStoreOf(undefined, options.folder);
  const credentials = new Credentials(store, url, { clientId: settings.auth.clientId, user: options.user });
  const { record } = await credentials.read();
  const challenge = record.challenge ?? (await askServer(settings, options));
  if (challenge === null) return { state: "not needed", renewable: false };
  const preferred = record.redirectUrl === undefined ? undefined : Number(new URL(record.redirectUrl).port);
  let provider: SignInProvider | undefined;
  const callback = await listenForBrowser({ required: settings.auth.redirectPort, preferred }, () =>
    provider?.state(),
  );
  try {
    provider = new SignInProvider(settings.auth, record, callback.url);
    await complete(provider, { url, settings, challenge: withScope(challenge, settings) }, callback, options);
    const signed = provider;
    const kept = await credentials.change((now) => signed.recordAfter(now));
    const tokens = tokensOf(kept);
    const { issuer } = kept.record;
    return {
      state: "signed in",
      issuer,
      scope: tokens?.scope,
      renewable: tokens?.refresh_token !== undefined,
    };
  } finally {
    await callback.close();
  }
}

function parseSettings(given: unknown): ServerSettings {
  const { data: settings, error } = config.safeParse(given);
  if (error !== undefined) {
    const { name = "" } = given as { readonly name?: string };
    throw new ToolmountError("CONFIG_INVALID", {
      module: name,
      problem: firstIssue(error) ?? "it is not valid",
    });
  }
  if (settings.url !== undefined && settings.auth.grant === "authorization_code") return settings;
  const problem =
    settings.url === undefined
      ? "a server over stdio has no sign-in; give it its credentials by env"
      : "the host signs in to this server by itself: its grant is client_credentials";
  throw new ToolmountError("OPTION_INVALID", { option: `auth of "${settings.name}"`, problem });
}

function withScope(challenge: Challenge, { auth: { scope: own } }: ServerSettings): Challenge {
  const scope = computeScopeUnion(challenge.scope, own);
  return { ...challenge, ...(scope !== undefined && { scope }) };
}

/** Connects without credentials, to see what the server asks for; null when it asks for nothing. */
async function askServer(settings: ServerSettings, { folder }: SignInOptions): Promise<Challenge | null> {
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

async function complete(
  provider: SignInProvider,
  {
    url,
    settings,
    challenge,
  }: { readonly url: URL; readonly settings: ServerSettings; readonly challenge: Challenge },
  callback: Callback,
  { open, copied, signal = new AbortController().signal }: SignInOptions,
): Promise<void> {
  const { scope } = challenge;
  const { fetch, requireAllowed } = createSignInFetch(url, settings.auth);
  await auth(provider, {
    serverUrl: url,
    fetchFn: fetch,
    ...(scope !== undefined && { scope }),
    ...placeOf(challenge),
    forceReauthorization: true,
  });
  if (provider.address === undefined) throw new UnauthorizedError("the server gave no address to sign in at");
  await requireAllowed(provider.address);
  await open(provider.address);
  const params = await comesBack(callback, copied, signal);
  // The SDK checks who sent the browser back, and changes the code for tokens.
  await new StreamableHTTPClientTransport(url, { authProvider: provider, fetch }).finishAuth(params);
}

/** The browser returns here, or the person copies the address to which it returned. */
async function comesBack(
  callback: Callback,
  copied: SignInOptions["copied"],
  signal: AbortSignal,
): Promise<URLSearchParams> {
  const done = new AbortController();
  const stopped = AbortSignal.any([signal, done.signal]);
  const { promise: failed, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  void copied?.(stopped)
    .then((address) => callback.take(address))
    .catch((error: unknown) => {
      if (!stopped.aborted) reject(error);
    });
  try {
    return await Promise.race([callback.returned, failed]);
  } finally {
    done.abort();
  }
}
