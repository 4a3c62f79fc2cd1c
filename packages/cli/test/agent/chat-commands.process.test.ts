import { expect, test, vi } from "vitest";
import { isChatCommand } from "../../src/agent/chat-commands.ts";
import { response, say } from "../support/exchange.ts";
import { atTerminal, keys } from "../support/terminal.ts";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 120_000 });

const echo = oneTool({ name: "echo", schema: "text: z.string()", body: "return data(params.text);" });
const modes = `modes:
  catalog:
    - { key: general, displayName: General, isDefault: true }
    - { key: quiet, displayName: Quiet, tools: ["!echo"] }
`;
const replay = ["--model", "replay:exchange.json", "--session", "s1"];

function agent(files: Record<string, string>, ...exchange: object[]) {
  return workspace({
    "mount-plan.yaml": `${planOf("./echo.ts")}${modes}`,
    "echo.ts": echo,
    "exchange.json": JSON.stringify(exchange),
    ...files,
  });
}

test("an earlier text of several lines comes back with the arrow key, is changed, and is sent with the same lines", async () => {
  const { folder, here: run } = await agent({}, response(say("First.")), response(say("Second.")));
  const terminal = atTerminal(["chat", ...replay], { cwd: folder, columns: 80 });
  await terminal.until(/You ›/);
  terminal.press("one \\", keys.enter);
  await terminal.until(/ … ›/);
  terminal.press("two", keys.enter);
  await terminal.until(/First\.[\s\S]*You ›/);
  terminal.press(keys.up);
  await terminal.until(/First\.[\s\S]*You › one[\s\S]*two/);
  terminal.press("!", keys.enter);
  await terminal.until(/Second\.[\s\S]*You ›/);
  terminal.press(keys.ctrlD);

  expect(await terminal.ended, terminal.text()).toBe(0);
  const { stdout } = await run(["sessions", "show", "s1", "--json"]);
  const texts = JSON.stringify(JSON.parse(stdout));
  expect(texts).toContain(JSON.stringify("one \ntwo!").slice(1, -1));
  expect(texts).not.toContain("\\r");
});

test("lines with a slash are answered by the chat, and never sent to a model", async () => {
  const { folder, here: run } = await agent({}, response(say("Hello to you.")), response(say("A slash.")));
  const terminal = atTerminal(["chat", ...replay], { cwd: folder, columns: 80 });
  // Keys are pressed when the chat asks for them, and never while it still answers.
  await terminal.until(/\/help shows commands[\s\S]*You ›/);
  terminal.press("/help", keys.enter);
  await terminal.until(/\/approvals +show the questions[\s\S]*You ›/);
  terminal.press("/tools", keys.enter);
  await terminal.until(/echo +Does what a test wants[\s\S]*You ›/);
  terminal.press("/mode quiet", keys.enter);
  await terminal.until(/mode quiet\n[\s\S]*You ›/);
  terminal.press("/mode loud", keys.enter);
  await terminal.until(/MODE_UNKNOWN[\s\S]*You ›/);
  terminal.press("/halp", keys.enter);
  await terminal.until(/there is no command \/halp[\s\S]*You ›/);
  terminal.press("hello", keys.enter);
  await terminal.until(/Hello to you\.[\s\S]*You ›/);
  terminal.press("/cost", keys.enter);
  await terminal.until(/1 turn · 1 request · 3 \+ 2 tokens[\s\S]*You ›/);
  terminal.press("//etc is a folder", keys.enter);
  await terminal.until(/A slash\.[\s\S]*You ›/);
  terminal.press("/quit", keys.enter);

  expect(await terminal.ended, terminal.text()).toBe(0);
  const { stdout } = await run(["sessions", "show", "s1"]);
  expect(stdout.match(/^user: .*$/gm)).toEqual(["user: hello", "user: /etc is a folder"]);
});

test.each([
  ["/help", true],
  ["/mode quiet", true],
  ["/", true],
  ["//help", false],
  ["/etc/hosts is a file", false],
  [" /help", false],
  ["/help\nme", false],
  ["what is /help", false],
])("%j is a command: %s", (line, expected) => {
  expect(isChatCommand(line)).toBe(expected);
});

test("run reads the nearest AGENTS.md as instructions, and says so in its first line", async () => {
  const files = { "AGENTS.md": "Answer in one word.\n", "deep/er/x": "" };
  const { folder, here: run } = await agent(files, response(say("Yes.")));
  const words = ["run", "--model", "replay:../../exchange.json", "go", "--plan", "../../mount-plan.yaml"];
  const [read, left, json] = await Promise.all([
    run(words, { cwd: `${folder}/deep/er` }),
    run([...words, "--no-agents-md"], { cwd: `${folder}/deep/er` }),
    run([...words, "--json"], { cwd: `${folder}/deep/er` }),
  ]);

  expect(read.code, read.stderr).toBe(0);
  expect(read.stderr.split("\n")[0]).toMatch(
    /^instructions: .*AGENTS\.md, 20 bytes; --no-agents-md leaves them out$/,
  );
  expect(left.stderr).not.toContain("AGENTS.md");
  expect(json.stderr).not.toContain("AGENTS.md");
});

test("a file that is too large for instructions is refused", async () => {
  const { here: run } = await agent({ "AGENTS.md": "a".repeat(65_537) }, response(say("Yes.")));
  const { code, stderr } = await run(["run", ...replay, "go"]);

  expect([code, stderr]).toEqual([2, expect.stringContaining("has more than 65536 bytes")]);
});

test("a chat begins with the model of the plan, ours or Amplifier's", async () => {
  for (const named of [
    "version: 1\nagent: { model: m1, apiKey: none }",
    "session: { orchestrator: { module: loop-basic, config: { model: m1, api_key: none } } }",
  ]) {
    const { folder } = await agent({ "plan.yaml": `${named}\ntools: []\n` });
    const terminal = atTerminal(["chat", "--plan", "plan.yaml"], { cwd: folder, columns: 80 });
    await terminal.until(/You ›/);
    terminal.press(keys.ctrlD);

    expect(await terminal.ended, terminal.text()).toBe(0);
    expect(terminal.text()).toContain("model m1 · plan plan.yaml · 0 tools");
  }
});

test("--continue resumes the session that changed last, and shows how it ended", async () => {
  const { folder, here: run } = await agent({}, response(say("Hello to you.")));
  await run(["run", "--model", "replay:exchange.json", "--session", "older", "first"]);
  await run(["run", "--model", "replay:exchange.json", "--session", "newer", "second"]);
  const words = ["chat", "--continue", "--model", "replay:exchange.json"];
  const terminal = atTerminal(words, { cwd: folder, columns: 80 });
  await terminal.until(/You ›/);
  terminal.press("third \\", keys.enter);
  await terminal.until(/ … ›/);
  terminal.press("and more", keys.enter);
  await terminal.until(/tokens[\s\S]*You ›/);
  terminal.press(keys.ctrlD);

  expect(await terminal.ended, terminal.text()).toBe(0);
  expect(terminal.text()).toMatch(
    /model replay · plan mount-plan\.yaml · 1 tool: 1 run · session newer\n[\s\S]*resumed: second\nuser: second\nHello to you\.\nYou ›/,
  );
  const { stdout } = await run(["sessions", "show", "newer"]);
  expect(stdout).toContain("user: third \nand more");
  const both = await run(["chat", "--continue", "--session", "s", ...words.slice(2)]);
  expect(both).toMatchObject({ code: 2 });
});
