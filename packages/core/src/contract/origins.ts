import type { Json, JsonObject } from "../json/json.ts";

/**
 * Where the value of an argument came from. `user`: the user's words; `identity`, `default`: the plan and the schema;
 * `trusted`, `structured`, `contact`: such a field of a result; `sameHost`: a link to a host that the user named;
 * `untrusted`: text that others can write; `composed`: found nowhere, so the model made it.
 */
export interface ValueOrigin {
  /** The argument with its path: `recipients.0`. */
  readonly argument: string;
  /** The value as text, cut; of a secret, its digest. */
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
  /** The result that has it: tool, number of the call in the session, path in the result, line from 1. */
  readonly from?:
    | { readonly tool: string; readonly call: number; readonly path: string; readonly line?: number }
    | undefined;
  /** Whether the flow accepts this origin for this argument. */
  readonly isAccepted: boolean;
}

/** The results that a session has seen. */
export interface CallHistory {
  /** Oldest first. The objects stay the same from call to call. */
  readonly results: readonly KeptResult[];
  /** Whether older results were dropped, because the session has too many. */
  readonly isPartial: boolean;
}

/** One result that a session has seen. In one that is read from a store, secrets are masked. */
export interface KeptResult {
  /** Counts the calls of the session, from 1. */
  readonly call: number;
  readonly tool: string;
  /** The entry of the plan that mounted the tool. */
  readonly owner: string;
  /** The arguments that chose what the result is about: all that the tool does not declare as `content`. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** `data` and `content` of a success, `error` and `details` of a failure. */
  readonly value: Json;
  readonly isError: boolean;
  /** Members of another protocol that came with the result, such as labels. Models do not read them. */
  readonly meta?: JsonObject;
  /** Values whose origin was shown to a person, who then approved the call; of a secret, `sha256 ` and its digest in hex. */
  readonly confirmed?: readonly (string | number)[];
}
