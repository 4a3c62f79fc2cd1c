import { existsSync } from "node:fs";
import { join } from "node:path";
import { responsesApi, startProvider, type ProviderReply } from "@toolmount/testing/providers";
import { expect, onTestFinished, test } from "vitest";
import { atTerminal, keys, ready } from "../support/terminal.ts";
import { workspace } from "../support/workspace.ts";

const tools = join(import.meta.dirname, "../../../../tools");
const plan = `version: 1
tools:
  - { module: filesystem, source: "file:${tools}/filesystem" }
state: sqlite:./state/state.db
`;

/** A rehearsed turn of two changes at a terminal, whose list a person answers with a key. */
async function turn(last: readonly ProviderReply[]) {
  const model = await startProvider(responsesApi, [
    { calls: [{ id: "c1", name: "write_file", arguments: '{"file_path":"a.txt","content":"A"}' }] },
    { calls: [{ id: "c2", name: "delete_file", arguments: '{"path":"old.txt"}' }] },
    { text: "I would write a.txt and delete old.txt." },
    ...last,
  ]);
  onTestFinished(async () => {
    await model.close();
    expect(model.broken).toEqual([]);
  });
  const { folder } = await workspace({ "mount-plan.yaml": plan, "old.txt": "old" });
  const words = [
    "run",
    "--model",
    "m",
    "--base-url",
    model.baseUrl,
    "--rehearse",
    "--ask",
    "--session",
    "s",
    "tidy up",
  ];
  const terminal = atTerminal(words, { cwd: folder, env: { OPENAI_API_KEY: "none" } });
  await terminal.until(ready);
  const has = (name: string) => existsSync(join(folder, name));
  return { terminal, requests: model.requests, has };
}

test("after an approved list the calls are made, and the model reads what became of them and answers", async () => {
  const { terminal, requests, has } = await turn([{ text: "a.txt is written, and old.txt is gone." }]);
  expect([has("a.txt"), has("old.txt")]).toEqual([false, true]);
  terminal.press("y");
  await terminal.until(/● y/);
  terminal.press(keys.enter);
  expect(await terminal.ended, terminal.text()).toBe(0);
  expect([has("a.txt"), has("old.txt")]).toEqual([true, false]);

  expect(requests).toHaveLength(4);
  const { instructions, input } = requests[3] as {
    instructions?: string;
    input: readonly { role?: string }[];
  };
  const read = JSON.stringify([instructions, input]);
  expect(read).toContain(
    JSON.stringify('1. write_file {"file_path":"a.txt","content":"A"}: ok').slice(1, -1),
  );
  expect(read).toContain("Do not make them again.");
  // No message of the user has the calls: flows would take their values for the user's.
  expect(JSON.stringify(input.filter(({ role }) => role === "user"))).not.toContain("write_file");
  expect(terminal.text()).toContain("a.txt is written, and old.txt is gone.");
});

test("after a denied list nothing is made, and the model is not asked again", async () => {
  const { terminal, requests, has } = await turn([]);
  terminal.press("n");
  expect(await terminal.ended, terminal.text()).toBe(1);
  expect([has("a.txt"), has("old.txt"), requests.length]).toEqual([false, true, 3]);
});
