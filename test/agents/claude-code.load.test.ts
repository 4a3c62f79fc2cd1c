import { query, createSdkMcpServer } from "@anthropic-ai/claude-agent-sdk";
import { toClaudeAgentTools } from "@toolmount/interop";
import type { Host } from "@toolmount/core";
import { anthropicApi } from "@toolmount/testing/providers";
import { expect, test } from "vitest";
import { installed } from "./support/published.ts";
import { agentWorld } from "./support/world.ts";

const calls = [
  { id: "toolu_1", name: "mcp__tm__read_note", arguments: '{"id":"n-1"}' },
  { id: "toolu_2", name: "mcp__tm__wipe", arguments: '{"folder":"old"}' },
];

/** Claude Code's requests are its own: only what it says of our tools is looked at. */
const lenient = { ...anthropicApi, check: () => [] };

async function world() {
  const program = await installed("claude-code");
  const made = await agentWorld(lenient, (_, request) => {
    const text = JSON.stringify(request["messages"]);
    if (text.includes("has ended. Its result")) return { text: "The folder is gone." };
    if (text.includes("waiting for a person")) return { text: "I wait." };
    return { calls: [calls[text.includes("note n-1") ? 1 : 0]!] };
  });
  const origin = new URL(made.server.baseUrl).origin;
  const run = async (host: Host, prompt: string, resume?: string) => {
    const agent = toClaudeAgentTools(host, host.tools(), { sessionId: "s", userId: "ann" });
    const server = createSdkMcpServer({ name: "tm", version: "1.0.0", tools: agent.tools, alwaysLoad: true });
    let last = { text: "", sessionId: "" };
    for await (const message of query({
      prompt,
      options: {
        model: "m",
        pathToClaudeCodeExecutable: program,
        mcpServers: { tm: server },
        allowedTools: ["mcp__tm__*"],
        tools: [],
        settingSources: [],
        cwd: made.folder,
        ...(resume !== undefined && { resume }),
        env: {
          ...process.env,
          HOME: made.folder,
          ANTHROPIC_BASE_URL: origin,
          ANTHROPIC_API_KEY: "k",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        },
      },
    }))
      if (message.type === "result" && message.subtype === "success")
        last = { text: message.result, sessionId: message.session_id };
    return { ...last, agent };
  };
  return { ...made, run };
}

test("in Claude Code, a call that asks waits; it is answered in another process, and its result is the next prompt", async () => {
  const { open, decide, ran, run, server } = await world();
  const first = await run(await open(), "Read the note, then wipe the folder.");
  expect(first.text).toBe("I wait.");
  expect(first.agent.waiting()).toEqual(["toolu_2"]);
  expect(ran).toEqual(["read n-1"]);
  expect(await first.agent.resume()).toBeNull();
  const listed = server.requests[0]!["tools"] as { name: string; input_schema: object }[];
  expect(listed.find(({ name }) => name === "mcp__tm__wipe")!.input_schema).toMatchObject({
    properties: { folder: { type: "string" } },
    required: ["folder"],
  });
  expect(JSON.stringify(server.requests)).toContain("iVBORw0KGgo");
  expect(await decide()).toBe("wipe");

  const host = await open();
  const prompt = await toClaudeAgentTools(host, host.tools(), { sessionId: "s", userId: "ann" }).resume();
  expect((await run(host, prompt!, first.sessionId)).text).toBe("The folder is gone.");
  expect(ran).toEqual(["read n-1", "wipe old"]);
});
