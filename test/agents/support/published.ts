import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exec } from "../../support/exec.ts";

/** The agents that are tried, as packages of npm, in the versions that docs/reference/mcp-compatibility.md names. */
export const published = {
  "claude-code": { package: "@anthropic-ai/claude-code", version: "2.1.332", program: "claude" },
  codex: { package: "@openai/codex", version: "0.171.0", program: "codex" },
  gemini: { package: "@google/gemini-cli", version: "0.61.0", program: "gemini" },
  opencode: { package: "opencode-ai", version: "1.18.33", program: "opencode" },
} as const;
export type Agent = keyof typeof published;

/** What was installed is kept between runs: these packages are hundreds of megabytes. */
const kept = join(import.meta.dirname, "../../../.toolchain/agents");

/** Some packages place their program by a script, which npm does not run unasked. */
const scripts: Partial<Record<Agent, string>> = { "claude-code": "install.cjs", opencode: "postinstall.mjs" };

/** Returns the path of an agent's program, and installs it first if it is not there. */
export async function installed(agent: Agent): Promise<string> {
  const { package: name, version, program } = published[agent];
  const folder = join(kept, `${agent}-${version}`);
  const path = join(folder, "node_modules/.bin", program);
  if (existsSync(path)) return path;
  await mkdir(kept, { recursive: true });
  const fresh = await mkdtemp(join(kept, "new-"));
  await writeFile(join(fresh, "package.json"), JSON.stringify({ dependencies: { [name]: version } }));
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts"];
  await exec("npm", ["install", ...quiet], { cwd: fresh, env: { HOME: tmpdir() } });
  const script = scripts[agent];
  if (script !== undefined)
    await exec(process.execPath, [script], { cwd: join(fresh, "node_modules", name) });
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
  return path;
}
