import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, response, say } from "../support/exchange.ts";
import { png } from "../support/png.ts";
import { atTerminal, keys, ready } from "../support/terminal.ts";
import { oneTool, planOf, workspace, type Ended } from "../support/workspace.ts";

const write = oneTool({
  name: "write",
  confirm: "true",
  body: `const { appendFileSync } = await import("node:fs"); appendFileSync("written.txt", "x"); return data("written");`,
});
const go = (file: string) => ["run", "--session", "s1", "--model", `replay:${file}`, "go"];
const resume = (...words: string[]) => ["sessions", "resume", "s1", ...words];
const waiting = ({ stdout }: Ended) => (JSON.parse(stdout) as { waiting: { id: string }[] }).waiting;

test("after sessions resume --cancel its question is gone from approvals, and cannot be approved", async () => {
  const { here: run } = await workspace({
    "mount-plan.yaml": planOf("./write.ts"),
    "write.ts": write,
    "one.json": JSON.stringify([response(call("c1", "write"))]),
  });
  expect((await run(go("one.json"))).code).toBe(3);
  const [question] = waiting(await run(["approvals", "list", "--json"]));
  const cancelled = await run(resume("--model", "replay:one.json", "--cancel"));
  expect(cancelled.stderr).toContain("cancelled");

  expect(waiting(await run(["approvals", "list", "--json"]))).toEqual([]);
  expect((await run(["approvals", "approve", question!.id, "--json"])).json()).toMatchObject({
    error: { code: "APPROVAL_DECIDED" },
  });
});

test("a session that waits: run names the commands, and chat asks the open question again", async () => {
  const { folder, here: run } = await workspace({
    "mount-plan.yaml": planOf("./write.ts"),
    "write.ts": write,
    "one.json": JSON.stringify([response(call("c1", "write"))]),
    "two.json": JSON.stringify([response(say("Not written.")), response(say("Two."))]),
  });
  expect((await run(go("one.json"))).code).toBe(3);
  const more = await run(["run", "--session", "s1", "--model", "replay:two.json", "never mind"]);
  expect(more.code).toBe(1);
  expect(more.stderr).toContain("end it with toolmount sessions resume s1 --cancel");

  const piped = await run(["chat", "--session", "s1", "--model", "replay:two.json"], { input: "hello\n" });
  expect(piped.code, piped.stderr).toBe(3);
  expect(piped.stdout + piped.stderr).toContain("write waits for a person: toolmount approvals list");

  const words = ["chat", "--session", "s1", "--model", "replay:two.json"];
  const terminal = atTerminal(words, { cwd: folder });
  expect(await terminal.until(ready)).toContain("Approve write?");
  terminal.press(keys.enter); // no
  await terminal.until(/Not written\.[\s\S]*You ›/);
  terminal.press("what is 1 + 1?", keys.enter);
  await terminal.until(/Two\.[\s\S]*You ›/);
  terminal.press(keys.ctrlD);
  expect(await terminal.ended, terminal.text()).toBe(0);
});

test("chat: a question that is left for later is denied by the next message, which the model reads", async () => {
  const {
    folder,
    here: run,
    read,
  } = await workspace({
    "mount-plan.yaml": planOf("./write.ts"),
    "write.ts": write,
    "one.json": JSON.stringify([response(call("c1", "write")), response(say("Blue, then."))]),
  });
  await writeFile(join(folder, "dot.png"), png);
  const terminal = atTerminal(["chat", "--session", "s1", "--model", "replay:one.json"], { cwd: folder });
  await terminal.until(/You ›/);
  terminal.press("write it", keys.enter);
  expect(await terminal.until(ready)).toContain("Run write?");
  terminal.press("l");
  await terminal.until(/what you write now denies the calls that wait[\s\S]*You ›/);
  terminal.press("as in @dot.png", keys.enter);
  await terminal.until(/an image cannot go with a message that denies calls[\s\S]*You ›/);
  terminal.press("in blue instead", keys.enter);
  await terminal.until(/Blue, then\.[\s\S]*You ›/);
  terminal.press(keys.ctrlD);

  expect(await terminal.ended, terminal.text()).toBe(0);
  expect(waiting(await run(["approvals", "list", "--json"]))).toEqual([]);
  expect((await run(["sessions", "show", "s1"])).stdout).toContain("in blue instead");
  await expect(read("written.txt")).rejects.toThrow("ENOENT");
});

test("a run whose sub-agent waits ends with 3 and the next command; resuming the parent reaches the sub-agent", async () => {
  const { run, read } = await workspace({
    "mount-plan.yaml": `${planOf("./write.ts", "delegate")}agent:
  model: m
  agents: { helper: { description: Helps in tests. } }
`,
    "write.ts": write,
    "one.json": JSON.stringify([
      response(call("c1", "delegate", { agent: "helper", instruction: "write it" })),
      response(call("k1", "write")),
    ]),
    "two.json": JSON.stringify([response(say("the helper wrote it")), response(say("all done"))]),
  });
  const paused = await run(go("one.json"));
  expect(paused.code, paused.stdout + paused.stderr).toBe(3);
  expect(paused.stdout).not.toContain("✔ ok delegate");
  expect(paused.stdout + paused.stderr).toContain("toolmount approvals list");
  expect(paused.stderr).toContain("resume with: toolmount sessions resume s1");

  const [question] = waiting(await run(["approvals", "list", "--json"]));
  expect((await run(["approvals", "approve", question!.id])).code).toBe(0);
  const done = await run(resume("--model", "replay:two.json"));
  expect(done.code, done.stdout + done.stderr).toBe(0);
  expect(done.stdout).toContain("all done");
  expect(await read("written.txt")).toBe("x");
});

test("what a sub-agent does is indented below the call that runs it, at a terminal and as events", async () => {
  const exchange = [
    response(call("c1", "delegate", { agent: "helper", instruction: "look" })),
    response(call("c2", "look")),
    response(say("It is there.")),
    response(say("The helper found it.")),
  ];
  const { folder, here: run } = await workspace({
    "mount-plan.yaml": `${planOf("./look.ts", "delegate")}agent:
  model: replay
  agents:
    helper: { description: "Looks." }
`,
    "look.ts": oneTool({ name: "look", body: "return data(params);" }),
    "exchange.json": JSON.stringify(exchange),
  });
  const words = ["run", "--model", "replay:exchange.json", "Find it"];
  const terminal = atTerminal(words, { cwd: folder, columns: 80 });
  expect(await terminal.ended, terminal.text()).toBe(0);
  const events = (await run([...words, "--json"])).stdout
    .trimEnd()
    .split("\n")
    .map(
      (line) => JSON.parse(line) as { type: string; agent?: string; event?: { type: string; tool?: string } },
    );

  expect(terminal.text()).toMatch(
    /^ {2}→ delegate .*\n {4}agent helper\n {6}→ look \{\}\n {6}✔ ok look \d+ ms\n {2}✔ ok delegate/m,
  );
  expect(terminal.text()).not.toContain("⠋");
  expect(
    events.filter(({ type }) => type === "agent").map(({ agent, event }) => [agent, event?.type]),
  ).toEqual(
    expect.arrayContaining([
      ["helper", "begin"],
      ["helper", "tool_call"],
      ["helper", "tool_result"],
      ["helper", "done"],
    ]),
  );
});
