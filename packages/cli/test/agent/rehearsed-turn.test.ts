import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { call, response, say } from "../support/exchange.ts";
import { atTerminal, keys, ready } from "../support/terminal.ts";
import { workspace } from "../support/workspace.ts";

const tools = join(import.meta.dirname, "../../../../tools");
const plan = `version: 1
tools:
  - { module: filesystem, source: "file:${tools}/filesystem" }
state: sqlite:./state/state.db
`;

/** A model that gives these answers, one a request; `requests` has what it was sent. */
async function startModel(answers: readonly ReturnType<typeof response>[]) {
  const requests: { instructions?: string; input: readonly { role?: string; content?: unknown }[] }[] = [];
  const server = createServer(async (request, reply) => {
    requests.push((await json(request)) as (typeof requests)[number]);
    const completed = { type: "response.completed", ...answers[requests.length - 1]! };
    reply
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(`data: ${JSON.stringify(completed)}\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

/** A rehearsed turn of two changes at a terminal, whose list a person answers with a key. */
async function turn(last: readonly ReturnType<typeof response>[]) {
  const model = await startModel([
    response(call("c1", "write_file", { file_path: "a.txt", content: "A" })),
    response(call("c2", "delete_file", { path: "old.txt" })),
    response(say("I would write a.txt and delete old.txt.")),
    ...last,
  ]);
  const { folder } = await workspace({ "mount-plan.yaml": plan, "old.txt": "old" });
  const words = [
    "run",
    "--model",
    "m",
    "--base-url",
    model.url,
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
  const { terminal, requests, has } = await turn([response(say("a.txt is written, and old.txt is gone."))]);
  expect([has("a.txt"), has("old.txt")]).toEqual([false, true]);
  terminal.press("y");
  await terminal.until(/● y/);
  terminal.press(keys.enter);
  expect(await terminal.ended, terminal.text()).toBe(0);
  expect([has("a.txt"), has("old.txt")]).toEqual([true, false]);

  expect(requests).toHaveLength(4);
  const { instructions, input } = requests[3]!;
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
