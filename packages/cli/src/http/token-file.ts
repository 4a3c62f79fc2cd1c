import { lstat, readFile, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ToolmountError } from "@toolmount/core";
import type { TokenRecord } from "@toolmount/http";
import { canOthersRead, isBelow, isPathError, rewriteText } from "@toolmount/paths";
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

/**
 * Replaces a file of hashed tokens in one step; `before` is what it had when it was read. Only its owner can read it. Throws
 * `USAGE_INVALID` if it has other tokens now, or cannot be written.
 */
export async function writeTokenFile(
  path: string,
  tokens: readonly TokenRecord[],
  before: readonly TokenRecord[] | null,
): Promise<void> {
  const written = async () => {
    if (!isDeepStrictEqual(await readTokenFile(path), before))
      throw refusal(path, "it was changed meanwhile; run the command again");
    return `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`;
  };
  await rewriteText(path, written, { mode: 0o600 }).catch((cause: unknown) => {
    throw isPathError(cause) ? refusal(path, `it cannot be written: ${cause.message}`) : cause;
  });
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
