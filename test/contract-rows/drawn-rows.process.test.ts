import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { createMemoryStore, data, type Coordinator } from "@toolmount/core";
import { createReasoner, settingsSchema } from "@toolmount/reasoner";
import { expect, onTestFinished, test } from "vitest";
import { native, onePlan, opened } from "../support/decisions-world.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

test("AMP-N59: the validators of all profiles work in a process that can load no test framework", async () => {
  const program = `
    import { registerHooks } from "node:module";
    registerHooks({ resolve(name, context, next) {
      if (/^@?(?:vitest|jest|mocha|chai|node:test|playwright)\\b/.test(name)) throw new Error("loaded " + name);
      return next(name, context);
    } });
    const refused = await import("vitest").catch(({ message }) => message);
    const { checkToolModule } = await import(${JSON.stringify(import.meta.resolve("@toolmount/testing"))});
    const { forgeProfile } = await import(${JSON.stringify(import.meta.resolve("@toolmount/interop"))});
    const { verdicts } = await checkToolModule({ mount: 1 }, { profiles: [forgeProfile] });
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
