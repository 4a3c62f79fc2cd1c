import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createCancellation, createMemoryStore, failure, type ToolOutcome } from "@toolmount/core";
import * as interop from "@toolmount/interop";
import { forgeProfile } from "@toolmount/interop";
import { createReasoner, settingsSchema } from "@toolmount/reasoner";
import { checkToolModule } from "@toolmount/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { forgeSource, mounting, native, onePlan, opened, refused } from "../support/decisions-world.ts";
import { mountAll, readToolPackages } from "../support/shipped-tools.ts";

/** Shipped names that another contract or host published first, and which one. */
const published: Readonly<Record<string, string>> = {
  agent_change_mode: "Aptix",
  agent_hello_world: "Aptix",
  agent_list_modes: "Aptix",
  bash: "Amplifier",
  bash_list: "Amplifier's bash",
  bash_output: "Claude Code",
  bash_stop: "Amplifier's bash",
  delegate: "Amplifier",
  glob: "Amplifier",
  grep: "Amplifier",
  multi_edit_file: "Amplifier",
  testing_calculator: "Aptix",
  testing_delay: "Aptix",
  testing_failure_injection: "Aptix",
  testing_ping_pong: "Aptix",
  todo: "Amplifier",
  tool_search: "Aptix",
  web_fetch: "Amplifier",
  web_search: "Amplifier",
};
const verbNoun = /^(?:activate|create|delete|describe|edit|list|move|read|run|write)_[a-z]+(?:_[a-z]+)*$/;

describe("FORGE-3: names are a verb and a noun", () => {
  test("FORGE-3: of each shipped tool, unless another contract published the name; the exceptions are exact", async () => {
    const names = (await mountAll(await readToolPackages())).tools().map(({ name }) => name);

    expect(names.filter((name) => !verbNoun.test(name)).toSorted()).toEqual(Object.keys(published));
  });

  test.each([
    ["get_weather", []],
    ["weather", ["name_verb_noun"]],
  ])("FORGE-3: the validator of Tool-Forge's definitions judges %s", async (name, rules) => {
    const report = await checkToolModule(mounting({ ...(await definition()), name }), {
      profiles: [forgeProfile],
      extensions: [interop],
    });

    expect(report.findings.map(({ rule }) => rule).filter((rule) => rule === "name_verb_noun")).toEqual(
      rules,
    );
  });
});

async function definition(fields: object = {}) {
  return {
    name: "get_probe",
    description: "Probes the station. Use when the user asks for a probe. Not for anything else.",
    schema: z.object({ at: z.string().describe("A place") }),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    version: "1.0.0",
    status: "active",
    execute: async () => ({ tool: "get_probe", fetchedAt: new Date().toISOString(), data: 1 }),
    ...fields,
  };
}

describe("FORGE-6: the category is one of four", () => {
  test.each(["read", "write", "delete", "side_effect"])(
    "FORGE-6: %s is accepted and listed",
    async (category) => {
      const { host } = await opened(onePlan, {
        m: mounting(native(() => 1, { category: category as never })),
      });

      expect(host.tools()).toMatchObject([{ category }]);
    },
  );

  test.each(["analysis", "READ", "", 7, null])("FORGE-6: %j is refused", async (category) => {
    const { problems } = await refused(onePlan, {
      m: mounting(native(() => 1, { category: category as never })),
    });

    expect(JSON.stringify(problems)).toContain("category");
  });

  test("FORGE-6: a Tool-Forge definition with another category is refused, too", async () => {
    const files = { "tool.js": forgeSource("return 1;").replace('"read"', '"analysis"') };
    const { problems } = await refused("version: 1\ntools: [{ module: ./tool.js }]\n", {}, { files });

    expect(JSON.stringify(problems)).toContain("category");
  });
});

describe("FORGE-12, FORGE-N11: the version", () => {
  const check = async (fields: object) => {
    const report = await checkToolModule(mounting(await definition(fields)), {
      profiles: [forgeProfile],
      extensions: [interop],
    });
    return report.findings.map(({ rule }) => rule).filter((rule) => rule === "version_present");
  };

  test.each([["1.0.0"], ["2.10.3-beta.1"]])("FORGE-12: %s is listed with the tool", async (version) => {
    const { host } = await opened(onePlan, { m: mounting(native(() => 1, { version })) });

    expect(host.tools()).toMatchObject([{ version }]);
    expect(await check({ version })).toEqual([]);
  });

  test("FORGE-12: a native tool without a version mounts", async () => {
    const { host } = await opened(onePlan, { m: mounting(native(() => 1)) });

    expect(host.tools()[0]).not.toHaveProperty("version");
  });

  test("FORGE-N11: the validator asks a Tool-Forge definition for its version", async () => {
    expect(await check({ version: undefined })).toEqual(["version_present"]);
  });

  test.each(["1", "banana"])("FORGE-12: the version %s is refused", async (version) => {
    const files = { "tool.js": forgeSource("return 1;", `version: "${version}",`) };
    const { problems } = await refused("version: 1\ntools: [{ module: ./tool.js }]\n", {}, { files });

    expect(JSON.stringify(problems)).toContain("version");
  });
});

describe("FORGE-25: fetchedAt is set in every result", () => {
  const never = () => new Promise(() => {});
  const thrower = () => {
    throw new Error("boom");
  };
  const rows: [string, Parameters<typeof native>[0], object, ToolOutcome["status"]][] = [
    ["data", () => ({ data: 1 }), {}, "ok"],
    ["a failure", () => failure("no"), {}, "failed"],
    ["a throw", thrower, {}, "failed"],
    ["a result of a wrong shape", () => 7, {}, "unknown"],
    ["a timeout", never, { timeout: 20 }, "timed_out"],
    ["arguments that do not fit", () => 1, { schema: z.strictObject({ must: z.string() }) }, "invalid"],
    ["a question without an approver", () => 1, { requiresConfirmation: true }, "denied"],
    ["a call for the client", () => 1, { execution: "client" }, "pending"],
  ];

  test.each(rows)("FORGE-25: of %s", async (_, execute, fields, status) => {
    const store = fields && "execution" in fields ? { store: createMemoryStore() } : {};
    const { host } = await opened(onePlan, { m: mounting(native(execute, fields)) }, store);

    expectTime(await host.call({ name: "probe" }, { sessionId: "s" }), status);
  });

  test("FORGE-25: of an unknown tool, and of a cancelled call", async () => {
    const { host } = await opened(onePlan, { m: mounting(native(() => 1)) });
    const cancellation = createCancellation();
    cancellation.requestImmediate();

    expectTime(await host.call({ name: "gone" }), "not_found");
    expectTime(await host.call({ name: "probe" }, { cancellation }), "cancelled");
  });

  function expectTime(outcome: ToolOutcome, status: ToolOutcome["status"]) {
    expect(outcome.status).toBe(status);
    expect(new Date(outcome.result.fetchedAt).toISOString()).toBe(outcome.result.fetchedAt);
  }
});

describe("FORGE-N30: the loop over a model", () => {
  /** A model that streams: text and a call, again and again, or one line after `calls` calls. */
  async function serve(calls: number) {
    let asked = 0;
    const server = createServer((request, answer) => {
      request.resume();
      answer.writeHead(200, { "content-type": "text/event-stream" });
      const last = asked >= calls;
      const id = `c${asked++}`;
      const message = {
        type: "message",
        id: "m",
        role: "assistant",
        content: [{ type: "output_text", text: "hi" }],
      };
      const call = { type: "function_call", id: `f${id}`, call_id: id, name: "probe", arguments: "{}" };
      const output = last ? [message] : [message, call];
      const events = [
        { type: "response.output_text.delta", item_id: "m", output_index: 0, content_index: 0, delta: "hi" },
        ...output.map((item, at) => ({ type: "response.output_item.done", output_index: at, item })),
        { type: "response.completed", response: { id: `r${id}`, status: "completed", output } },
      ];
      for (const event of events) answer.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      answer.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }

  async function turn(calls: number, fields: object, maxIterations = 10) {
    const { host } = await opened(
      onePlan,
      { m: mounting(native(() => ({ data: 1, warnings: ["careful"] }), fields)) },
      { store: createMemoryStore() },
    );
    const settings = settingsSchema.parse({ model: "m", baseUrl: await serve(calls), maxIterations });
    const events: Readonly<Record<string, unknown>>[] = [];
    const reasoner = createReasoner(host.coordinator, { settings });
    await reasoner.run(host, {
      prompt: "go",
      sessionId: "s",
      onEvent: (event) => void events.push(event),
    });
    return events;
  }

  test("FORGE-N30: after ten requests it ends with an error event, and then done", async () => {
    const events = await turn(Number.POSITIVE_INFINITY, {});

    expect(events.filter(({ type }) => type === "tool_call")).toHaveLength(10);
    expect(events.at(-2)).toMatchObject({ type: "error", code: "AGENT_REASONER_MAX_ITERATIONS_EXCEEDED" });
    expect(events.at(-1)).toMatchObject({ type: "done", result: { status: "failed" } });
  });

  test("FORGE-N30: its events have Tool-Forge's types", async () => {
    const types = new Set(
      [
        ...(await turn(1, {})),
        ...(await turn(1, { requiresConfirmation: true })),
        ...(await turn(9, {}, 1)),
      ].map(({ type }) => type),
    );

    expect([...types]).toEqual(
      expect.arrayContaining([
        "text",
        "text_delta",
        "tool_call",
        "tool_result",
        "tool_warning",
        "hitl",
        "done",
        "error",
      ]),
    );
  });
});
