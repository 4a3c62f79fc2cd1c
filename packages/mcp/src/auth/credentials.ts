import type { Json } from "@toolmount/core";
import { withoutUndefined } from "@toolmount/core/json";
import { z } from "zod";

/** Capability under which a plan's state store offers its {@link CredentialStore}. */
export const credentialsCapability = "credentials.store";

/** Stores credentials. Each write names the version that it replaces, so that writers do not undo each other's changes. */
export interface CredentialStore {
  get(key: string): Promise<{ readonly version: number; readonly body: Json } | null>;
  /** Writes version `before + 1`, where `before` is 0 for a new key. Returns false when the stored version is another. */
  replace(key: string, before: number, body: Json): Promise<boolean>;
}

/** What a server that refused a request said about the sign-in: the scope that it needs, and the address of its metadata. */
const challenge = z.strictObject({
  scope: z.string().optional(),
  resourceMetadataUrl: z.string().optional(),
});

export type Challenge = z.output<typeof challenge>;

/** Returns a challenge that the SDK has read, in the form in which it is stored. */
export function challengeOf({
  scope,
  resourceMetadataUrl,
}: {
  readonly scope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
}): Challenge {
  return withoutUndefined({ scope, resourceMetadataUrl: resourceMetadataUrl?.href });
}

/** Returns the option by which the SDK finds the authorization server of a challenge. */
export function placeOf({ resourceMetadataUrl }: Challenge): { readonly resourceMetadataUrl?: URL } {
  return resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: new URL(resourceMetadataUrl) };
}

const client = z.looseObject({ client_id: z.string() });

const tokens = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
});

/** A sign-in that a person began at a server of this host, and whose browser has not come back yet. */
const started = z.strictObject({
  /** Which browser may come back: a random text that only that browser and the authorization server know. */
  state: z.string(),
  verifier: z.string(),
  redirectUrl: z.string(),
  clients: z.record(z.string(), client),
  discovery: z.looseObject({}).optional(),
  /** Origins that may get requests of this sign-in, in addition to those that the plan names. */
  origins: z.array(z.string()),
  /** In milliseconds since the epoch. */
  until: z.number(),
});

export type StartedSignIn = z.output<typeof started>;

/** Everything that is stored for one authorization. Clients and tokens belong to the issuer that gave them. */
const record = z.strictObject({
  clients: z.record(z.string(), client),
  tokens: z.record(z.string(), tokens),
  /** The issuer whose tokens are sent. */
  issuer: z.string().optional(),
  /** The address to which the browser returned; the client is registered for it. */
  redirectUrl: z.string().optional(),
  challenge: challenge.optional(),
  started: started.optional(),
  /** The process that renews the tokens, and until when it may, in milliseconds since the epoch. */
  lease: z.strictObject({ by: z.string(), until: z.number() }).optional(),
});

export type CredentialRecord = z.output<typeof record>;
export type KeptTokens = z.output<typeof tokens>;
export type KeptClient = z.output<typeof client>;

/** A record together with the version that it has in the store. */
export interface Kept {
  readonly version: number;
  readonly record: CredentialRecord;
}

const nothing: CredentialRecord = { clients: {}, tokens: {} };

interface CredentialOwner {
  /** The client that the plan names; undefined if the sign-in registers one. */
  readonly clientId: string | undefined;
  /** The user who signed in; undefined for the credentials of the host. */
  readonly user: string | undefined;
}

/** Reads and writes the stored credentials for one server and one client, of one user or of the host. */
export class Credentials {
  readonly #store: CredentialStore;
  readonly #key: string;

  constructor(store: CredentialStore, url: URL, { clientId, user }: CredentialOwner) {
    this.#store = store;
    const ofClient = clientId === undefined ? "" : ` ${clientId}`;
    // The address has no fragment, so the id of a client cannot be mistaken for a user.
    const ofUser = user === undefined ? "" : `#user=${encodeURIComponent(user)}`;
    this.#key = `${url.origin}${url.pathname}${url.search}${ofUser}${ofClient}`;
  }

  /** Reads what is stored now. A record that this version of the code cannot read counts as empty. */
  async read(): Promise<Kept> {
    const found = await this.#store.get(this.#key);
    if (found === null) return { version: 0, record: nothing };
    const parsed = record.safeParse(found.body);
    return { version: found.version, record: parsed.success ? parsed.data : nothing };
  }

  /** Replaces what was read. Returns null when another writer was faster. */
  async replace({ version }: Kept, next: CredentialRecord): Promise<Kept | null> {
    const isWritten = await this.#store.replace(this.#key, version, next as Json);
    return isWritten ? { version: version + 1, record: next } : null;
  }

  /** Applies a change to the stored record, again and again until no other writer comes between. */
  async change(edit: (record: CredentialRecord) => CredentialRecord): Promise<Kept> {
    for (;;) {
      const kept = await this.read();
      const written = await this.replace(kept, edit(kept.record));
      if (written !== null) return written;
    }
  }
}

/** Returns the tokens that are sent; undefined before a sign-in. */
export function tokensOf({ record: { issuer, tokens: byIssuer } }: Kept): KeptTokens | undefined {
  return issuer === undefined ? undefined : byIssuer[issuer];
}
