import type { ModelFailure } from "./model.ts";
import { isRecord } from "../schema/guards.ts";

/** What a server reports of a call whose text could not be read. */
export type FailedToolCall = Pick<ModelFailure, "toolName" | "rawArguments">;

/**
 * Reads the body of an error about an invalid tool call: the name of the tool, and the arguments as the model wrote them.
 * Null for other errors. Source: console.groq.com/docs/errors, `tool_use_failed` with `failed_generation`.
 */
export function readFailedToolCall(error: unknown): FailedToolCall | null {
  if (!isRecord(error) || error["code"] !== "tool_use_failed") return null;
  const written = error["failed_generation"];
  if (typeof written !== "string") return {};
  const named = /(?:<function=|"name"\s*:\s*")([\w.-]{1,128})/.exec(written);
  return {
    rawArguments: written.slice(0, 2_000),
    ...(named === null ? {} : { toolName: named[1]! }),
  };
}
