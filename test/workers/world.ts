import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as interop from "@toolmount/interop";
import { openHost, type OpenedHost, type OpenHostOptions } from "@toolmount/loader";
import * as workers from "@toolmount/workers";
import { onTestFinished } from "vitest";

/** The module of these tests that is written with Zod. */
export const weather = join(import.meta.dirname, "modules/weather.ts");

/** A folder of files, gone after the test. */
export async function folderOf(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-isolation-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

/** The modules that the host of these tests has. */
export const extensions = { "@toolmount/interop": interop, "@toolmount/workers": workers };

/** Opens a plan with processes and adapters; closed after the test. */
export async function open(plan: string | object, options: OpenHostOptions = {}): Promise<OpenedHost> {
  const host = await openHost(plan as string, {
    extensions,
    env: {},
    ...options,
  });
  onTestFinished(async () => void (await host.close()));
  return host;
}

/** Problems of a plan that does not open. */
export async function problemsOf(plan: string | object, options: OpenHostOptions = {}) {
  const error = await open(plan, options).then(
    () => undefined,
    (thrown: unknown) => thrown as { details?: { problems?: readonly { code: string; message: string }[] } },
  );
  if (error !== undefined && error.details?.problems === undefined) throw error;
  return error?.details?.problems ?? [];
}

/** How processes start here: a machine under load takes its time. */
export const behind = (border: string, more: object = {}) => ({
  in: "process",
  border,
  startTimeoutMs: 900_000,
  ...more,
});

/** Reads the lines of a file. A file that is not there has no lines. */
export async function linesOf(path: string): Promise<readonly string[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").filter(Boolean);
}

/** A tool without libraries, as a published package may be. `top` runs when the module is imported. */
export function peekModule(top = "", description = "Reads a file. Use it in tests. Not for anything else.") {
  return `import { readFileSync, appendFileSync } from "node:fs";
${top}
export const peek = {
  name: "peek",
  description: ${JSON.stringify(description)},
  schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false },
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  async execute({ path }) {
    try {
      return { data: { pid: process.pid, read: readFileSync(path, "utf8") } };
    } catch (error) {
      return { data: { pid: process.pid, refused: error.code } };
    }
  },
};
`;
}
