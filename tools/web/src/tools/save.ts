import type { ToolContext } from "@toolmount/core";
import { FetchProblem } from "../fetch/problem.ts";

/**
 * Writes a file with the host's `write_file`, under its rules, approvals and records. Throws `SAVE_FAILED` with the error
 * of `write_file`.
 */
export async function saveText(path: string, content: string, context: ToolContext): Promise<number> {
  const outcome = await context
    .call({ name: "write_file", arguments: { file_path: path, content } })
    .catch((thrown: unknown) => {
      throw new FetchProblem(
        "SAVE_FAILED",
        "Failed to write file: save_to_file needs a host with the tool write_file",
        {},
        { cause: thrown },
      );
    });
  const { status, result } = outcome;
  if (status === "ok") return Buffer.byteLength(content);
  throw new FetchProblem("SAVE_FAILED", `Failed to write file: ${result.error ?? status}`, { status });
}
