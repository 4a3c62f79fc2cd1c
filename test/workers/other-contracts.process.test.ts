import { join } from "node:path";
import { expect, test } from "vitest";
import { behind, open } from "./world.ts";

const modules = join(import.meta.dirname, "modules");

test.each([
  ["Aptix", "aptix.js", "agent_greet", {}],
  ["Amplifier", "amplifier.js", "greet_there", {}],
  ["Tool-Forge", "forge.ts", "greet_by_name", {}],
  [
    "another library",
    "library.js",
    "greet_from_library",
    { export: "greet_from_library", config: { word: "Hi" } },
  ],
] as const)(
  "a module of %s is the same behind a border, in a process and in the host",
  async (_, file, name, lines) => {
    const plan = (run: object) => ({ version: 1, tools: [{ module: join(modules, file), ...lines, run }] });
    const hosts = await Promise.all([
      open(plan({ in: "inline" })),
      open(plan(behind("bubblewrap"))),
      open(plan(behind("none"))),
    ]);
    const [inline] = hosts;
    expect(inline.tools().map((tool) => tool.name)).toEqual([name]);
    for (const host of hosts) {
      expect(host.tools()).toEqual(inline.tools());
      for (const given of ["Ada", "stranger", 7]) {
        const [here, there] = await Promise.all(
          [inline, host].map(async (each) => {
            const { status, result } = await each.call({ name, arguments: { name: given } });
            const { fetchedAt: _at, ...rest } = result;
            // The host has the schema as JSON Schema, and Zod has other words for the same problem.
            return status === "invalid" ? { status, code: result.code } : { status, rest };
          }),
        );
        expect({ given, ...there }).toEqual({ given, ...here });
      }
    }
    expect((await inline.call({ name, arguments: { name: "Ada" } })).status).toBe("ok");
    expect((await inline.call({ name, arguments: { name: "stranger" } })).status).toBe("failed");
  },
);
