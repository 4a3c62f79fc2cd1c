import { stat } from "node:fs/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { call, response, say } from "../support/exchange.ts";
import { atTerminal } from "../support/terminal.ts";
import { command, oneTool, planOf, workspace } from "../support/workspace.ts";

const files = {
  "plan.yaml": planOf("./note.ts"),
  "note.ts": oneTool({
    name: "note",
    schema: "text: z.string()",
    body: `return data("noted " + params.text + " " + process.env.RUN);`,
  }),
};

test("call --record writes a tape of its owner, and --replay answers from it without the tool", async () => {
  const { run, folder } = await workspace(files);
  const note = (...words: string[]) =>
    run(["call", "plan.yaml", "note", "text=a", "--json", ...words], { env: { RUN: words[0] ?? "" } });
  const first = await note("--record", "calls.tape");
  const again = await note("--replay", "calls.tape");
  const over = await note("--record", "calls.tape");

  expect([first.code, again.code, again.stderr]).toEqual([0, 0, ""]);
  expect(again.json()).toMatchObject({ status: "ok", result: { data: "noted a --record" } });
  expect((await stat(`${folder}/calls.tape`)).mode & 0o777).toBe(0o600);
  expect([over.code, over.json()]).toMatchObject([1, { error: { code: "RECORD_FAILED" } }]);
});

test("call --replay reports how a call differs, and ends with 1", async () => {
  const { here: run } = await workspace(files);
  await run(["call", "plan.yaml", "note", "text=a", "--record", "calls.tape"]);
  const other = await run(["call", "plan.yaml", "note", "text=b", "--replay", "calls.tape"]);
  const both = await run(["call", "plan.yaml", "note", "text=b", "--replay", "calls.tape", "--record", "x"]);

  expect(other.code).toBe(1);
  expect(other.stderr).toContain('replay differs: call 1: note: text is "b", was "a"');
  expect(both.code).toBe(2);
});

test("what a server over HTTP recorded is replayed to an MCP client, without the tool", async () => {
  const { folder } = await workspace(files);
  const terminal = atTerminal(["serve", "plan.yaml", "--http", "127.0.0.1:0", "--record", "served.tape"], {
    cwd: folder,
    columns: 240,
    env: { RUN: "first" },
  });
  const screen = await terminal.until(/page +http/);
  const [, url = ""] = /serving (http\S+)/.exec(screen) ?? [];
  const [, token = ""] = /call +(tm_\S+)/.exec(screen) ?? [];
  await fetch(`${url}/api/v1/hosts/default/calls`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ tool: "note", arguments: { text: "a" } }),
  });
  terminal.hangUp();
  await terminal.ended;

  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  onTestFinished(() => client.close());
  const args = [...command, "serve", "--stdio", "plan.yaml", "--replay", "served.tape"];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: "ignore" }),
  );
  const note = (text: string) => client.callTool({ name: "note", arguments: { text } });

  expect((await note("a")).content).toEqual([{ type: "text", text: "noted a first" }]);
  expect(JSON.stringify(await note("a"))).toContain("REPLAY_MISMATCH");
});

test("a tape is for one plan: --also with --record is refused", async () => {
  const { here: run } = await workspace(files);
  const ended = await run([
    "serve",
    "plan.yaml",
    "--http",
    "--also",
    "b=plan.yaml",
    "--record",
    "calls.tape",
  ]);
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining("leave --also out")]);
});

test("run --record keeps the model's answers, too: the same file answers the turn again", async () => {
  const { here: run, read } = await workspace({
    ...files,
    "exchange.json": JSON.stringify([
      response(call("c1", "note", { text: "hello", password: "hunter-2" })),
      response(say("It is noted.")),
    ]),
  });
  const turn = (...words: string[]) => run(["run", "plan.yaml", ...words, "note hello"]);
  const first = await turn("--model", "replay:exchange.json", "--record", "turn.tape");
  const again = await turn("--model", "replay:turn.tape", "--replay", "turn.tape");
  await run(["call", "plan.yaml", "note", "text=a", "--record", "calls.tape"]);
  const tape = await read("turn.tape");
  const silent = await turn("--model", "replay:calls.tape");

  expect(first.code, first.stderr).toBe(0);
  expect(again.code, again.stderr).toBe(0);
  expect(again.stdout).toContain("It is noted.");
  expect(tape).not.toContain("hunter-2");
  expect(silent.stderr).toContain("has no answers of a model; record it with toolmount run --record");
});

test("replay: in a plan's tests makes the calls of a tape again, and notices a changed rule and tool", async () => {
  const plan = (policy: string) => `${planOf("./note.ts")}${policy}tests:\n  - replay: calls.tape\n`;
  const allow = "policy:\n  rules:\n    - { match: { tool: note }, answer: allow }\n";
  const { here: run, write } = await workspace({ ...files, "plan.yaml": plan(allow) });
  const missing = await run(["test", "plan.yaml"]);
  await run(["call", "plan.yaml", "note", "text=a", "--record", "calls.tape"]);
  const same = await run(["test", "plan.yaml", "--mutate"]);
  await write("plan.yaml", plan(allow.replace("allow", "deny")));
  const denied = await run(["test", "plan.yaml"]);
  await write("plan.yaml", plan("").replace("replay: calls.tape", "replay: 5"));
  const wrong = await run(["test", "plan.yaml"]);

  expect([missing.code, missing.stdout]).toEqual([1, expect.stringContaining("calls.tape")]);
  expect([same.code, same.stdout]).toEqual([
    0,
    expect.stringMatching(/replay calls\.tape: 1 call\n[^]*1 mutant, 0 not noticed/),
  ]);
  expect([denied.code, denied.stdout]).toEqual([
    1,
    expect.stringContaining("note: it ended as DENIED, was ok"),
  ]);
  expect([wrong.code, wrong.stderr]).toEqual([78, expect.stringContaining("relative to the plan")]);
});
