import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { createMemoryStore, data, type ApprovalDecision, type Coordinator } from "@toolmount/core";
import * as interop from "@toolmount/interop";
import { amplifierProfile, aptixProfile, toAmplifierResult } from "@toolmount/interop";
import { createReasoner, settingsSchema } from "@toolmount/reasoner";
import { checkToolModule } from "@toolmount/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  amplifierSource,
  aptixSource,
  native,
  onePlan,
  opened,
  refused,
} from "../support/decisions-world.ts";
import { faultyModules } from "../support/faulty-modules.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const plan = "version: 1\ntools:\n  - module: ./tool.js\n";

describe("AMP-N2: a failure without output gets its error's message as output", () => {
  test.each([
    ["null", "no such city"],
    ["undefined", "no such city"],
    ['""', "no such city"],
    ["[]", "no such city"],
    ['"partly done"', "partly done"],
    ["{ rows: 1 }", { rows: 1 }],
  ])("AMP-N2: the output %s becomes %j", async (output, expected) => {
    const body = `return { success: false, output: ${output}, error: { message: "no such city" } };`;
    const { host } = await opened(plan, {}, { files: { "tool.js": amplifierSource(body) } });

    expect(toAmplifierResult(await host.call({ name: "probe" }))).toMatchObject({
      success: false,
      output: expected,
      error: { message: "no such city" },
    });
  });
});

test.each(["wizard", "Tool", ""])(
  "AMP-N23: a plan's module that declares the type %j does not mount",
  async (type) => {
    const source = amplifierSource("return { success: true };").replace(
      '= "tool"',
      `= ${JSON.stringify(type)}`,
    );
    const { problems } = await refused(plan, {}, { files: { "tool.js": source } });

    expect(problems).toMatchObject([{ code: "MODULE_INVALID" }]);
    expect(JSON.stringify(problems)).toContain(`\\"${type}\\"`);
  },
);

test("AMP-N30: a handler is asynchronous, gets the event's name and data, and its result is carried out", async () => {
  const seen: unknown[] = [];
  (globalThis as { ampN30Seen?: unknown[] }).ampN30Seen = seen;
  const before = `coordinator.hooks.register("tool:pre", async (...given) => {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.ampN30Seen.push(given);
    return { action: "deny", reason: "not today" };
  });`;
  const source = amplifierSource('throw new Error("it ran");', before);
  const { host } = await opened(plan, {}, { files: { "tool.js": source } });
  const outcome = await host.call({ name: "probe", arguments: { at: "here" } });

  expect(seen).toEqual([
    ["tool:pre", expect.objectContaining({ tool_name: "probe", tool_input: { at: "here" } })],
  ]);
  expect(outcome).toMatchObject({ status: "denied" });
  expect(outcome.result.error).toContain("not today");
});

describe("AMP-N41: a call that a hook asks about", () => {
  const asking = (more = "") =>
    amplifierSource(
      'return { success: true, output: "ran" };',
      `coordinator.hooks.register("tool:pre", async () => ({ action: "ask_user", approval_prompt: "sure?", ${more} }));`,
    );
  const never = () => new Promise<ApprovalDecision>(() => {});
  const call = async (approver?: () => Promise<ApprovalDecision>, more?: string) => {
    const options = { files: { "tool.js": asking(more) }, ...(approver !== undefined && { approver }) };
    const { host } = await opened(plan, {}, options);
    return (await host.call({ name: "probe" })).status;
  };

  test("AMP-N41: is denied without an approver, and follows the answer of one", async () => {
    expect(await call()).toBe("denied");
    expect(await call(async () => ({ decision: "approve" }))).toBe("ok");
    expect(await call(async () => ({ decision: "deny" }))).toBe("denied");
    expect(await call(async () => ({ decision: "yes" }) as never)).toBe("denied");
  });

  test("AMP-N41: follows approval_default after its timeout, which denies unless it says allow", async () => {
    expect(await call(never, "approval_timeout: 0.01")).toBe("denied");
    expect(await call(never, 'approval_timeout: 0.01, approval_default: "deny"')).toBe("denied");
    expect(await call(never, 'approval_timeout: 0.01, approval_default: "allow"')).toBe("ok");
  });
});

test("APTIX-84: each profile has a verdict of its own, and one broken rule is enough to fail it", async () => {
  for (const [name, profile] of [
    ["aptix", aptixProfile],
    ["amplifier", amplifierProfile],
  ] as const) {
    const faulty = faultyModules.filter(
      (one) => one.profile === name && (one.severity ?? "error") === "error",
    );
    expect(faulty.length).toBeGreaterThan(3);
    for (const { module, rule: _, profile: __, severity: ___, fault, ...options } of faulty) {
      const { passed, verdicts } = await checkToolModule(module, {
        profiles: [profile],
        extensions: [interop],
        ...options,
      });
      expect([fault, passed, verdicts.find((one) => one.profile === name)?.passed]).toEqual([
        fault,
        false,
        false,
      ]);
    }
  }
});

test("AMP-N59: the validators of all profiles work in a process that can load no test framework", async () => {
  const program = `
    import { registerHooks } from "node:module";
    registerHooks({ resolve(name, context, next) {
      if (/^@?(?:vitest|jest|mocha|chai|node:test|playwright)\\b/.test(name)) throw new Error("loaded " + name);
      return next(name, context);
    } });
    const refused = await import("vitest").catch(({ message }) => message);
    const { checkToolModule } = await import(${JSON.stringify(import.meta.resolve("@toolmount/testing"))});
    const { amplifierProfile, aptixProfile, forgeProfile } = await import(${JSON.stringify(import.meta.resolve("@toolmount/interop"))});
    const { verdicts } = await checkToolModule({ mount: 1 }, { profiles: [amplifierProfile, aptixProfile, forgeProfile] });
    console.log(JSON.stringify([refused, verdicts.length > 0]));
  `;
  const flags = ["-C", "@toolmount/source", "--input-type=module", "--eval", program];
  const { stdout } = await run(process.execPath, flags, { cwd: root });

  expect(JSON.parse(stdout)).toEqual(["loaded vitest", true]);
});

test("APTIX-55: the definitions of a plan's tools are the same bytes in two processes", async () => {
  const words = [
    "-C",
    "@toolmount/source",
    join(root, "packages/cli/src/main.ts"),
    "list",
    "mount-plans/coding.yaml",
    "--json",
  ];
  const list = async () => (await run(process.execPath, words, { cwd: root })).stdout;
  const first = await list();

  expect(first).toContain("read_file");
  expect(await list()).toBe(first);
});

test("APTIX-70: on the loader's path a usage text that leaves out an argument is reported", async () => {
  const source = aptixSource("return { Successful: true, Result: '{}', Errors: [] };");
  const { lines } = await opened(
    plan,
    {},
    { files: { "tool.js": source.replace("- name (string", "- nam (string") } },
  );
  const good = await opened(plan, {}, { files: { "tool.js": source } });
  const reported = (all: typeof lines) =>
    all.filter(({ message }) => message.includes("leaves out arguments"));

  expect(reported(lines)).toMatchObject([
    { level: "warn", fields: { tool: "agent_probe", arguments: ["name"] } },
  ]);
  expect(reported(good.lines)).toEqual([]);
});

test("APTIX-N27: no event and no record of the audit has a text that a hook injects", async () => {
  const store = createMemoryStore({ audit: "durable" });
  const injecting = {
    mount(coordinator: Coordinator) {
      coordinator.mount(
        "tools",
        native(() => data(1)),
      );
      for (const event of ["provider:request", "tool:pre", "tool:post"])
        coordinator.hooks.gate(event, () => ({
          action: "inject_context",
          contextInjection: `planted by ${event}`,
        }));
    },
  };
  const { host, events } = await opened(onePlan, { m: injecting }, { store });
  const { baseUrl, asked } = await serve();
  const agent = createReasoner(host.coordinator, {
    settings: settingsSchema.parse({ model: "m", baseUrl, stream: false }),
  });
  const turn = await agent.run(host, { prompt: "go", sessionId: "s" });
  const records = JSON.stringify(await store.audit!.read());

  expect(turn, JSON.stringify(turn)).toMatchObject({ status: "done", calls: 1 });
  expect(asked.at(-1)).toContain("planted by provider:request");
  expect(records).toContain("probe");
  expect(records).not.toContain("planted");
  expect(events.events.map(({ event }) => event)).toContain("context:include");
  expect(JSON.stringify(events.events)).not.toContain("planted");
});

/** A model on loopback that calls `probe` once, and what it was asked. */
async function serve(): Promise<{ baseUrl: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(async (request, answer) => {
    asked.push(await text(request));
    const call = { type: "function_call", id: "f1", call_id: "c1", name: "probe", arguments: "{}" };
    const content = [{ type: "output_text", text: "done", annotations: [] }];
    const output = asked.length === 1 ? [call] : [{ type: "message", id: "m", role: "assistant", content }];
    answer.writeHead(200, { "content-type": "application/json" });
    answer.end(JSON.stringify({ id: `r${asked.length}`, status: "completed", model: "m", output }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}
