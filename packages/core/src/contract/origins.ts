import type { Json, JsonObject } from "../json/json.ts";

/**
 * Where the value of an argument came from. `user`: the user's words; `identity`, `default`: the plan and the schema;
 * `trusted`, `structured`, `contact`: a field of that kind in a result; `sameHost`: a link to a host that the user named;
 * `untrusted`: text that others can write; `composed`: it was found nowhere, so the model made it.
 */
export interface ValueOrigin {
  /** The path of the value in the arguments, for example `recipients.0`. */
  readonly argument: string;
  /** The value as text, cut to a maximum length; for a secret, its digest. */
  readonly value: string;
  readonly origin:
    | "user"
    | "identity"
    | "default"
    | "trusted"
    | "structured"
    | "contact"
    | "sameHost"
    | "untrusted"
    | "composed";
  /** The result that has the value: tool, number of the call in the session, path in the result, line counted from 1. */
  readonly from?:
    | { readonly tool: string; readonly call: number; readonly path: string; readonly line?: number }
    | undefined;
  /** Whether a flow of the plan accepts this origin for this argument. */
  readonly isAccepted: boolean;
}

/** The results that a session has seen. */
export interface CallHistory {
  /** The results, oldest first. A session passes the same objects at each call. */
  readonly results: readonly KeptResult[];
  /** Whether older results were dropped because the session has too many. */
  readonly isPartial: boolean;
}

/** A result that a session has seen. If it was read from a store, its secrets are masked. */
export interface KeptResult {
  /** The number of the call in the session, counted from 1. */
  readonly call: number;
  readonly tool: string;
  /** The entry of the plan that mounted the tool. */
  readonly owner: string;
  /** All arguments except those that the tool declares as `content`. They decide what the result is about. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** `data` and `content` of a success, `error` and `details` of a failure. */
  readonly value: Json;
  readonly isError: boolean;
  /** Members of another protocol that came with the result, such as labels. Models do not read them. */
  readonly meta?: JsonObject;
  /** Values that a person saw with their origins and then approved; for a secret, `sha256 ` and its digest in hex. */
  readonly confirmed?: readonly (string | number)[];
}
