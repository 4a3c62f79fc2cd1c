import { lstat, open, readFile, realpath, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { ToolmountError } from "@toolmount/core";
import type { TokenRecord } from "@toolmount/http";
import { canOthersRead, isBelow } from "@toolmount/paths";
import { firstIssue } from "../schema/first-issue.ts";

/**
 * Reads a file of hashed tokens; null if it does not exist. Throws `USAGE_INVALID` if it is not such a file, or others can read
 * it.
 */
export async function readTokenFile(path: string): Promise<readonly TokenRecord[] | null> {
  const text = await readIfThere(path);
  if (text === null) return null;
  try {
    return await readTokens(JSON.parse(text));
  } catch (cause) {
    throw refusal(path, `it is not a file of tokens: ${(cause as Error).message}`);
  }
}

/** Checks the parsed content of a file and returns its tokens. Throws an error with the first problem. */
export async function readTokens(value: unknown): Promise<readonly TokenRecord[]> {
  const { tokenFile } = await import("@toolmount/http");
  const read = tokenFile.safeParse(value);
  if (read.success) return read.data.tokens;
  throw new Error(firstIssue(read.error));
}

/**
 * Reads a secret of the server from its file. Throws `USAGE_INVALID` if the file is missing, empty, readable by others, or below
 * a plan's folder.
 */
export async function readSecret(path: string, planFolders: readonly string[]): Promise<string> {
  await requireOutside(path, planFolders);
  const secret = (await readIfThere(path))?.trim() ?? "";
  if (secret === "") throw refusal(path, "it is not there, or empty; it holds a secret");
  return secret;
}

/** Replaces a file of hashed tokens in one step. Only its owner can read it. Throws `USAGE_INVALID` if it cannot be written. */
export async function writeTokenFile(path: string, tokens: readonly TokenRecord[]): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  const handle = await open(draft, "wx", 0o600).catch((cause: Error) => {
    throw refusal(path, `it cannot be written: ${cause.message}`);
  });
  try {
    await handle.writeFile(`${JSON.stringify({ version: 1, tokens }, null, 2)}\n`);
    await handle.sync();
    await handle.close();
    await rename(draft, path);
  } catch (cause) {
    await handle.close().catch(() => {}); // if only the rename failed, it is already closed
    await rm(draft, { force: true });
    throw refusal(path, `it cannot be written: ${(cause as Error).message}`);
  }
}

/** Throws for a file below a plan's folder, because tools write there and could add a token of their own choice. */
export async function requireOutside(path: string, planFolders: readonly string[]): Promise<void> {
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  for (const planFolder of planFolders) {
    if (isBelow(folder, await realpath(planFolder)))
      throw refusal(
        path,
        `it is below the plan's folder ${planFolder}, where tools write; keep it elsewhere`,
      );
  }
}

/**
 * Reads a file that only its owner may read or write; null if it does not exist. Refuses a link, because others could change its
 * target.
 */
async function readIfThere(path: string): Promise<string | null> {
  const facts = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw refusal(path, error.message);
  });
  if (facts === null) return null;
  if (!facts.isFile()) throw refusal(path, "it is not a regular file");
  if (canOthersRead(facts.mode)) throw refusal(path, "others can read it; run: chmod 600 on it");
  return readFile(path, "utf8");
}

function refusal(path: string, problem: string): ToolmountError {
  return new ToolmountError("USAGE_INVALID", {
    problem: `the file of tokens ${path} is refused: ${problem}`,
  });
}
