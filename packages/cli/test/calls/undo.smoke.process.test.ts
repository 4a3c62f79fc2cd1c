import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { changesLogOf } from "@toolmount/core/sessions";
import { openStore } from "@toolmount/store";
import { expect, test } from "vitest";
import { workspace } from "../support/workspace.ts";

const tools = join(import.meta.dirname, "../../../../tools");
const plan = `version: 1
tools:
  - { module: filesystem, source: "file:${tools}/filesystem", config: { allowed_write_paths: [out] } }
  - { module: bash, source: "file:${tools}/bash", config: { isolation: none } }
state: sqlite:./state/state.db
`;

const bordered = plan.replace(
  "config: { allowed_write_paths: [out] } }",
  "config: { allowed_write_paths: [out] }, run: { in: process, border: bubblewrap, write: [out] } }",
);

async function worked(planText = plan) {
  const { here, folder } = await workspace({ "mount-plan.yaml": planText, "out/a.txt": "one" });
  const call = async (tool: string, given: object) => {
    const words = ["call", tool, JSON.stringify(given), "--session", "office", "--approve", "--json"];
    const { json, stderr, code } = await here(words);
    expect(code, stderr).toBe(0);
    return json() as { runId: string };
  };
  await call("write_file", { file_path: "out/a.txt", content: "two" });
  await call("bash", { command: "true" });
  const { runId } = await call("write_file", { file_path: "out/new/b.txt", content: "b" });
  const path = (name: string) => join(folder, name);
  const text = () => readFile(path("out/a.txt"), "utf8");
  return { here, path, runId, text };
}

test.each([
  ["in this process", plan],
  ["behind a border", bordered],
])(
  "toolmount undo lists, undoes to a number, undoes a call, and undoes a session, of tools %s",
  async (_, given) => {
    const { here, path, runId, text } = await worked(given);
    const { stdout } = await here(["undo", "office", "--rehearse"]);
    expect(stdout).toContain("cannot be undone");
    expect(stdout).toContain('{"file_path":"out/new/b.txt"}');

    const call = await here(["undo", runId, "--session", "office"]);
    expect([call.code, call.stdout]).toEqual([
      0,
      '✔ 3 write_file {"file_path":"out/new/b.txt"}\n1 change undone\n',
    ]);
    expect([existsSync(path("out/new")), await text()]).toEqual([false, "two"]);

    expect((await here(["undo", "office", "--to", "1"])).stdout).toBe(
      '! 2 bash {"command":"true"} stays: what "bash" does cannot be undone\n0 changes undone\n',
    );
    const { code, json } = await here(["undo", "office", "--json"]);
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      undone: [{ number: 1 }],
      stopped: null,
      irreversible: [{ tool: "bash" }],
    });
    expect(await text()).toBe("one");
  },
);

const booking = `
  import { appendFileSync } from "node:fs";
  import { data, defineTool } from "@toolmount/core";
  import { z } from "zod";
  export const book = defineTool({
    name: "book", description: "Books. Use it in tests.", schema: z.strictObject({}), category: "write",
    consequenceLevel: "low", requiresConfirmation: false,
    async execute(_, { undoable }) { await undoable?.(1); return data(1); },
    undo() { appendFileSync(new URL("booked", import.meta.url), "-"); return data(1); },
  });
`;

test.each([
  ["repeat", true],
  ["done", false],
])("of an undo that began in a process that died, --unclear %s decides", async (decision, isRepeated) => {
  const { here, folder } = await workspace({
    "mount-plan.yaml": "version: 1\ntools: [{ module: ./book.mjs }]\nstate: sqlite:./state/state.db\n",
    "book.mjs": booking,
  });
  expect((await here(["call", "book", "{}", "--session", "office"])).code).toBe(0);
  const store = await openStore(`sqlite:${join(folder, "state/state.db")}`);
  await store.sessions.append(changesLogOf("office"), 1, [
    { kind: "claim", of: 1, by: "gone", until: 0, at: 0 },
    { kind: "begun", of: 1, by: "gone", at: 0 },
  ]);
  await store.close();
  expect((await here(["undo", "office", "--rehearse"])).stdout).toContain("undo began");
  const stopped = await here(["undo", "office"]);
  expect([stopped.code, stopped.stdout]).toEqual([1, expect.stringContaining("--unclear done") as string]);
  expect(existsSync(join(folder, "booked"))).toBe(false);

  const decided = await here(["undo", "office", "--unclear", decision]);
  expect([decided.code, decided.stdout]).toEqual([0, "✔ 1 book {}\n1 change undone\n"]);
  expect(existsSync(join(folder, "booked"))).toBe(isRepeated);
});

test("an undo that finds another content says so and ends with 1, and an unknown id is wrong usage", async () => {
  const { here } = await worked();
  const words = ["call", "write_file", "file_path=out/new/b.txt", "content=changed", "--approve"];
  expect((await here(words)).code).toBe(0);

  const { code, stdout } = await here(["undo", "office"]);
  expect(code).toBe(1);
  expect(stdout).toContain('✖ 3 write_file {"file_path":"out/new/b.txt"}: ');
  expect(stdout).toContain("has another content or other permissions now");
  expect(stdout).toContain("0 changes undone, 1 left");

  const unknown = await here(["undo", "nothing"]);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('has the id "nothing"')]);
});
