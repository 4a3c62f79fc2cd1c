import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createHost, data, type ArgumentOverrides } from "../../src/index.ts";
import { tool } from "../world.ts";

const schema = z.strictObject({
  path: z.string(),
  lines: z.int().default(20),
  follow: z.boolean().optional(),
});

/** A host whose tool returns its arguments, with what a plan says about them. */
function hostWith(args: ArgumentOverrides) {
  const host = createHost();
  const draft = host.draft();
  const { coordinator } = draft.addModule({ id: "tests", shapeTool: () => ({ arguments: args }) });
  coordinator.mount(
    "tools",
    tool((params) => data(params), { schema }),
  );
  return { host, committed: draft.commit() };
}

describe("a plan says about the arguments of a tool", () => {
  test("a default, which a call may replace", async () => {
    const { host, committed } = hostWith({ lines: { default: 5 } });
    await committed;
    const run = async (given: Record<string, unknown>) =>
      (await host.call({ name: "probe", arguments: given })).result.data;

    expect(await run({ path: "a" })).toEqual({ path: "a", lines: 5 });
    expect(await run({ path: "a", lines: 9 })).toEqual({ path: "a", lines: 9 });
  });

  test("a hidden one with a default, which a call may not replace", async () => {
    const { host, committed } = hostWith({ path: { hidden: true, default: "fixed" } });
    await committed;

    expect((await host.call({ name: "probe" })).result.data).toEqual({ path: "fixed", lines: 20 });
    expect(await host.call({ name: "probe", arguments: { path: "other" } })).toMatchObject({
      status: "invalid",
    });
    expect(JSON.stringify(host.tools())).not.toContain('"path"');
  });

  test.each<[string, ArgumentOverrides, string, string, string?]>([
    [
      "an argument that is not there",
      { line: { default: 3 } },
      'it has no argument "line"; did you mean "lines"?',
      "line",
    ],
    [
      "an argument that is like none",
      { zzzzzzzz: { default: 3 } },
      'it has no argument "zzzzzzzz"; it takes: path, lines, follow',
      "zzzzzzzz",
    ],
    [
      "a default that does not fit",
      { lines: { default: "all" } },
      'argument "lines": its default does not fit: lines must be a number, not a string',
      "lines",
      "default",
    ],
    [
      "a hidden default that does not fit",
      { lines: { hidden: true, default: 1.5 } },
      'argument "lines": its default does not fit: lines must be a whole number',
      "lines",
      "default",
    ],
    [
      "a hidden one that is required, without a default",
      { path: { hidden: true } },
      'argument "path": it is required: a hidden argument needs a default',
      "path",
    ],
  ])("%s is refused", async (_title, args, problem, argument, member) => {
    const mounting = async () => hostWith(args).committed;
    await expect(mounting()).rejects.toMatchObject({
      code: "TOOL_INVALID",
      details: {
        tool: "probe",
        argument,
        problem,
        ...(member !== undefined && { member }),
      },
    });
  });

  test.each<[ArgumentOverrides, object, object]>([
    [{}, { path: { type: "string" }, lines: { default: 20 }, follow: { type: "boolean" } }, ["path"]],
    [
      { path: { default: "a" }, lines: { description: "How many." } },
      {
        path: { type: "string", default: "a" },
        lines: { default: 20, description: "How many." },
        follow: { type: "boolean" },
      },
      [],
    ],
    [
      { path: { hidden: true, default: "a" }, lines: { default: 5 } },
      { lines: { default: 5 }, follow: { type: "boolean" } },
      [],
    ],
    [
      { lines: { hidden: true }, follow: { hidden: false } },
      { path: { type: "string" }, follow: { type: "boolean" } },
      ["path"],
    ],
  ])("%j, which a model reads in the schema", async (args, properties, required) => {
    const { host, committed } = hostWith(args);
    await committed;
    const { inputSchema } = host.tools()[0]! as unknown as {
      inputSchema: { properties: object; required?: readonly string[] };
    };

    expect(inputSchema.required ?? []).toEqual(required);
    expect(Object.keys(inputSchema.properties)).toEqual(Object.keys(properties));
    expect(inputSchema.properties).toMatchObject(properties);
  });

  test.each<[ArgumentOverrides, object, unknown]>([
    [{ lines: { hidden: true } }, { path: "a" }, { path: "a", lines: 20 }],
    [{ lines: { hidden: true } }, { path: "a", lines: 20 }, { path: "a", lines: 20 }],
    [{ lines: { hidden: true } }, { path: "a", lines: 21 }, 'Unrecognized key: "lines"'],
    [{ follow: { hidden: true } }, { path: "a" }, { path: "a", lines: 20 }],
    [
      { follow: { hidden: true }, lines: { hidden: true, default: 3 } },
      { path: "a", follow: true, lines: 4 },
      'invalid arguments: Unrecognized key: "follow"; Unrecognized key: "lines"',
    ],
    [{ lines: { default: 3 } }, { path: "a", lines: 4 }, { path: "a", lines: 4 }],
    [{ path: { hidden: true, default: "b" } }, {}, { path: "b", lines: 20 }],
  ])("%j, with which a call of %j runs", async (args, given, seen) => {
    const { host, committed } = hostWith(args);
    await committed;
    const { result } = await host.call({ name: "probe", arguments: given as never });

    expect(result.data ?? result.error).toEqual(seen);
  });

  test("a hidden one and a default, to which the guidance of the tool is fitted", async () => {
    const host = createHost();
    const draft = host.draft();
    const args = { follow: { hidden: true }, lines: { default: 5 } };
    const fields = { schema, usage: "Reads a file.\n- follow: waits for more.\n- path: the file." };
    for (const [id, shape] of [
      ["shaped", { name: "shaped", arguments: args }],
      ["plain", { name: "plain" }],
    ] as const)
      draft.addModule({ id, shapeTool: () => shape }).coordinator.mount("tools", tool(undefined, fields));
    await draft.commit();

    expect(host.tools().map(({ name, usage }) => [name, usage])).toEqual([
      ["plain", fields.usage],
      [
        "shaped",
        "Arguments here, whatever the text below says: not available: follow (never pass them); " +
          "lines is 5 when left out.\n\nReads a file.\n- path: the file.",
      ],
    ]);
  });
});
