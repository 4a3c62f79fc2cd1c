import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeFlags } from "../support/program.ts";

const hasLayer =
  process.env["CI"] !== undefined ||
  (spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0 &&
    spawnSync("bwrap", ["--version"]).error === undefined);

const tools = join(import.meta.dirname, "../../tools");
const entries = ["bash", "filesystem", "search"]
  .map((name) => `  - { module: ${name}, source: "file:${tools}/${name}" }\n`)
  .join("");

const tree = `
mkdir -p project/src outside && cd project
echo a > a; echo b > src/b; seq 20000 > large; echo twin > twin-a; ln twin-a twin-b; mkfifo pipe; touch port
ln -s ../outside out; echo canary > ../outside/canary; ln a ../outside/hard
git init -q .; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
`;

/** A project and a folder beside it. Behind the wall the machine's /tmp does not exist, so they are elsewhere. */
function world(): string {
  const parent = realpathSync(mkdtempSync("/var/tmp/toolmount-leaks-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const { status, stderr } = spawnSync("bash", ["-euc", tree], { cwd: parent });
  if (status !== 0) throw new Error(stderr.toString());
  writeFileSync(join(parent, "project/mount-plan.yaml"), `version: 1\nlayer: ./\ntools:\n${entries}`);
  return parent;
}

/** This user, and another one where this user can become another. */
const users = process.getuid?.() === 0 ? ["root", "another user"] : ["this user"];

describe.runIf(hasLayer).each(["overlay", "copy"] as const)("by %s", (engine) => {
  test.each(users)("no program in a layer writes through it, as %s", { timeout: 3_600_000 }, (user) => {
    const parent = world();
    const node = [
      process.execPath,
      ...nodeFlags,
      join(import.meta.dirname, "leaks-process.ts"),
      parent,
      engine,
    ];
    const as = "setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent".split(" ");
    if (user === "another user") spawnSync("chown", ["-hR", "65534:65534", parent]);
    const [file, ...args] = user === "another user" ? [...as, ...node] : node;
    const { stdout, stderr } = spawnSync(file!, args, { cwd: "/", encoding: "utf8", maxBuffer: 1e9 });
    expect(stdout, stderr).toMatch(/^\{/);
    const { tried, leaked } = JSON.parse(stdout) as { tried: number; leaked: readonly string[] };
    process.stdout.write(`${JSON.stringify({ engine, user, tried, leaked: leaked.length })}\n`);
    expect(leaked).toEqual([]);
    expect(tried).toBeGreaterThan(40);
    expect(mountsOf(parent)).toEqual([]);
  });
});

/** Processes that still have a mount of the layer. */
function mountsOf(folder: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/mountinfo`, "latin1").includes(folder);
    } catch {
      return false; // no process, or one that has ended
    }
  });
}
