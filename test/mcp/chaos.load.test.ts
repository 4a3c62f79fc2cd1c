import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { silentLogger, type ToolOutcome } from "@toolmount/core";
import { expect, test } from "vitest";
import { nodeFlags } from "./support/command.ts";
import { mark, open, planOf, processesWith, serverOf, until } from "./support/world.ts";

const labels = ["a", "b", "c", "d"];

/** The full count is 500; TOOLMOUNT_LOAD=full takes it. */
const kills = process.env["TOOLMOUNT_LOAD"] === "full" ? 500 : 15;

test("four servers, a hundred calls in flight, one server killed: every other call is answered correctly", async () => {
  const { env, word } = mark();
  const tools = labels.map((module) => ({
    module,
    prefix: `${module}_`,
    source: { mcp: { ...serverOf("--startMs", module === "d" ? "1000" : "0"), env } },
  }));
  const host = await open({ version: 1, tools }, { logger: silentLogger });

  const running = Array.from({ length: 100 }, async (_, index): Promise<[string, number, ToolOutcome]> => {
    const label = labels[index % labels.length] ?? "";
    const name = label === "a" && index === 48 ? "a_die" : `${label}_echo`;
    return [
      label,
      index,
      await host.call({ name, arguments: name === "a_die" ? {} : { text: `${label} ${index}` } }),
    ];
  });
  const outcomes = await Promise.all(running);
  const others = outcomes.filter(([label]) => label !== "a");
  const own = outcomes.filter(([label, index]) => label === "a" && index !== 48);
  const after = await host.call({ name: "a_echo", arguments: { text: "back" } });
  await host.close();

  for (const [label, index, { result }] of others) expect(result.data).toBe(`echo: ${label} ${index}`);
  // A call of the killed server is answered correctly, or says that its effect is not known: never with another's answer.
  for (const [, index, { result }] of own)
    expect([`echo: a ${index}`, "MCP_CONNECTION_LOST", "MCP_SERVER_UNAVAILABLE"]).toContain(
      result.data ?? result.code,
    );
  expect(after.result.data).toBe("echo: back");
  expect(processesWith(word)).toEqual([]);
});

test(
  "a server that is killed again and again is there for the next call, and leaves no process",
  { timeout: 3_600_000 },
  async () => {
    const { env, word } = mark();
    const host = await open(planOf({ ...serverOf("--child"), env, era: "modern" }), { logger: silentLogger });

    for (let kill = 0; kill < kills; kill++) {
      await host.call({ name: "die" });
      const { result } = await host.call({ name: "echo", arguments: { text: String(kill) } });
      expect(result.data).toBe(`echo: ${kill}`);
    }
    const there = processesWith(word);
    await host.close();

    expect(there).toHaveLength(2);
    expect(processesWith(word)).toEqual([]);
  },
);

test("a host that is killed without a word leaves no process of its servers", async () => {
  const { env, word } = mark();
  const program = join(import.meta.dirname, "fixtures/host-process.ts");
  const source = JSON.stringify({ ...serverOf("--child"), env });
  const host = spawn(process.execPath, [...nodeFlags, program, source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = (await once(host.stdout, "data")) as [Buffer];
  const before = processesWith(word);

  host.kill("SIGKILL");
  await until(() => processesWith(word).length === 0);

  expect(said.toString()).toBe("ok\n");
  expect(before.length).toBeGreaterThanOrEqual(2);
});
