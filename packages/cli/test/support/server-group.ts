import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { onTestFinished } from "vitest";
import { startServer, writeTokens } from "./served.ts";
import { command, oneTool, root, workspace } from "./workspace.ts";

/** Asks before it runs, and leaves a mark of each run. */
const pay = oneTool({
  name: "pay",
  schema: "cents: z.number()",
  confirm: "true",
  body: `const { appendFileSync } = await import("node:fs"); appendFileSync("paid.txt", params.cents + "\\n"); return data({ paid: params.cents });`,
});
const look = oneTool({ name: "look", body: "return data({ seen: 1 });" });

/** A folder and its tokens, from which servers of one plan start. `more` are lines of the plan. */
export async function serverGroup(
  state: string,
  more = "",
  words: readonly string[] = ["--public-url", "https://desk.example"],
) {
  const place = await workspace({
    "plan.yaml": `version: 1\nname: desk\nstate: ${state}\n${more}tools:\n  - module: ./pay.ts\n  - module: ./look.ts\n`,
    "pay.ts": pay,
    "look.ts": look,
    "paid.txt": "",
  });
  const tokens = await writeTokens();
  const start = (program?: readonly string[]) =>
    startServer(place, tokens, ["plan.yaml", ...words], { program });
  const paid = async () => (await place.read("paid.txt")).split("\n").filter(Boolean);
  return { place, tokens, start, paid };
}

/** The command as a package of its own with another version. Resolves to what Node gets before its words. */
export async function nextVersion(version: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-version-"));
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 5, retryDelay: 100 }));
  const from = join(root, "packages/cli");
  for (const part of ["dist", "src", "schema", "templates"])
    await cp(join(from, part), join(folder, part), { recursive: true });
  await symlink(join(from, "node_modules"), join(folder, "node_modules"));
  const manifest = JSON.parse(await readFile(join(from, "package.json"), "utf8")) as object;
  await writeFile(join(folder, "package.json"), JSON.stringify({ ...manifest, version }));
  return command.map((word) => (word.startsWith(from) ? join(folder, relative(from, word)) : word));
}

type Server = Awaited<ReturnType<typeof startServer>>;

/** Ends a server: by SIGTERM as a service manager does, or at once. One that has ended by itself has ended. */
export async function endServer({ child, ended }: Server, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  child.kill(signal);
  await ended;
}

/** Approves every question that waits. */
export async function approveAll({ ask }: Server): Promise<number> {
  const { waiting } = (await ask("GET", "/approvals")).body as { waiting: readonly { id: string }[] };
  for (const { id } of waiting) await ask("POST", `/approvals/${id}/decision`, { decision: "approve" });
  return waiting.length;
}
