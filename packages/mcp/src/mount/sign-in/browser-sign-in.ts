import { systemClock, ToolmountError, type ServerSignIn } from "@toolmount/core";
import { Credentials, tokensOf, type CredentialStore, type StartedSignIn } from "../../auth/credentials.ts";
import { createSignInFetch } from "../../auth/sign-in-fetch.ts";
import { SignInProvider } from "../../auth/sign-in-provider.ts";
import { signsInByHeader } from "../failures.ts";
import type { ServerSettings } from "../config.ts";
import { settingsFor } from "../own-connections.ts";
import { beginSignIn, challengeFor, finishSignIn, signInFailed } from "./sign-in-steps.ts";

/** How long a person may be away at the authorization server, in milliseconds. */
const awayMs = 600_000;

/** What sign-ins to one server are made with. */
interface SignInPlace {
  readonly settings: ServerSettings;
  readonly folder: string | undefined;
  readonly store: CredentialStore;
}

/** Returns the sign-in to a server; undefined where people do not sign in to it. */
export function browserSignInOf({ settings, folder = ".", store }: SignInPlace): ServerSignIn | undefined {
  const { name, url: address, auth, instance } = settings;
  if (address === undefined || signsInByHeader(settings) || auth.grant !== "authorization_code")
    return undefined;
  const url = new URL(address);
  const credentialsOf = (user: string | undefined) =>
    new Credentials(store, url, { clientId: auth.clientId, user });
  const failing = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (error) {
      throw signInFailed(name, error);
    }
  };
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
      failing(async () => {
        const credentials = credentialsOf(user);
        const { record } = await credentials.read();
        const challenge = await challengeFor(record, settings, folder);
        if (challenge === null) return null;
        const { redirectUrl: before, clients } = record.started ?? {};
        // A person who begins again needs no other client.
        const known = before === redirectUrl && clients !== undefined ? { clients } : {};
        const provider = new SignInProvider(auth, record, redirectUrl, known);
        const requests = createSignInFetch(url, auth);
        const { href } = await beginSignIn(provider, challenge, { url, requests });
        const until = systemClock.now() + awayMs;
        const started = { ...provider.started, origins: requests.origins(), until };
        await credentials.change((now) => ({ ...now, started }));
        return { address: href, state: started.state };
      }),
    finish: (user, parameters) =>
      failing(async () => {
        const credentials = credentialsOf(user);
        const started = await take(credentials, parameters.get("state"));
        if (started === undefined)
          throw refused(name, "it was not begun here, has ended, or another one was begun since");
        if (started.until < systemClock.now()) throw refused(name, "it took longer than ten minutes");
        const { record } = await credentials.read();
        const provider = new SignInProvider(auth, record, started.redirectUrl, started);
        const requests = createSignInFetch(url, auth, started.origins);
        return finishSignIn(provider, parameters, { url, requests, credentials });
      }),
  };
}

/** Takes the sign-in with a state out of the record: a code counts once, whatever comes of it. */
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
