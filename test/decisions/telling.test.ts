import { createMemoryStore, data, type Coordinator } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  aptixSource,
  amplifierSource,
  mounting,
  native,
  onePlan,
  opened,
  refused,
} from "../support/decisions-world.ts";

const filePlan = "version: 1\ntools:\n  - module: ./tool.js\n";

test.each(["autonomous", "cautious", "standard", "paranoid"])(
  "FORGE-18, C20, C21: at level %s a tool without a classification is asked about from standard up, one that confirms always",
  async (level) => {
    const plan = `version: 1\npolicy: { level: ${level} }\ntools:\n  - module: ./tool.js\n  - module: m\n`;
    const files = { "tool.js": amplifierSource("return {};") };
    const confirms = native(() => data(1), { name: "confirms", requiresConfirmation: true });
    const { host } = await opened(plan, { m: mounting(confirms) }, { files, store: createMemoryStore() });
    const [, probe] = host.tools();

    expect(probe).toMatchObject({ name: "probe", origin: "amplifier" });
    expect(probe).not.toHaveProperty("category");
    expect((await host.call({ name: "confirms" })).status).toBe("pending");
    expect((await host.call({ name: "probe" })).status).toBe(
      ["standard", "paranoid"].includes(level) ? "pending" : "ok",
    );
  },
);

test("C21: a plan with an unknown level does not open", async () => {
  const { problems } = await refused(`version: 1\npolicy: { level: bold }\n${onePlan.slice(11)}`, {
    m: mounting(native(() => data(1))),
  });

  expect(problems).toMatchObject([{ path: "policy.level" }]);
});

test("C22: a handler of an Amplifier module on tool:pre that fails stops the call; on other events a failing handler has no effect", async () => {
  const failing = (event: string) =>
    amplifierSource(
      "return { success: true, output: 1 };",
      `coordinator.hooks.register("${event}", async () => { throw new Error("ill"); });`,
    );
  const status = async (event: string) => {
    const { host } = await opened(filePlan, {}, { files: { "tool.js": failing(event) } });
    return (await host.call({ name: "probe" })).status;
  };

  expect(await status("tool:pre")).toBe("denied");
  expect(await status("tool:post")).toBe("denied");
  expect(await status("session:start")).toBe("ok");
});

describe("C23: who may emit the events of calls", () => {
  test.each(["tool:post", "approval:granted", "plan:mounted", "module:load_failed"])(
    "C23: %s of a module of ours is refused, of an Amplifier module dropped with a warning",
    async (event) => {
      const files = {
        "tool.js": amplifierSource("return {};", `await coordinator.hooks.emit("${event}", {});`),
      };
      const { lines, events, host } = await opened(filePlan, {}, { files });
      const own = {
        config: z.strictObject({}),
        mount: async (coordinator: Coordinator) => void (await coordinator.hooks.emit(event, {})),
      };

      expect(lines.some(({ level, fields }) => level === "warn" && fields["event"] === event)).toBe(true);
      await host.call({ name: "probe" });
      expect(events.names).toEqual(["tool:pre", "tool:post"]);
      expect((await refused(onePlan, { m: own })).problems).toHaveLength(1);
    },
  );

  test("C23: a call that waits is reported as pending, and ends once, after it was resumed", async () => {
    const { host, events } = await opened(
      onePlan,
      { m: mounting(native(() => data(1), { requiresConfirmation: true })) },
      { store: createMemoryStore() },
    );
    const { ticket = "", runId } = await host.call({ name: "probe" }, { sessionId: "s" });
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, { decision: "approve" }, "ada");
    await host.resume(ticket, { sessionId: "s" });
    const seen = events.events.filter(({ event }) => event.startsWith("tool:"));

    expect(seen.map(({ event }) => event)).toEqual(["tool:pre", "tool:pending", "tool:post"]);
    expect(new Set(seen.map(({ data: one }) => one["run_id"]))).toEqual(new Set([runId]));
  });
});

test("APTIX-20, APTIX-N2, C27: a tool of the client is pending with a ticket; its result is taken once, and from its own session only", async () => {
  const source = aptixSource("return {};").replace(
    "IsToolFullyExecutedOnServer() { return true",
    "IsToolFullyExecutedOnServer() { return false",
  );
  const { host } = await opened(filePlan, {}, { files: { "tool.js": source }, store: createMemoryStore() });
  const { status, ticket = "" } = await host.call({ name: "agent_probe" }, { sessionId: "s" });

  expect(status).toBe("pending");
  await expect(host.resume(ticket, { sessionId: "other" }, { data: 7 })).rejects.toMatchObject({
    code: "TICKET_INVALID",
  });
  await expect(host.resume("none", { sessionId: "s" }, { data: 7 })).rejects.toMatchObject({
    code: "TICKET_INVALID",
  });
  expect((await host.resume(ticket, { sessionId: "s" }, { data: 7 })).result.data).toBe(7);
  await expect(host.resume(ticket, { sessionId: "s" }, { data: 8 })).rejects.toMatchObject({
    code: "TICKET_USED",
  });
});

test("AMP-N6, C33: a versionless plan of Amplifier's runs modules of that contract from disk, with its orchestrator and context", async () => {
  const single = (point: string, body: string) => `
export const __amplifier_module_type__ = "${point}";
export async function mount(coordinator, config) {
  coordinator.register_capability("config.of.${point}", config);
  await coordinator.mount("${point}", { ${body} });
}
`;
  const plan = `session:
  orchestrator: { module: ./loop.js, config: { max_turns: 1 } }
  context: { module: ./context.js }
context:
  config: { max_tokens: 9 }
tools:
  - module: ./tool.js
`;
  const tool = amplifierSource(
    'const context = coordinator.get("context"); await context.add_message({ role: "user", content: "hi" }); return { success: true, output: { of: coordinator.to_dict(), messages: await context.get_messages() } };',
  );
  const { host } = await opened(
    plan,
    { "@toolmount/reasoner": { mount: () => {} } },
    {
      files: {
        "loop.js": single("orchestrator", "async execute() { return 1; }"),
        "context.js": single(
          "context",
          "messages: [], async add_message(one) { this.messages.push(one); }, async get_messages() { return this.messages; }",
        ),
        "tool.js": tool,
      },
    },
  );

  expect((await host.call({ name: "probe" })).result.data).toMatchObject({
    of: { has_orchestrator: true, has_context: true },
    messages: [{ role: "user", content: "hi" }],
  });
  expect(host.coordinator.getCapability("config.of.orchestrator")).toEqual({ max_turns: 1 });
  expect(host.coordinator.getCapability("config.of.context")).toEqual({ max_tokens: 9 });
});
