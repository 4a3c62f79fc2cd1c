import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { messageOf, ToolmountError } from "@toolmount/core/errors";
import type { JsonObject } from "@toolmount/core";
import { parseTape, tapeHeader, type TapeAnswer } from "@toolmount/tape";

/** The recorded answers of evaluations. Answers are found by what they depend on, so their order does not count. */
export interface EvalTape {
  /** Finds each answer once. A host or a model that is compared with another one has a finder of its own. */
  createFinder(): (request: string) => JsonObject | null;
  /** Adds a line at the end of the file, if it is an answer. */
  append(line: string): void;
  /** Removes answers that no finder found and that are not new. Returns how many were kept, and how many are new. */
  compact(): { readonly kept: number; readonly recorded: number };
}

interface Recorded {
  readonly line: string;
  isUsed: boolean;
}

/** Opens a tape for evaluations; a file that does not exist has no answers yet. Rejects with `REPLAY_INVALID`. */
export async function openEvalTape(path: string): Promise<EvalTape> {
  const known = await readAnswers(path);
  const added: string[] = [];
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
      if (!("answer" in (JSON.parse(line) as object))) return;
      if (known.length + added.length === 0) writeFileSync(path, `${tapeHeader}\n`, { mode: 0o600 });
      appendFileSync(path, `${line}\n`);
      added.push(line);
    },
    compact() {
      const kept = known.filter(({ isUsed }) => isUsed).map(({ line }) => line);
      if (kept.length < known.length) replace(path, [tapeHeader, ...kept, ...added, ""].join("\n"));
      return { kept: kept.length, recorded: added.length };
    },
  };
}

async function readAnswers(path: string): Promise<readonly Recorded[]> {
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return `${tapeHeader}\n`;
    throw new ToolmountError("REPLAY_INVALID", { file: path, problem: "it cannot be read" }, { cause });
  });
  try {
    const { answers } = parseTape(text);
    return answers.map((answer) => ({ line: JSON.stringify(answer), isUsed: false }));
  } catch (cause) {
    throw new ToolmountError("REPLAY_INVALID", { file: path, problem: messageOf(cause) }, { cause });
  }
}

function replace(path: string, text: string): void {
  const beside = `${path}.new`;
  writeFileSync(beside, text, { mode: 0o600 });
  renameSync(beside, path);
}
