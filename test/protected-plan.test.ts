import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, silentLogger } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import { expect, onTestFinished, test } from "vitest";

const tools = join(import.meta.dirname, "../tools");

test("a plan whose own folder may be written is not, and neither is what it extends, also after a reload", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-protected-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const filesystem = `  - { module: filesystem, source: "file:${join(tools, "filesystem")}" }\n`;
  const texts = {
    "plan.yaml": `version: 1\ntools:\n${filesystem}`,
    "base.yaml": "version: 1\ntools: []\n",
    "notes.md": "mine\n",
  };
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  const host = await openHost(join(folder, "plan.yaml"), {
    logger: silentLogger,
    store: createMemoryStore(),
    approver: () => ({ decision: "approve" }),
  });
  onTestFinished(() => void host.close());
  const attempts = (file: string) => [
    { name: "write_file", arguments: { file_path: file, content: "tools: []" } },
    { name: "edit_file", arguments: { file_path: file, old_string: "1", new_string: "2" } },
    { name: "move_file", arguments: { source: "notes.md", destination: file, overwrite: true } },
    { name: "delete_file", arguments: { path: file } },
  ];
  const codes = async (file: string) =>
    Promise.all(attempts(file).map(async (attempt) => (await host.call(attempt)).result.code));

  expect(await codes("plan.yaml")).toEqual(Array(4).fill("ACCESS_DENIED"));
  await writeFile(join(folder, "plan.yaml"), `version: 1\nextends: ./base.yaml\ntools:\n${filesystem}`);
  await host.reload();
  expect(await codes("base.yaml")).toEqual(Array(4).fill("ACCESS_DENIED"));
  expect(await readFile(join(folder, "base.yaml"), "utf8")).toBe(texts["base.yaml"]);
  expect(await readFile(join(folder, "notes.md"), "utf8")).toBe("mine\n");
});
