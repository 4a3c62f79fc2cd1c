import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { createHost, createMemoryStore, data, defineTool, type StateStore } from "@toolmount/core";
import { createToken, createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { createReasoner, settingsSchema } from "@toolmount/reasoner";
import { config, mount } from "@toolmount/tool-program";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const source = `
const prices = await Promise.all([1, 2, 3].map((n) => tools.price({ n })));
const sum = prices.reduce((all, one) => all + one, 0);
return await tools.order({ sum });
`;

/** A host with programs, a tool that reads and one that orders. `dies`: its orders never end, as if the process had died. */
async function world(store: StateStore, did: string[], { asks = false, dies = false } = {}) {
  const host = createHost({ store });
  onTestFinished(() => void host.close({ graceMs: 1 }));
  const common = { consequenceLevel: "low", requiresConfirmation: false } as const;
  const price = defineTool({
    ...common,
    name: "price",
    description: "Reads a price. Use in tests.",
    category: "read",
    schema: z.strictObject({ n: z.int() }),
    execute: ({ n }) => (did.push(`price ${n}`), data(n * 10)),
  });
  const order = defineTool({
    ...common,
    name: "order",
    description: "Orders. Use in tests.",
    category: "side_effect",
    requiresConfirmation: asks,
    schema: z.strictObject({ sum: z.number() }),
    async execute({ sum }) {
      did.push(`order ${sum}`);
      if (dies) await new Promise(() => {});
      return data({ ordered: sum });
    },
  });
  for (const tool of [price, order]) host.coordinator.mount("tools", tool);
  await mount(host.coordinator, config.parse({}));
  return host;
}

test("a program over HTTP waits for a person, who sees its line, and ends when the call is resumed", async () => {
  const did: string[] = [];
  const token = createToken();
  const host = await world(createMemoryStore(), did, { asks: true });
  const server = await serveHosts({
    hosts: { default: { host } },
    authenticate: createTokenCheck([
      { name: "me", sha256: hashToken(token), roles: ["call", "approve", "admin"] },
    ]),
    listen: { host: "127.0.0.1", port: 0 },
  });
  onTestFinished(() => server.close());
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}/api/v1/hosts/default/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, never>;
  };

  const waits = await ask("POST", "calls", { tool: "run_program", arguments: { source }, sessionId: "s" });
  expect(waits).toMatchObject({ status: "pending" });
  const { waiting } = await ask("GET", "approvals");
  const [question] = waiting as unknown as { id: string }[];
  expect(question).toMatchObject({
    tool: "order",
    arguments: { sum: 60 },
    place: { tool: "run_program", line: 4, code: "return await tools.order({ sum });", after: 3 },
  });
  await ask("POST", `approvals/${question!.id}/decision`, { decision: "approve" });
  const done = await ask("POST", "resume", { ticket: waits["ticket"], sessionId: "s" });
  expect(done).toMatchObject({ status: "ok", result: { data: { result: { ordered: 60 }, calls: 4 } } });
  expect(did).toEqual(["price 1", "price 2", "price 3", "order 60"]);
});

test("a turn whose process dies in a program resumes: the program continues, and what may have run is not run again", async () => {
  const store = createMemoryStore();
  const did: string[] = [];
  const baseUrl = await serveModel();
  const open = async (options: { dies?: boolean }) => {
    const host = await world(store, did, options);
    host.coordinator.mount("session-store", store.sessions);
    const settings = settingsSchema.parse({ model: "m", stream: false, baseUrl, apiKey: "k" });
    return { host, reasoner: createReasoner(host.coordinator, { settings }) };
  };

  const first = await open({ dies: true });
  // Its turn hangs; if it continues, it finds that another process resumed the session.
  first.reasoner.run(first.host, { prompt: "order it", sessionId: "s" }).catch(() => {});
  await expect.poll(() => did).toEqual(["price 1", "price 2", "price 3", "order 60"]);

  const second = await open({});
  const turn = await second.reasoner.resume(second.host, { sessionId: "s" });
  expect(turn).toMatchObject({ status: "done", text: "done" });
  const { items } = await second.reasoner.show("s");
  const output = items.find(({ type }) => type === "function_call_output")?.["output"];
  expect(output).toContain('"order" was started, and it is not known whether it finished');
  expect(did).toEqual(["price 1", "price 2", "price 3", "order 60"]);
});

/** A model that runs the program, then says that it is done. */
async function serveModel(): Promise<string> {
  const server = createServer(async (request, answer) => {
    const { input } = (await json(request)) as { input: readonly { type: string }[] };
    const hasRun = input.some(({ type }) => type === "function_call_output");
    const call = { type: "function_call", id: "fc_1", call_id: "c1", name: "run_program" };
    const text = { type: "output_text", text: "done" };
    const output = hasRun
      ? { type: "message", role: "assistant", content: [text] }
      : { ...call, arguments: JSON.stringify({ source }) };
    answer.writeHead(200, { "content-type": "application/json" });
    answer.end(JSON.stringify({ id: "r", status: "completed", output: [output] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
