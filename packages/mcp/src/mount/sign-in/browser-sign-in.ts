import {
  auth as authorize,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { isToolmountError, systemClock, ToolmountError, type ServerSignIn } from "@toolmount/core";
import {
  Credentials,
  placeOf,
  tokensOf,
  type CredentialRecord,
  type CredentialStore,
  type StartedSignIn,
} from "../../auth/credentials.ts";
import { createSignInFetch, signInProblem } from "../../auth/sign-in-fetch.ts";
import { createPersonSignIn } from "../../auth/sign-in-provider.ts";
import { signsInByHeader } from "../config.ts";
import type { ServerSettings } from "../config.ts";
import { settingsFor } from "../own-connections.ts";
import { challengeFor } from "./challenge.ts";

/** The server to which people sign in, and where their credentials are stored. */
export interface SignInPlace {
  readonly settings: ServerSettings;
  readonly folder: string | undefined;
  readonly store: CredentialStore;
  /** How long a person may be away at the authorization server, in milliseconds. Default ten minutes. */
  readonly awayMs?: number | undefined;
}

/** Returns the sign-in to a server; undefined if people do not sign in to it. */
export function browserSignInOf(place: SignInPlace): ServerSignIn | undefined {
  const { url, auth } = place.settings;
  const isOfPeople = auth.grant === "authorization_code" && !signsInByHeader(place.settings);
  return url !== undefined && isOfPeople ? signInTo(new URL(url), place) : undefined;
}

/** Returns a sign-in to a server in two halves, `begin` and `finish`. Between them, the person is at the authorization server. */
export function signInTo(url: URL, place: SignInPlace): ServerSignIn {
  const { settings, folder = ".", store, awayMs = 600_000 } = place;
  const { name, auth, instance } = settings;
  const credentialsOf = (user: string | undefined) =>
    new Credentials(store, url, { clientId: auth.clientId, user });
  return {
    name,
    isOfUser: instance === "user",
    isUsedBy: (user) => !signsInByHeader(settingsFor(settings, user)),
    async state(user) {
      const kept = await credentialsOf(user).read();
      if (kept.record.challenge !== undefined) return "needed";
      return tokensOf(kept) === undefined ? "unknown" : "signed_in";
    },
    begin: (user, redirectUrl) =>
      failing(name, async () => {
        const credentials = credentialsOf(user);
        const { record } = await credentials.read();
        const challenge = await challengeFor(record, settings, folder);
        if (challenge === null) return null;
        const signIn = createPersonSignIn(auth, ...clientsFor(record, redirectUrl));
        const { fetch: fetchFn, requireAllowed, origins } = createSignInFetch(url, auth);
        const { scope } = challenge;
        const asked = {
          serverUrl: url,
          fetchFn,
          ...(scope !== undefined && { scope }),
          ...placeOf(challenge),
        };
        await authorize(signIn.provider, { ...asked, forceReauthorization: true }).catch((error: unknown) => {
          throw signIn.explain(error);
        });
        const address = signIn.address();
        if (address === undefined) throw new UnauthorizedError("the server gave no address to sign in at");
        await requireAllowed(address);
        const started = { ...signIn.started(), origins: origins(), until: systemClock.now() + awayMs };
        await credentials.change((now) => ({ ...now, started }));
        return { address: address.href, state: started.state };
      }),
    finish: (user, parameters) =>
      failing(name, async () => {
        const credentials = credentialsOf(user);
        const started = await take(credentials, parameters.get("state"));
        if (started === undefined)
          throw refused(name, "it was not begun here, has ended, or another one was begun since");
        if (started.until < systemClock.now()) throw refused(name, "it took longer than ten minutes");
        const { record } = await credentials.read();
        const { provider, recordAfter } = createPersonSignIn(auth, record, started.redirectUrl, started);
        const { fetch } = createSignInFetch(url, auth, started.origins);
        // The SDK checks who sent the browser back, and exchanges the code for tokens.
        await new StreamableHTTPClientTransport(url, { authProvider: provider, fetch }).finishAuth(
          parameters,
        );
        const kept = await credentials.change((now) => recordAfter(now));
        const { scope, refresh_token: refresh } = tokensOf(kept) ?? {};
        return { state: "signed in", issuer: kept.record.issuer, scope, renewable: refresh !== undefined };
      }),
  };
}

/** Does the work of a sign-in. An error that is no `ToolmountError` becomes `SIGN_IN_FAILED`, except after an abort. */
export async function failing<Value>(
  server: string,
  work: () => Promise<Value>,
  signal?: AbortSignal,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (isToolmountError(error) || signal?.aborted === true) throw error;
    throw new ToolmountError("SIGN_IN_FAILED", { server, problem: signInProblem(error) }, { cause: error });
  }
}

/**
 * Returns the clients with which a sign-in begins. A person who begins again gets the client that was registered just before. A
 * client of an earlier sign-in, from which no browser came back, is not used again, because the server may have forgotten it.
 */
function clientsFor(
  record: CredentialRecord,
  redirectUrl: string,
): [CredentialRecord, string, Pick<StartedSignIn, "clients">] {
  const { redirectUrl: before, clients = {} } = record.started ?? {};
  if (before !== redirectUrl) return [record, redirectUrl, { clients: {} }];
  const isOld = Object.keys(clients).length === 0;
  return [isOld ? { ...record, clients: {} } : record, redirectUrl, { clients }];
}

/**
 * Removes the sign-in with this state from the record and returns it, so that its code can be used only once, even if the
 * sign-in then fails. Returns undefined if there is none.
 */
async function take(credentials: Credentials, state: string | null): Promise<StartedSignIn | undefined> {
  if ((await credentials.read()).record.started?.state !== state) return undefined;
  let taken: StartedSignIn | undefined;
  await credentials.change((record) => {
    const { started, ...rest } = record;
    taken = started?.state === state ? started : undefined;
    return taken === undefined ? record : rest;
  });
  return taken;
}

function refused(server: string, problem: string): ToolmountError {
  return new ToolmountError("SIGN_IN_REFUSED", { server, problem });
}
