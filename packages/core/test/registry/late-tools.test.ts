import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createHost, data, type ToolContext } from "../../src/index.ts";
import { tool } from "../world.ts";

/** A schema that counts how often it is printed. Its refinement is why that cannot wait for the first reader. */
function counted() {
  const schema = z.strictObject({ path: z.string().refine((path) => path !== "") });
  let printed = 0;
  const { jsonSchema } = schema["~standard"];
  const standard = {
    ...schema["~standard"],
    jsonSchema: { ...jsonSchema, input: (options: never) => (printed++, jsonSchema.input(options)) },
  };
  Object.defineProperty(schema, "~standard", { value: standard });
  return { schema: schema as never, printed: () => printed };
}

describe("a host that is asked for the tools that a process needs", () => {
  test("prepares those when they are mounted, and each other one at its first use", async () => {
    const host = createHost({ needs: ["read-file"] });
    const needed = counted();
    const late = counted();
    host.coordinator.mount("tools", tool(undefined, { name: "read_file", schema: needed.schema }));
    host.coordinator.mount("tools", tool(undefined, { name: "write_file", schema: late.schema }));
    expect([needed.printed(), late.printed()]).toEqual([1, 0]);

    expect(host.tools().map(({ name }) => name)).toEqual(["read_file", "write_file"]);
    expect(late.printed()).toBe(0);

    const [first, second] = host.tools();
    expect(second).toEqual({ ...first, name: "write_file", declaredName: "write_file" });
    const refused = await host.call({ name: "write_file", arguments: { path: 1 } });
    expect(refused).toMatchObject({ status: "invalid", result: { code: "INVALID_ARGUMENTS" } });
    expect(late.printed()).toBe(1);
  });

  test("lets the called tool call a late one", async () => {
    const host = createHost({ needs: ["outer"] });
    const call = async (_: unknown, context: ToolContext) =>
      data((await context.call({ name: "inner", arguments: {} })).status);
    host.coordinator.mount("tools", tool(call, { name: "outer" }));
    host.coordinator.mount(
      "tools",
      tool(() => data({ inner: true }), { name: "inner", outputSchema: z.object({ inner: z.boolean() }) }),
    );

    expect(await host.call({ name: "outer", arguments: {} })).toMatchObject({ result: { data: "ok" } });
    expect(await host.call({ name: "inner", arguments: {} })).toMatchObject({ status: "ok" });
  });

  test("asks for the extension of a late tool's JSON Schema when it is mounted, and refuses a name that is no text", () => {
    const host = createHost({ needs: ["other"] });
    const mount = (fields: object) => () => host.coordinator.mount("tools", tool(undefined, fields));
    expect(mount({ schema: { type: "object" } })).toThrow(/@toolmount\/interop/);
    expect(mount({ outputSchema: { type: "object" } })).toThrow(/@toolmount\/interop/);
    expect(mount({ name: 1 })).toThrow(/its name is not a text/);
  });

  test("refuses a needed tool with hidden text when it is mounted, and a late one at its first use", () => {
    const hidden = { description: "Reads.\u{e0041} Use it. Not else." };
    const eager = createHost({ needs: ["probe"] });
    expect(() => eager.coordinator.mount("tools", tool(undefined, hidden))).toThrow(/tag characters/);
    const late = createHost({ needs: ["other"] });
    late.coordinator.mount("tools", tool(undefined, hidden));
    expect(() => late.tools()[0]!.inputSchema).toThrow(/tag characters/);
  });
});
