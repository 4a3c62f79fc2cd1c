import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ToolmountError } from "@toolmount/core/errors";
import { printable } from "../screen/printable.ts";
import { shortPath } from "../render/problems.ts";
import type { Shell } from "../process/shell.ts";

/** Maximum number of bytes of a file of instructions: as many as Codex reads. */
const maxBytes = 65_536;

/** The instructions of a project for agents. */
interface AgentsFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Finds the nearest AGENTS.md in `folder` or the folders above it. Returns undefined if no folder has one, or if the nearest is
 * empty. Throws `USAGE_INVALID` if the file is too large to contain instructions.
 */
export async function findAgentsFile(folder: string): Promise<AgentsFile | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, "AGENTS.md");
    const text = await readStart(path);
    if (text !== undefined) return text.trim() === "" ? undefined : { path, text };
    if (dirname(at) === at) return undefined;
  }
}

/** Shows which file of instructions the model reads. */
export function sayAgentsFile({ path, text }: AgentsFile, { err, cwd }: Shell): void {
  const facts = `${printable(shortPath(path, cwd))}, ${Buffer.byteLength(text)} bytes`;
  err.line(err.paint("dim", `instructions: ${facts}; --no-agents-md leaves them out`));
}

async function readStart(path: string): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
    if (bytesRead <= maxBytes) return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
  const problem = `${path} has more than ${maxBytes} bytes, which is too much for instructions; shorten it, or use --no-agents-md`;
  throw new ToolmountError("USAGE_INVALID", { problem });
}
