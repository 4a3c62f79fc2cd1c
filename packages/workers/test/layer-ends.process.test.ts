// How processes in a layer end. What is started waits for the program, from outside of the layer's namespaces.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";

/** User namespaces are closed on some machines. Where continuous integration runs, they must be open. */
const hasLayer =
  process.env["CI"] !== undefined ||
  spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0;

/** Runs what a host does with a layer in a process of its own, after these words, and returns what it says. */
async function play(scene: string, before: readonly string[] = []): Promise<object> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-layer-ends-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(import.meta.dirname, "modules/layer-ends.ts");
  const words = [...before, process.execPath, "-C", "@toolmount/source", file, scene, folder];
  const child = spawn(words[0]!, words.slice(1), { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  const said = await text(child.stdout);
  expect((await ended)[0]).toBe(0);
  return JSON.parse(said) as object;
}

test.runIf(hasLayer)("a process is gone whose call did not end when it was stopped", async () => {
  expect(await play("stuck")).toEqual({ before: 1, failure: expect.any(String), after: 0, warnings: [] });
});

test.runIf(hasLayer)(
  "a host that is the first process of its container leaves none, and closes",
  async () => {
    const first = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
    expect(await play("close", first)).toEqual({ before: 1, after: 0, zombies: 0, warnings: [] });
  },
);
