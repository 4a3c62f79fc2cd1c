// What a client sees of the server behind one gateway: each question is answered by yes, no, or how it is cut.
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { setTimeout as delay } from "node:timers/promises";

const patienceMs = 15_000;

/** Connects as a client of 2025-11-25 that answers what it is asked. */
export async function connect({ command, url, isSse, token, cwd, env }) {
  const client = new Client(
    { name: "peers", version: "1.0.0" },
    {
      versionNegotiation: { mode: "legacy" },
      capabilities: { elicitation: { form: {} }, sampling: {} },
      listChanged: {
        tools: { autoRefresh: false, onChanged: () => (client.changes = (client.changes ?? 0) + 1) },
      },
    },
  );
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "ada" } }));
  client.setRequestHandler("sampling/createMessage", () => ({
    model: "a model",
    role: "assistant",
    content: { type: "text", text: "four" },
  }));
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const Transport = isSse === true ? SSEClientTransport : StreamableHTTPClientTransport;
  const transport =
    command === undefined
      ? new Transport(new URL(url), { requestInit: { headers } })
      : new StdioClientTransport({ command: command[0], args: command.slice(1), cwd, env, stderr: "ignore" });
  await client.connect(transport, { timeout: 30_000 });
  return client;
}

/** The columns of the table, in order. Each resolves to true where the client gets what the server gave. */
export const questions = {
  instructions: async ({ client }) => client.getInstructions()?.includes("Echo before you fail.") === true,
  "`_meta` of a result": async ({ call }) => {
    const { _meta: meta } = await call("meta");
    return meta?.["com.example/deep"]?.list.length === 3;
  },
  "image of a failure": async ({ call }) =>
    (await call("failed")).content.some(({ type }) => type === "image"),
  "data of a failure": async ({ call }) => (await call("failed")).structuredContent?.code === "E_BUTTON",
  "900 kB of data": async ({ call }) => (await call("rows")).structuredContent?.rows.length === 20_000,
  "1 MB of text": async ({ client, call }) => {
    const { content } = await call("long");
    if (content[0].text.length === 1_000_000) return true;
    const { uri } = content.find(({ type }) => type === "resource_link");
    return (await client.readResource({ uri })).contents[0].text.length === 1_000_000 && "by a link";
  },
  elicitation: async ({ call }) => (await call("elicit")).content[0].text === '{"name":"ada"}',
  sampling: async ({ call }) => (await call("sample")).content[0].text === "four",
  progress: async ({ call }) => {
    const seen = [];
    await call("progress", {}, { onprogress: ({ progress }) => seen.push(progress) });
    return seen.join() === "1,2,3";
  },
  cancellation: async ({ call }) => {
    const controller = new AbortController();
    const waiting = call("wait", {}, { signal: controller.signal }).catch(() => {});
    await delay(500);
    controller.abort();
    await waiting;
    await delay(500);
    return (await call("cancelled")).content[0].text === "1";
  },
  prompts: async ({ client }) => {
    const { prompts } = await client.listPrompts();
    const { name } = prompts.find((prompt) => prompt.name.endsWith("review"));
    return (await client.getPrompt({ name })).messages[0].content.text === "Review it.";
  },
  resources: async ({ client }) => {
    const { resources } = await client.listResources();
    const { uri } = resources.find((resource) => resource.name.endsWith("A note"));
    return (await client.readResource({ uri })).contents[0].text === "a note";
  },
  "changed lists": async ({ client, call }) => {
    await call("widen");
    for (let round = 0; round < 20 && client.changes === undefined; round++) await delay(100);
    const { tools } = await client.listTools();
    return client.changes !== undefined && tools.some(({ name }) => name.endsWith("added"));
  },
  "after its death": async ({ client, call, startsServer }) => {
    if (!startsServer) return "–";
    await call("die").catch(() => {});
    for (let round = 0; round < 10; round++) {
      const answer = await call("echo", { text: "back" }, { timeout: 2_000 }).catch(() => undefined);
      if (answer?.content[0]?.text === "back" && answer.isError !== true) return true;
      if (client.transport === undefined) return false;
      await delay(300);
    }
    return false;
  },
};

/** The prefix that a gateway puts before the names of the server's tools. Some list them only a while after they listen. */
export async function prefixOf(client) {
  for (let round = 0; round < 40; round++) {
    const { tools } = await client.listTools();
    const echo = tools.find(({ name }) => name.endsWith("echo"));
    if (echo !== undefined) return echo.name.slice(0, -"echo".length);
    await delay(500);
  }
  throw new Error("the tools of the server are not listed");
}

/** Asks all questions, one after the other. What throws, or is not answered, is no. */
export async function probe(client, startsServer) {
  const prefix = await prefixOf(client);
  const call = (name, args = {}, options = {}) =>
    client.callTool({ name: prefix + name, arguments: args }, { timeout: patienceMs, ...options });
  const seen = {};
  for (const [question, ask] of Object.entries(questions)) {
    const late = delay(2 * patienceMs, false, { ref: false });
    seen[question] = await Promise.race([ask({ client, call, startsServer }).catch(() => false), late]);
  }
  return seen;
}
