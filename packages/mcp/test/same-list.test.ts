import { expect, test } from "vitest";
import { gatewayOf } from "./gateway-world.ts";
import { connectStreams, eras } from "./support.ts";

const tool = (name: string) => ({
  name,
  title: `The ${name}`,
  description: `Does ${name}. Use in tests.`,
  inputSchema: {
    type: "object",
    properties: { b: { type: "string" }, a: { type: "number" } },
    required: ["b", "a"],
  },
  annotations: { readOnlyHint: true, title: name },
  _meta: { z: 1, a: [{ y: 1, x: 2 }] },
});

/** Names of which some become the same, and some are too long. */
const names = ["a b", "a_b", "a.b", "A_B", "look", "x".repeat(120), `${"x".repeat(119)}y`, "y".repeat(70)];

test.each(eras)(
  "a client of the %s era reads the same bytes after each start, in whatever order its server lists",
  async (era) => {
    const bytesOf = async (tools: readonly unknown[]) => {
      const { host } = await gatewayOf({ one: { answers: { "tools/list": () => ({ tools }) } } });
      const client = await connectStreams(host, era);
      const { tools: listed } = await client.listTools();
      await host.close();
      return JSON.stringify(listed);
    };
    const first = await bytesOf(names.map(tool));

    for (const at of names.keys()) {
      const order = [...names.slice(at), ...names.slice(0, at)].map(tool);
      expect(await bytesOf(order)).toBe(first);
      expect(await bytesOf(order.toReversed())).toBe(first);
    }
  },
);
