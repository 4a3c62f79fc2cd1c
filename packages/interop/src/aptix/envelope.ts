import type { InvokeMessage, InvokeResult as Envelope } from "./invoke-result.ts";

/** Aptix's envelope of a result; see `Envelope`. */
export type InvokeResult = Envelope;

/** Makes Aptix envelopes, as tools written to that contract do. */
export const InvokeResult = Object.freeze({
  /** A success with a payload that is a JSON text already. */
  Create: (Result: string | null, Warnings: readonly InvokeMessage[] = []): Envelope => ({
    Successful: true,
    Result,
    Errors: [],
    Warnings,
    ErrorMessage: null,
  }),
  /** A failure in one sentence. */
  FromError: (Message: string, ErrorCode?: string): Envelope => ({
    Successful: false,
    Result: null,
    Errors: [ErrorCode === undefined ? { Message } : { Message, ErrorCode }],
    Warnings: [],
    ErrorMessage: Message,
  }),
});
