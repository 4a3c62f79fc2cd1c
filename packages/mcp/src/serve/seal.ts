import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { z } from "zod";

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

/** Seals what a client only carries, so that it can neither read nor change it. */
export interface StateSeal {
  close(state: SealedState): string;
  /** Throws for a text that this seal did not make. */
  open(text: string): SealedState;
}

/** Seals with AES-256-GCM. `key` has 32 bytes; without one, a text is of use to this process only. */
export function createStateSeal(key: Uint8Array = randomBytes(32)): StateSeal {
  return {
    close(state) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const body = Buffer.concat([cipher.update(JSON.stringify(state), "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    open(text) {
      const bytes = Buffer.from(text, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12), { authTagLength: 16 });
      decipher.setAuthTag(bytes.subarray(12, 28));
      const body = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
      return sealed.parse(JSON.parse(body.toString("utf8")));
    },
  };
}
