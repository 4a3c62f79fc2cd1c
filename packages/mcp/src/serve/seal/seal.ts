import { systemClock, type Clock, type Host } from "@toolmount/core";
import { decryptWithTicket, encryptWithTicket } from "@toolmount/core/internal";
import { z } from "zod";
import { readableMs, SealKeys } from "./seal-keys.ts";

/** What goes to the client and comes back with its retry: which call waits, and how it was asked. */
const sealed = z.discriminatedUnion("asked", [
  z.strictObject({
    asked: z.enum(["url", "form"]),
    ticket: z.string(),
    /** The caller's id of the call, by which its question is found. */
    callId: z.string(),
    sessionId: z.string(),
    /** Digest of the request: a retry of another request is refused. */
    request: z.string(),
  }),
  /** A request that is worked on: a mounted server asked its client. */
  z.strictObject({
    asked: z.literal("input"),
    call: z.string(),
    sessionId: z.string(),
    request: z.string(),
  }),
]);

export type SealedState = z.output<typeof sealed>;

/** The state of a call that waits for an approval. */
export type WaitingState = Extract<SealedState, { readonly asked: "url" | "form" }>;

/** Seals the states of one kind, so that their client can neither read nor change them. */
export interface StateSeal<State = SealedState> {
  close(state: State): Promise<string>;
  /** Rejects for a text that no server of the same store has sealed, and for one that is too old. */
  open(text: string): Promise<State>;
}

/** Returns the seal of the states of calls. Every server that shares the host's store opens what any of them sealed. */
export function createStateSeal(host: Host, clock: Clock = systemClock): StateSeal {
  return createSeal("state", sealed, new SealKeys(host, clock));
}

/** A text that does not open here. */
export class NotSealed extends Error {}

/** Seals with a key of the store. A text for another `use` does not open. */
export function createSeal<State>(use: string, schema: z.ZodType<State>, keys: SealKeys): StateSeal<State> {
  const envelope = z.strictObject({ until: z.number(), state: schema });
  const ticketOf = (key: string) => `${use}\n${key}`;
  return {
    async close(state) {
      const { number, key } = await keys.newest();
      return `${number}.${encryptWithTicket({ until: keys.now() + readableMs, state }, ticketOf(key))}`;
    },
    async open(text) {
      const [, number, body = ""] = /^(\d{1,9})\.([\w+/=]+)$/.exec(text) ?? [];
      const key = number === undefined ? undefined : await keys.find(Number(number));
      if (number !== undefined && key === undefined)
        throw new NotSealed("the key of the sealed text is not kept any more");
      const opened = key === undefined ? null : decryptWithTicket(body, ticketOf(key));
      if (opened === null) throw new NotSealed("the text was not sealed by this server");
      const { until, state } = envelope.parse(opened.value);
      if (keys.now() >= until) throw new NotSealed("the sealed text has expired");
      return state;
    },
  };
}
