import { isAbsolute, join } from "node:path";
import type { Coordinator } from "@toolmount/core";
import { Authorization, type ServerAuthorization } from "../auth/authorization.ts";
import { Credentials, credentialsCapability, type CredentialStore } from "../auth/credentials.ts";
import { ExchangedAuthorization } from "../auth/exchanged.ts";
import { createRecordFile } from "../auth/record-file.ts";
import { signsInByHeader, type ServerSettings } from "./config.ts";

/** Returns the plan's state store if it offers to store credentials; else a store in a file in the plan's folder. */
export function credentialStoreOf(offered: unknown, folder: string | undefined): CredentialStore {
  if (isStore(offered)) return offered;
  const base = folder !== undefined && isAbsolute(folder) ? folder : ".";
  return createRecordFile(join(base, ".toolmount/credentials.db"));
}

/**
 * Returns how an entry's connections authorize their requests; undefined for servers over stdio and for entries with an
 * `Authorization` header.
 */
export function authorizationOf(
  coordinator: Coordinator,
  settings: ServerSettings,
  { folder, user }: { readonly folder: string | undefined; readonly user: string | undefined },
): ServerAuthorization | undefined {
  const { url } = settings;
  if (url === undefined || signsInByHeader(settings)) return undefined;
  const address = new URL(url);
  const isExchanged = settings.auth.grant === "token_exchange";
  if (isExchanged && user !== undefined) {
    const exchange = () => coordinator.getCapability("tokens.exchange");
    return new ExchangedAuthorization({ url: address, user, settings: settings.auth, exchange });
  }
  // A connection without a user lists the tools. It signs in with the secret of the client that may exchange tokens.
  const auth = isExchanged ? { ...settings.auth, grant: "client_credentials" as const } : settings.auth;
  const store = lateStore(coordinator, folder);
  const credentials = new Credentials(store, address, { clientId: auth.clientId, user });
  return new Authorization({ url: address, settings: auth, credentials, logger: coordinator.logger });
}

/** Returns a credential store that looks up the host's store at each access, because a module may offer it later. */
export function lateStore(coordinator: Coordinator, folder: string | undefined): CredentialStore {
  const found = () => credentialStoreOf(coordinator.getCapability(credentialsCapability), folder);
  return {
    get: (key) => found().get(key),
    replace: (key, before, body) => found().replace(key, before, body),
  };
}

function isStore(value: unknown): value is CredentialStore {
  return typeof value === "object" && value !== null && "get" in value && "replace" in value;
}
