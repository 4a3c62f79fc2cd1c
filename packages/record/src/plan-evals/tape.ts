import { renameSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { messageOf, ToolmountError } from "@toolmount/core/errors";
import type { JsonObject } from "@toolmount/core";
import { addLine, parseTape, tapeHeader, type TapeAnswer } from "@toolmount/tape";

/** The recorded answers of evaluations. An answer is found by what it depends on, so the order of answers does not matter. */
export interface EvalTape {
  /** Returns a function that finds each answer once. A host or model that is compared with another has its own finder. */
  createFinder(): (request: string) => JsonObject | null;
  /**
   * Adds a line at the end of the file, if it is an answer. The recording ends at the first line that cannot be
   * written, but the evaluations continue.
   */
  append(line: string): void;
  /**
   * Removes answers that no finder found and that are not new, unless `keepsAll`. Returns how many were kept, and how many
   * are new. Throws `RECORD_FAILED` if the file, or an earlier answer, could not be written.
   */
  end(options: { readonly keepsAll: boolean }): { readonly kept: number; readonly recorded: number };
}

/** Opens a tape for evaluations; a file that does not exist has no answers yet. Rejects with `REPLAY_INVALID`. */
export async function openEvalTape(path: string): Promise<EvalTape> {
  const known = await readAnswers(path);
  const added: string[] = [];
  let failure: ToolmountError | null = null;
  return {
    createFinder() {
      const open = Map.groupBy(known, ({ line }) => (JSON.parse(line) as TapeAnswer).request ?? "");
      return (request) => {
        const found = open.get(request)?.shift();
        if (found === undefined) return null;
        found.isUsed = true;
        return (JSON.parse(found.line) as TapeAnswer).answer;
      };
    },
    append(line) {
      if (failure !== null || !("answer" in (JSON.parse(line) as object))) return;
      try {
        if (known.length + added.length === 0) writeFileSync(path, `${tapeHeader}\n`, { mode: 0o600 });
        addLine(path, line);
        added.push(line);
      } catch (cause) {
        failure = recordFailed(path, cause);
      }
    },
    end({ keepsAll }) {
      if (failure !== null) throw failure;
      const kept = known.filter(({ isUsed }) => isUsed || keepsAll).map(({ line }) => line);
      if (kept.length < known.length) replace(path, [tapeHeader, ...kept, ...added, ""].join("\n"));
      return { kept: kept.length, recorded: added.length };
    },
  };
}

async function readAnswers(path: string): Promise<readonly { readonly line: string; isUsed: boolean }[]> {
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return "";
    throw new ToolmountError("REPLAY_INVALID", { file: path, problem: "it cannot be read" }, { cause });
  });
  try {
    // A process that was killed right after its start may have left only a part of the header.
    const { answers } = parseTape(tapeHeader.startsWith(text) ? `${tapeHeader}\n` : text);
    return answers.map((answer) => ({ line: JSON.stringify(answer), isUsed: false }));
  } catch (cause) {
    throw new ToolmountError("REPLAY_INVALID", { file: path, problem: messageOf(cause) }, { cause });
  }
}

/** Replaces a file completely or not at all. */
function replace(path: string, text: string): void {
  const beside = `${path}.new`;
  try {
    writeFileSync(beside, text, { mode: 0o600 });
    renameSync(beside, path);
  } catch (cause) {
    rmSync(beside, { force: true });
    throw recordFailed(path, cause);
  }
}

function recordFailed(file: string, cause: unknown): ToolmountError {
  return new ToolmountError("RECORD_FAILED", { file, problem: messageOf(cause) }, { cause });
}
