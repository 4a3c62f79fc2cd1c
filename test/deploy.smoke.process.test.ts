import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { readBlocks } from "./support/doc-blocks.ts";

const root = join(import.meta.dirname, "..");
const page = await readFile(join(root, "docs/deploy.md"), "utf8");

/** A file of the page, by its name. */
function fileOf(name: string): string {
  const found = readBlocks("docs/deploy.md", page).find(
    ({ mark, value }) => mark === "file" && value === name,
  );
  return found!.text;
}

/** The folder of a server, with the plan of the page and the packages that it installs; its tokens are beside it. */
async function installed() {
  const base = await realpath(await mkdtemp(join(tmpdir(), "toolmount-deploy-")));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const folder = join(base, "srv");
  await mkdir(join(folder, "node_modules/@toolmount"), { recursive: true });
  for (const [name, path] of [
    ["toolmount", "packages/cli"],
    ["@toolmount/tool-filesystem", "tools/filesystem"],
    ["@toolmount/store", "packages/store"],
  ] as const)
    await symlink(join(root, path), join(folder, "node_modules", name));
  await writeFile(join(folder, "mount-plan.yaml"), fileOf("mount-plan.yaml"));
  const sha256 = createHash("sha256").update("tm_of_this_test_and_of_no_server_in_the_world").digest("hex");
  const tokens = join(base, "tokens.json");
  await writeFile(tokens, JSON.stringify({ version: 1, tokens: [{ name: "me", roles: ["call"], sha256 }] }), {
    mode: 0o600,
  });
  return { base, folder, tokens };
}

/** Starts a command of the page, waits until it listens, asks whether it is ready, and ends it as its manager does. */
async function serveOnce(words: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const own = words.map((word) => word.replace(/:4680$/, ":0"));
  const child = spawn(process.execPath, [...own, "--json"], {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const listening = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { listening: url } = JSON.parse(line) as { listening?: string };
      if (url !== undefined) resolve(url);
    });
    void ended.then((code) => reject(new Error(`it ended with ${code}: ${errors}`)));
  });
  const url = (await listening).replace("0.0.0.0", "127.0.0.1");
  const ready = await fetch(`${url}/readyz`);
  child.kill("SIGTERM");
  return { ready: ready.status, code: await ended };
}

test("the command of the Dockerfile serves, is ready, and ends well at SIGTERM", async () => {
  const { folder, tokens } = await installed();
  const [, command = "[]"] = /^CMD (\[.*\])$/m.exec(fileOf("Dockerfile"))!;
  const [program, ...words] = JSON.parse(command) as string[];
  expect(program).toBe("node");
  const own = words.map((word) => word.replace("/run/secrets/tokens.json", tokens));

  expect(await serveOnce(own, folder, {})).toEqual({ ready: 200, code: 0 });
});

test("the command of the systemd unit serves with the state and the tokens that systemd gives, and ends well at SIGTERM", async () => {
  const { base, folder } = await installed();
  const [, command = ""] = /^ExecStart=\/usr\/bin\/node (.*)$/m.exec(fileOf("toolmount.service"))!;
  const words = command.split(" ").map((word) => word.replace("${CREDENTIALS_DIRECTORY}", base));
  const state = join(base, "state");
  await mkdir(state, { mode: 0o700 });

  expect(await serveOnce(words, folder, { STATE_DIRECTORY: state })).toEqual({ ready: 200, code: 0 });
  expect(await readFile(join(state, "state.db"))).toHaveProperty("length");
});

test("systemd finds nothing wrong with the unit, where it can be asked", async () => {
  const { base, folder } = await installed();
  const unit = join(base, "toolmount.service");
  const text = fileOf("toolmount.service");
  await writeFile(unit, text.replace("/usr/bin/node", process.execPath).replace("/srv/toolmount", folder));
  const { error, status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", unit], {
    encoding: "utf8",
  });
  if (error !== undefined) {
    process.stdout.write("systemd-analyze is not here: the unit was not verified\n");
    return;
  }
  expect([status, stdout, stderr.split("\n").filter((line) => line.includes("toolmount.service"))]).toEqual([
    0,
    "",
    [],
  ]);
});
