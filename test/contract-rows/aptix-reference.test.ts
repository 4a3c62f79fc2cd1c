import { join } from "node:path";
import { createMemoryStore, silentLogger } from "@toolmount/core";
import { toInvokeResult } from "@toolmount/interop";
import { openHost } from "@toolmount/loader";
import * as modes from "@toolmount/tool-modes";
import { describe, expect, onTestFinished, test } from "vitest";
import { opened } from "../support/decisions-world.ts";
import { readUsage } from "../support/shipped-tools.ts";

const root = join(import.meta.dirname, "../..");

describe("APTIX-80, APTIX-81, APTIX-82: the reference tools, by the reference plan", () => {
  const calls: [name: string, given: object, payload: object][] = [
    ["agent_hello_world", { name: "Ada" }, { Message: "Hello, Ada!" }],
    ["testing_ping_pong", { message: "hi", count: 1 }, { Reply: "pong: hi", Count: 2 }],
    ["testing_calculator", { operation: "add", left: 1, right: 2 }, { Result: 3 }],
    ["testing_delay", { milliseconds: 1 }, { RequestedMilliseconds: 1, WasCancelled: false }],
    ["testing_failure_injection", { payload: "p" }, { RequestedFailure: false, Payload: "p" }],
  ];

  test.each(calls)(
    "APTIX-80, APTIX-82: the payload of %s is JSON text with its key fields",
    async (name, given, payload) => {
      const reference = await openReference();
      const outcome = await reference.call(
        { name, arguments: JSON.stringify(given) },
        { sessionId: "s", conversationId: "c" },
      );
      const { Successful, Result } = toInvokeResult(
        outcome,
        reference.tools().find((one) => one.name === name),
      );

      expect(Successful).toBe(true);
      expect(JSON.parse(Result!)).toMatchObject({ ...payload, SessionId: "s", ConversationId: "c" });
    },
  );

  test("APTIX-81: agent_hello_world has one required text, name, and its usage is about greeting", async () => {
    const hello = (await openReference()).tools().find(({ name }) => name === "agent_hello_world")!;

    expect(hello.inputSchema).toMatchObject({ properties: { name: { type: "string" } }, required: ["name"] });
    expect(Object.keys(hello.inputSchema["properties"] as object)).toEqual(["name"]);
    expect(readUsage(hello).sections.get("Primary purpose")).toMatch(/greet/i);
  });

  test("APTIX-82: the four testing tools have closed schemas, the same in two hosts, and usage with every part", async () => {
    const of = async () => (await openReference()).tools().filter(({ name }) => name.startsWith("testing_"));
    const [first, second] = [await of(), await of()];

    expect(first.map(({ name }) => name)).toEqual(
      calls
        .slice(1)
        .map(([name]) => name)
        .toSorted(),
    );
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
    for (const tool of first) {
      expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect([...readUsage(tool).sections.keys()]).toHaveLength(6);
    }
  });
});

describe("APTIX-86, APTIX-88, APTIX-90, APTIX-94: agent_list_modes, by a plan", () => {
  const plan = (summary: string) =>
    `version: 1\nmodes:\n  catalog:\n    - { key: general, displayName: General, isDefault: true, systemPromptSummary: ${JSON.stringify(summary)} }\ntools:\n  - module: modes\n`;
  const world = async (summary: string, store = createMemoryStore()) =>
    opened(plan(summary), { "@toolmount/tool-modes": modes }, { store });

  test("APTIX-86: a call of it writes nothing to the store but its audit, and changes neither mode nor state", async () => {
    const store = createMemoryStore();
    const { host: own } = await world("You help.", store);
    const session = own.session("s");
    const before = [await session.mode(), JSON.stringify(session.snapshot())];
    await session.call({ name: "agent_list_modes" });

    expect([await session.mode(), JSON.stringify(session.snapshot())]).toEqual(before);
    expect(await store.sessions.load("s")).toBeNull();
    expect(await store.sessions.entries("s")).toEqual([]);
    expect(await own.approvals.list()).toEqual([]);
  });

  test("APTIX-90: its one argument is an optional boolean", async () => {
    const { inputSchema } = (await world("You help.")).host
      .tools()
      .find(({ name }) => name === "agent_list_modes")!;

    expect(inputSchema["properties"]).toEqual({
      includeExamples: expect.objectContaining({ type: "boolean" }) as object,
    });
    expect(inputSchema["required"] ?? []).toEqual([]);
  });

  test.each(['\u0000\u2028\ud800 "quoted"', "…", "</script>"])(
    "APTIX-94: with the summary %j the payload is valid JSON of the same names",
    async (summary) => {
      const { host: own } = await world(summary);
      const outcome = await own.call({ name: "agent_list_modes" });
      const { Result } = toInvokeResult(
        outcome,
        own.tools().find(({ name }) => name === "agent_list_modes"),
      );

      expect(Object.keys((JSON.parse(Result!) as { modes: object[] }).modes[0]!)).toEqual([
        "id",
        "key",
        "displayName",
        "description",
        "systemPromptSummary",
        "isDefault",
        "humanRoleHints",
        "exampleUtterances",
      ]);
    },
  );
});

async function openReference() {
  const reference = await openHost("mount-plans/reference.yaml", {
    cwd: root,
    env: {},
    logger: silentLogger,
  });
  onTestFinished(async () => void (await reference.close()));
  return reference;
}
