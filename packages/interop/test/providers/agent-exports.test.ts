import { toAnthropicRunner, toClaudeAgentTools, toGeminiCallable } from "@toolmount/interop";
import { expect, test } from "vitest";
import { z } from "zod";
import { agentWorld, unseen } from "../support/agent-world.ts";

const context = { sessionId: "s" };
const description = (name: string) => `Tries to ${name}. Use in tests. Not for others.`;
const properties = { to: { type: "string" }, note: { type: "string" } };
const text = ["a letter", ...unseen].join("\n");
const png = { data: "aGVsbG8=", mimeType: "image/png" };
const pdf = { data: "JVBERi0x", mimeType: "application/pdf" };

/** The tools of a new host, by name. */
function toolsOf<Tool extends { readonly name: string }>(tools: readonly Tool[]) {
  return (name: string): Tool => tools.find((tool) => tool.name === name)!;
}

test("the Claude Agent SDK gets names, descriptions, a shape, and results in the words of MCP", async () => {
  const { host, ran } = agentWorld();
  const { tools, waiting } = toClaudeAgentTools(host, host.tools(), context);
  const tool = toolsOf(tools);

  expect(tools.map(({ name }) => name)).toEqual(["fail", "look", "pay", "scan"]);
  expect(tool("pay").description).toBe(description("pay"));
  expect(z.toJSONSchema(z.object(tool("pay").inputSchema))).toMatchObject({ properties, required: ["to"] });
  expect(await tool("look").handler({ to: "a" }, {})).toEqual({
    content: [{ type: "text", text: '{"seen":"a"}' }],
  });
  expect(await tool("scan").handler({ to: "a" }, undefined)).toEqual({
    content: [
      { type: "text", text },
      { type: "image", ...png },
      {
        type: "resource",
        resource: { uri: "file:///letters/a.pdf", mimeType: pdf.mimeType, blob: pdf.data },
      },
    ],
  });
  expect(await tool("fail").handler({ to: "a" }, { _meta: 1 })).toEqual({
    content: [{ type: "text", text: "Error: no paper [NO_PAPER]" }],
    isError: true,
  });
  expect(await tool("look").handler(undefined, undefined)).toEqual({
    content: [{ type: "text", text: "Error: to is required [INVALID_ARGUMENTS]" }],
    isError: true,
  });
  expect(waiting()).toEqual([]);
  expect(ran).toEqual(["look a", "scan a", "fail a"]);
});

test("a tool without arguments has an empty shape for the Claude Agent SDK", () => {
  const { host } = agentWorld();
  const info = { name: "now", description: "The time.", inputSchema: { type: "object" } };

  expect(toClaudeAgentTools(host, [info]).tools[0]?.inputSchema).toEqual({});
});

test("calls of the Claude Agent SDK that waited are the next prompt, under Claude Code's ids", async () => {
  const { host, decide } = agentWorld();
  const { tools, waiting, resume } = toClaudeAgentTools(host, host.tools(), context);
  const pay = toolsOf(tools)("pay").handler;
  const extra = (id: string) => ({ _meta: { "claudecode/toolUseId": id } });
  expect(await resume()).toBeNull();
  expect(await pay({ to: "ada" }, extra("p1"))).toEqual({
    content: [{ type: "text", text: 'Error: waiting for a person to approve "pay" [PENDING]' }],
    isError: true,
  });
  await pay({ to: "bob" }, extra("p2"));
  expect(waiting()).toEqual(["p1", "p2"]);
  await decide("approve");
  expect(await resume()).toBeNull();
  await decide("deny", "not today");

  const before = "which waited for a person, has ended. Its result:\n";
  expect((await resume())?.split("\n\n").toSorted()).toEqual([
    `The call p1 of pay, ${before}pay ada`,
    `The call p2 of pay, ${before}Error: "pay" was not run: not today [DENIED]`,
  ]);
  expect(waiting()).toEqual([]);
  // An id that is no text is not Claude Code's, so the call gets one of its own.
  await pay({ to: "eve" }, { _meta: { "claudecode/toolUseId": 7 } });
  expect(waiting()).toEqual([expect.stringMatching(/^[\da-f-]{36}$/)]);
});

test("a signal of the Claude Agent SDK cancels its call; what is no signal is left alone", async () => {
  const { host } = agentWorld();
  const { handler } = toolsOf(toClaudeAgentTools(host, host.tools(), context).tools)("look");

  expect(await handler({ to: "a" }, { signal: AbortSignal.abort() })).toMatchObject({ isError: true });
  expect(await handler({ to: "a" }, { signal: "stop" })).not.toHaveProperty("isError");
});

test("Gemini's client gets declarations, a response for each call in order, and images and files after all of them", async () => {
  const { host, ran } = agentWorld();
  const callable = toGeminiCallable(host, host.tools(), context);
  const { functionDeclarations } = await callable.tool();
  expect(functionDeclarations.find(({ name }) => name === "pay")).toMatchObject({
    description: description("pay"),
    parametersJsonSchema: { type: "object", properties, required: ["to"] },
  });

  const parts = await callable.callTool([
    { name: "scan", args: { to: "a" } },
    { id: "g2", name: "fail", args: { to: "b" } },
    { id: "g3", name: "look", args: { to: "c" } },
  ]);
  expect(parts).toEqual([
    { functionResponse: { name: "scan", response: { output: "a letter", content: unseen } } },
    { functionResponse: { id: "g2", name: "fail", response: { error: "no paper" } } },
    { functionResponse: { id: "g3", name: "look", response: { output: { seen: "c" } } } },
    { inlineData: png },
    { inlineData: pdf },
  ]);
  expect(ran.toSorted()).toEqual(["fail b", "look c", "scan a"]);
});

test("a call of Gemini's that waits says its id; resume runs it in its place, keeps the rest, and cuts what came after", async () => {
  const { host, decide, open, ran } = agentWorld();
  const callable = toGeminiCallable(host, host.tools(), context);
  const calls = [
    { name: "look", args: { to: "a" } },
    { name: "pay", args: { to: "ada" } },
    { id: "g3", name: "pay", args: { to: "bob" } },
  ];
  const parts = await callable.callTool(calls);
  const waits = (id: unknown) => ({ error: 'waiting for a person to approve "pay"', waitingCall: id });
  expect(parts).toEqual([
    { functionResponse: { name: "look", response: { output: { seen: "a" } } } },
    { functionResponse: { name: "pay", response: waits(expect.stringMatching(/^[\da-f-]{36}$/)) } },
    { functionResponse: { id: "g3", name: "pay", response: waits("g3") } },
  ]);

  const prompt = { role: "user", parts: [{ text: "pay both" }] };
  const asked = {
    role: "model",
    parts: [{ text: "I pay." }, ...calls.map((functionCall) => ({ functionCall }))],
  };
  const answered = { role: "user", parts: [{ text: "see" }, ...parts, { inlineData: png }] };
  const contents = [prompt, asked, answered, { role: "model", parts: [{ text: "I wait." }] }];
  const there = open();
  const { resume } = toGeminiCallable(there, there.tools(), context);
  expect(await resume(contents)).toBeNull();
  await decide("approve");
  expect(await resume(contents)).toBeNull();
  // A result that the contents cannot hold yet would be lost, so the approved call has not run.
  expect(ran).toEqual(["look a"]);
  await decide("deny", "not today");

  expect(await resume(contents)).toEqual([
    prompt,
    asked,
    {
      role: "user",
      parts: [
        parts[0],
        { functionResponse: { name: "pay", response: { output: "pay ada" } } },
        { functionResponse: { id: "g3", name: "pay", response: { error: '"pay" was not run: not today' } } },
        { text: "see" },
        { inlineData: png },
      ],
    },
  ]);
  expect(ran).toEqual(["look a", "pay ada"]);
});

test("a call of Gemini's that another host asked about is asked about again", async () => {
  const { host } = agentWorld();
  const { resume } = toGeminiCallable(host, host.tools(), context);
  const waiting = (name: string) => ({ functionResponse: { name, response: { waitingCall: `to ${name}` } } });
  const contents = (name: string) => [
    { role: "model", parts: [{ functionCall: { id: `to ${name}`, name, args: { to: "ada" } } }] },
    { role: "user", parts: [waiting(name)] },
  ];

  expect(await resume(contents("pay"))).toBeNull();
  expect((await host.approvals.list()).map(({ tool }) => tool)).toEqual(["pay"]);
  const [, answer] = (await resume(contents("look")))!;
  expect(answer).toEqual({
    role: "user",
    parts: [{ functionResponse: { id: "to look", name: "look", response: { output: { seen: "ada" } } } }],
  });
});

test.each<[string, object[]]>([
  ["no contents", []],
  ["contents without a call", [{ role: "user", parts: [{ text: "hello" }] }]],
  ["contents without parts", [{ role: "user" }, { role: "model", parts: "text" }]],
  [
    "parts of another form",
    [{ parts: [] }, { parts: [null, "text", { functionResponse: { response: "no" } }] }],
  ],
  [
    "a response that waits without the call before it",
    [{ parts: [{ functionResponse: { response: { waitingCall: "a" } } }] }],
  ],
])("there is nothing to resume for Gemini in %s", async (_, contents) => {
  const { host } = agentWorld();

  expect(await toGeminiCallable(host, host.tools(), context).resume(contents)).toBeNull();
});

test("the tool runner of Anthropic gets blocks, an error for a failure, and knows which calls wait", async () => {
  const { host, decide, ran } = agentWorld();
  const { tools, waiting } = toAnthropicRunner(host, host.tools(), context);
  const tool = (name: string) => tools.find((one) => one.name === name)!;
  const use = (id: string, signal?: AbortSignal) => ({ toolUse: { id }, signal });
  const { run, parse, ...pay } = tool("pay");

  expect(pay).toEqual({
    name: "pay",
    description: description("pay"),
    input_schema: { type: "object", properties, required: ["to"], additionalProperties: false },
  });
  expect(parse("as it is")).toBe("as it is");
  expect(await tool("scan").run({ to: "a" })).toEqual([
    { type: "text", text },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "aGVsbG8=" } },
    {
      type: "document",
      title: "a.pdf",
      source: { type: "base64", media_type: "application/pdf", data: "JVBERi0x" },
    },
  ]);
  await expect(tool("fail").run({ to: "a" })).rejects.toThrow(/^no paper \[NO_PAPER\]$/);
  await expect(run(undefined)).rejects.toThrow(/^to is required \[INVALID_ARGUMENTS\]$/);
  await expect(run({ to: "a" }, use("r0", AbortSignal.abort()))).rejects.toThrow("[CANCELLED]");
  expect(waiting()).toEqual([]);
  await expect(run({ to: "ada" }, use("r1"))).rejects.toThrow(
    'waiting for a person to approve "pay" [PENDING]',
  );
  expect(waiting()).toEqual(["r1"]);
  await decide("approve");
  expect(await run({ to: "ada" }, use("r1"))).toEqual([{ type: "text", text: "pay ada" }]);
  expect(waiting()).toEqual([]);
  expect(ran).toEqual(["scan a", "fail a", "pay ada"]);
});
