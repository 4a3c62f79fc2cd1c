import type { ToolContext } from "@toolmount/core";
import { FetchProblem } from "./fetch/problem.ts";

/**
 * Writes a file through the host's `write_file`, whose rules, approvals and records then hold. Throws `SAVE_FAILED`
 * with what it said.
 */
export async function saveText(path: string, content: string, context: ToolContext): Promise<number> {
  const outcome = await context
    .call({ name: "write_file", arguments: { file_path: path, content } })
    .catch((thrown: unknown) => {
      throw new FetchProblem(
        "SAVE_FAILED",
        "Failed to write file: there is no host whose write_file could do it",
        {},
        { cause: thrown },
      );
    });
  const { status, result } = outcome;
  if (status === "ok") return Buffer.byteLength(content);
  throw new FetchProblem("SAVE_FAILED", `Failed to write file: ${result.error ?? status}`, { status });
}
