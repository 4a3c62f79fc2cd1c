import type { InvokeMessage, InvokeResult as Envelope } from "./invoke-result.ts";

/** Aptix's envelope of a result, whose payload is a JSON text. See `Envelope`. */
export type InvokeResult<Result extends string = string> = Envelope & { readonly Result: Result | null };

/** Makes Aptix envelopes, by functions with the names that Aptix tools call. */
export const InvokeResult = Object.freeze({
  /** Makes a success. The payload has to be a JSON text already. */
  Create: (Result: string | null, Warnings: readonly InvokeMessage[] = []): Envelope => ({
    Successful: true,
    Result,
    Errors: [],
    Warnings,
    ErrorMessage: null,
  }),
  /** Makes a failure with one sentence. In the original, the type parameter names the type of the missing result. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- FromError<string>(…), as the contract writes it
  FromError: <_Result extends string = string>(Message: string, ErrorCode?: string): Envelope => ({
    Successful: false,
    Result: null,
    Errors: [ErrorCode === undefined ? { Message } : { Message, ErrorCode }],
    Warnings: [],
    ErrorMessage: Message,
  }),
});
