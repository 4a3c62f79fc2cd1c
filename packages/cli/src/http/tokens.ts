import { lstat, open, readFile, realpath } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { ToolmountError } from "@toolmount/core";
import type { TokenRecord } from "@toolmount/http";
import type { Shell } from "../process/shell.ts";

/** The tokens of a server: what it compares with, and the texts of new ones, which are shown once. */
export interface ServerTokens {
  readonly records: readonly TokenRecord[];
  /** Absent when the tokens come from a file that was there. */
  readonly created?: { readonly call: string; readonly decide: string };
}

/**
 * Reads a file of hashed tokens, or makes new tokens: for this run, or for a file that is not there yet. New tokens are
 * shown at a terminal only, since a log that a tool can read would give them away. Throws `USAGE_INVALID`.
 */
export async function prepareTokens(
  file: string | undefined,
  planFolders: readonly string[],
  shell: Shell,
): Promise<ServerTokens> {
  if (file === undefined) return createTokens(shell, "name a file of tokens with --tokens");
  const path = resolve(shell.cwd, file);
  await requireOutside(path, planFolders);
  const text = await readIfThere(path);
  if (text !== null) return { records: await parse(path, text) };
  const made = await createTokens(
    shell,
    `create ${path} at a terminal first, by starting the server there once`,
  );
  const handle = await open(path, "wx", 0o600);
  await handle.writeFile(`${JSON.stringify({ version: 1, tokens: made.records }, null, 2)}\n`);
  await handle.close();
  return made;
}

async function createTokens({ terminal }: Shell, todo: string): Promise<ServerTokens> {
  if (terminal === undefined)
    throw new ToolmountError("USAGE_INVALID", {
      problem: `new tokens are shown at a terminal only, and this process has no terminal; ${todo}`,
    });
  const { createToken, hashToken } = await import("@toolmount/http");
  const created = { call: createToken(), decide: createToken() };
  return {
    records: [
      { name: "call", sha256: hashToken(created.call), roles: ["call"] },
      { name: "operator", sha256: hashToken(created.decide), roles: ["call", "approve", "admin"] },
    ],
    created,
  };
}

/** Only its owner may read or write the file; a link could be pointed elsewhere. */
async function readIfThere(path: string): Promise<string | null> {
  const facts = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw refusal(path, error.message);
  });
  if (facts === null) return null;
  if (!facts.isFile()) throw refusal(path, "it is not a regular file");
  if ((facts.mode & 0o077) !== 0) throw refusal(path, "others can read it; run: chmod 600 on it");
  return readFile(path, "utf8");
}

/** Tools write below the plan's folder; a file of tokens there could get a token that a tool knows. */
async function requireOutside(path: string, planFolders: readonly string[]): Promise<void> {
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  for (const planFolder of planFolders) {
    const way = relative(await realpath(planFolder), folder);
    if (way === "" || !way.startsWith(".."))
      throw refusal(
        path,
        `it is below the plan's folder ${planFolder}, where tools write; keep it elsewhere`,
      );
  }
}

async function parse(path: string, text: string): Promise<readonly TokenRecord[]> {
  const { tokenFile } = await import("@toolmount/http");
  try {
    return tokenFile.parse(JSON.parse(text)).tokens;
  } catch (cause) {
    throw refusal(path, `it is not a file of tokens: ${(cause as Error).message}`);
  }
}

function refusal(path: string, problem: string): ToolmountError {
  return new ToolmountError("USAGE_INVALID", {
    problem: `the file of tokens ${path} is refused: ${problem}`,
  });
}
