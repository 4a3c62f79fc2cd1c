import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, silentLogger } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import * as policy from "@toolmount/policy";
import { layersOf } from "@toolmount/workers";
import { onTestFinished } from "vitest";

export const tools = join(import.meta.dirname, "../../tools");

/** The words after `node` that start the command. */
export const cliWords = [
  "-C",
  "@toolmount/source",
  join(import.meta.dirname, "../../packages/cli/src/main.ts"),
];

/** User namespaces are closed on some machines. Where continuous integration runs, they must be open. */
export const hasLayer =
  process.env["CI"] !== undefined ||
  (spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0 &&
    spawnSync("bwrap", ["--version"]).error === undefined);

export const entries = ["bash", "filesystem", "search"]
  .map((name) => `  - { module: ${name}, source: "file:${tools}/${name}" }\n`)
  .join("");

/** A project with a plan whose tools work in a layer, and a host of it. No approver answers questions. */
export async function project(plan = `version: 1\nlayer: ./\ntools:\n${entries}`) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-in-layer-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const run = (script: string) => spawnSync("/bin/bash", ["-euc", script], { cwd: folder });
  run("echo one > a.txt; mkdir src; echo two > src/b.txt; git init -q .; echo '{}' > package.json");
  writeFileSync(join(folder, "mount-plan.yaml"), plan);
  const open = async () => {
    const host = await openHost(join(folder, "mount-plan.yaml"), {
      logger: silentLogger,
      store: createMemoryStore(),
      extensions: {
        "@toolmount/policy": policy,
        "@toolmount/workers": () => import("@toolmount/workers"),
        "@toolmount/interop": () => import("@toolmount/interop/mount"),
      },
    });
    onTestFinished(async () => void (await host.close()));
    const call = async (name: string, given: object, sessionId = "s", more: object = {}) => {
      const { status, result } = await host.call({ name, arguments: { ...given } }, { sessionId, ...more });
      return { status, ...result };
    };
    const bash = async (command: string, sessionId?: string) => {
      const { data, error } = await call("bash", { command }, sessionId);
      return error ?? (data as { stdout: string }).stdout;
    };
    return { host, call, bash, layers: layersOf(host)! };
  };
  const read = (path: string) => readFileSync(join(folder, path), "utf8");
  return { folder, run, read, open, ...(await open()) };
}
