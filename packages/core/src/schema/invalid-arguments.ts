import { failure, type PartialResult } from "../contract/result.ts";
import type { Issue } from "../contract/ports.ts";
import { formatPath, issueSentence } from "./schema.ts";

/** Longest error text that reaches a model, in characters. */
const maxText = 8_000;

/** The failure for arguments that do not fit: with one issue its own sentence, with several a list. */
export function invalidArguments(issues: readonly Issue[]): PartialResult<never> {
  const sentences = issues.map(issueSentence);
  const error = sentences.length === 1 ? sentences[0]! : `invalid arguments: ${sentences.join("; ")}`;
  return failure(error.slice(0, maxText), {
    code: "INVALID_ARGUMENTS",
    details: { issues: issues.map(({ path, message }) => ({ path: formatPath(path), message })) },
  });
}
