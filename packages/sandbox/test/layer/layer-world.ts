import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { onTestFinished } from "vitest";
import { runInSandbox } from "../../src/index.ts";
import { openLayer, type Layer } from "../../src/layer/layer.ts";
import type { LayerOptions } from "../../src/layer/mount.ts";
import { removeTree } from "../../src/layer/durable.ts";

/** The variables with which layers and their programs start. */
export const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

/** A folder of a person that a script fills. It is removed at the end of the test. */
export function folderOf(script: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-layer-")));
  onTestFinished(() => removeTree(folder));
  person(folder, script);
  return folder;
}

/** What a person does in the folder itself. */
export function person(folder: string, script: string): string {
  const { status, stdout, stderr } = spawnSync("/bin/bash", ["-euc", script], { cwd: folder, env });
  if (status !== 0) throw new Error(`${script}: ${stderr.toString()}`);
  return stdout.toString();
}

/** Opens a layer as hosts do. It is closed at the end of the test. */
export async function opened(folder: string, more: Partial<LayerOptions> = {}): Promise<Layer> {
  const obeyed = ["**/.husky", "**/.envrc", "**/package.json"];
  const layer = await openLayer({ folder, name: "s", env, obeyed, onWanted() {}, ...more });
  if ("problem" in layer) throw new Error(layer.problem);
  onTestFinished(() => layer.close());
  return layer;
}

/** Runs a script in a layer, to its end; what it printed. */
export async function within(layer: Layer, folder: string, script: string): Promise<string> {
  const launch = { file: "/bin/bash", args: ["-euc", script], env, filter: undefined };
  const entered = await layer.enter(launch);
  const { stdout, stderr, code } = await runInSandbox(entered.launch, { cwd: "/", timeoutMs: 60_000 });
  if (code !== 0) throw new Error(`${script} in ${folder}: ${code} ${stderr}`);
  return stdout;
}

/** How exactly two folders are compared. */
export interface LookOptions {
  readonly inodes?: boolean;
}

/** Every entry of a folder: kind, mode, time, content, and which names belong to one file. */
export function look(folder: string, { inodes = false }: LookOptions = {}): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const first = new Map<bigint, string>();
  // Each character of a name is one of its bytes.
  const at = (path: string) => Buffer.from(join(folder, path), "latin1");
  const visit = (below: string) => {
    for (const name of readdirSync(at(below), "latin1").toSorted()) {
      const path = join(below, name);
      if (path === ".toolmount") continue;
      const stat = lstatSync(at(path), { bigint: true });
      const shared = first.get(stat.ino) ?? path;
      first.set(stat.ino, shared);
      const mode = (stat.mode & 0o7777n).toString(8);
      const facts = [stat.mtimeNs / 1_000n, ...(inodes ? [stat.ino] : [])].join(" ");
      if (stat.isSymbolicLink()) found[path] = `link ${readlinkSync(at(path), "latin1")}`;
      else if (stat.isDirectory()) found[path] = `folder ${mode} ${facts}`;
      else if (stat.isFile())
        found[path] = `file ${mode} ${facts} ${shared} ${hash("sha256", readFileSync(at(path)))}`;
      else found[path] = `other ${mode}`;
      if (stat.isDirectory()) visit(path);
    }
  };
  visit("");
  return found;
}

/** Keeps all that a layer changed. */
export async function keepAll(layer: Layer) {
  const { digest } = await layer.difference();
  return layer.keep({ digest, sections: ["files", "deletions", "obeyed", "repository"] });
}
