import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** One check of the suite. */
export interface Check {
  readonly id: string;
  readonly name?: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  readonly errorMessage?: string;
}

/** What the suite found, by scenario. */
export type Findings = ReadonlyMap<string, readonly Check[]>;

const require = createRequire(import.meta.url);
const suite = join(
  dirname(require.resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
);

/** Runs the official suite with these words, and reads what it wrote. */
export async function runSuite(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ findings: Findings; printed: string }> {
  const out = await mkdtemp(join(tmpdir(), "toolmount-conformance-"));
  try {
    const printed = await run([...words, "-o", out], env);
    return { findings: await readFindings(out), printed };
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

function run(words: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, [suite, ...words], {
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(printed));
  });
}

/** Folders are named `[server-]SCENARIO-TIME`. */
async function readFindings(out: string): Promise<Findings> {
  const files = (await readdir(out, { recursive: true })).filter((path) => path.endsWith("checks.json"));
  const read = files.map(async (path): Promise<[string, readonly Check[]]> => {
    const folder = dirname(path);
    const name = folder.replace(/^(?:server|client)-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z?.*$/, "");
    return [name, JSON.parse(await readFile(join(out, path), "utf8")) as readonly Check[]];
  });
  return new Map(await Promise.all(read));
}
