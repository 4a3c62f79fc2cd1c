import { ToolmountError, type SignedIn } from "@toolmount/core";
import { listenForBrowser, type Callback } from "../../auth/callback.ts";
import { Credentials, type CredentialStore } from "../../auth/credentials.ts";
import { firstIssue } from "../../auth/sign-in-fetch.ts";
import { raceSignal } from "../../wire/race-signal.ts";
import { config, type ServerSettings } from "../config.ts";
import { credentialStoreOf } from "../authorize.ts";
import { failing, signInTo } from "./browser-sign-in.ts";

/** The server to which a person signs in, where the credentials are stored, and how the person gets to the address. */
export interface SignInOptions {
  /** The entry's settings as the plan writes them, with variables filled in. */
  readonly settings: unknown;
  /** The plan's folder. */
  readonly folder: string;
  /** The user for whom the credentials are stored; only for a server with `instance: user`. Default: the host itself. */
  readonly user?: string | undefined;
  /** Where the credentials are stored. Default: the file in the plan's folder that a host without `state` reads. */
  readonly store?: CredentialStore | undefined;
  /** Shows the address to the person, or opens it in a browser. */
  readonly open: (address: URL) => Promise<void> | void;
  /** Waits until a person gives the address to which a browser on another machine returned. */
  readonly copied?: ((signal: AbortSignal) => Promise<string>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lets a person sign in to a mounted server over HTTP, and stores the credentials. A running host uses them at its next call.
 * Rejects with `OPTION_INVALID` for a server over stdio, and with `SIGN_IN_FAILED` if the sign-in fails.
 */
export async function signIn(options: SignInOptions): Promise<SignedIn> {
  const settings = parseSettings(options.settings);
  if (options.user !== undefined && settings.instance !== "user")
    throw new ToolmountError("OPTION_INVALID", {
      option: "user",
      problem: `the users share the credentials of "${settings.name}"; write instance: user in its entry`,
    });
  return failing(settings.name, () => signInHere(settings, options), options.signal);
}

/** Milliseconds for which a person who signs in at a terminal may be away: one day. */
const awayMs = 86_400_000;

async function signInHere(settings: ServerSettings, options: SignInOptions): Promise<SignedIn> {
  const { folder, user, open, copied, signal = new AbortController().signal } = options;
  const store = options.store ?? credentialStoreOf(undefined, folder);
  const { clientId, redirectPort: required } = settings.auth;
  const url = new URL(settings.url!);
  const { record } = await new Credentials(store, url, { clientId, user }).read();
  const preferred = record.redirectUrl === undefined ? undefined : Number(new URL(record.redirectUrl).port);
  let state: string | undefined;
  const callback = await listenForBrowser({ required, preferred }, () => state);
  try {
    const halves = signInTo(url, { settings, folder, store, awayMs });
    const begun = await halves.begin(user, callback.url);
    if (begun === null) return { state: "not needed", renewable: false };
    state = begun.state;
    await open(new URL(begun.address));
    return await halves.finish(user, await comesBack(callback, copied, signal));
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
      : `no person signs in to this server: its grant is ${settings.auth.grant}`;
  throw new ToolmountError("OPTION_INVALID", { option: `auth of "${settings.name}"`, problem });
}

/** Waits until the browser returns here, or the person gives the address to which it returned. */
async function comesBack(
  callback: Callback,
  copied: SignInOptions["copied"],
  signal: AbortSignal,
): Promise<URLSearchParams> {
  const done = new AbortController();
  const stopped = AbortSignal.any([signal, done.signal]);
  const { promise: failed, reject } = Promise.withResolvers<never>();
  void copied?.(stopped)
    .then((address) => callback.take(address))
    .catch((error: unknown) => {
      if (!stopped.aborted) reject(error);
    });
  try {
    return await raceSignal(Promise.race([callback.returned, failed]), signal);
  } finally {
    done.abort();
  }
}
