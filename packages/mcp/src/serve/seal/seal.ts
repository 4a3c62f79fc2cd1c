import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { systemClock, type Clock, type Host } from "@toolmount/core";
import { z } from "zod";
import { readableMs, SealKeys } from "./seal-keys.ts";

/** What goes to the client and comes back with its retry: which call waits, and how it was asked. */
const sealed = z.discriminatedUnion("asked", [
  z.strictObject({
    asked: z.enum(["url", "form"]),
    /** The ticket of the call. */
    ticket: z.string(),
    /** The caller's id of the call, by which its question is found. */
    callId: z.string(),
    /** The session whose call it is. */
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

/** Bytes of the parts of a sealed text: the number of its key, the nonce, and the tag. */
const [numberBytes, nonceBytes, tagBytes] = [4, 12, 16];
const headBytes = numberBytes + nonceBytes + tagBytes;

/** Seals with AES-256-GCM. A text for another `use` does not open. */
export function createSeal<State>(use: string, schema: z.ZodType<State>, keys: SealKeys): StateSeal<State> {
  const envelope = z.strictObject({ until: z.number(), state: schema });
  return {
    async close(state) {
      const { number, key } = await keys.newest();
      const head = Buffer.alloc(numberBytes);
      head.writeUInt32BE(number);
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(aadOf(use, head));
      const text = JSON.stringify({ until: keys.now() + readableMs, state });
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([head, nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    async open(text) {
      const bytes = Buffer.from(text, "base64url");
      if (bytes.length < headBytes) throw new Error("the text was not sealed by this server");
      const head = bytes.subarray(0, numberBytes);
      const key = await keys.find(head.readUInt32BE());
      if (key === undefined) throw new Error("the key of the sealed text is not kept any more");
      const nonce = bytes.subarray(numberBytes, numberBytes + nonceBytes);
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(aadOf(use, head)).setAuthTag(bytes.subarray(numberBytes + nonceBytes, headBytes));
      const body = Buffer.concat([decipher.update(bytes.subarray(headBytes)), decipher.final()]);
      const { until, state } = envelope.parse(JSON.parse(body.toString("utf8")));
      if (keys.now() >= until) throw new Error("the sealed text has expired");
      return state;
    },
  };
}

function aadOf(use: string, head: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${use}\n`, "utf8"), head]);
}
