import { describe, expect, test } from "vitest";
import { createHost, data, type Host, type ToolShape } from "../../src/index.ts";
import { logged } from "../logged-host.ts";
import { tool } from "../world.ts";

describe("names that are too close", () => {
  const refusal = (first: [object, ToolShape?, string?], second: [object, ToolShape?, string?]) => {
    const { mountIn } = logged();
    mountIn("one", ...first);
    try {
      mountIn("two", ...second);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const named = (name: string) => tool(undefined, { name });

  test("are refused, with both owners, and say which name is too close", () => {
    expect(refusal([named("read")], [named("read")])).toBe(
      'tool "read" is mounted by both one and two; rename one with a prefix or "as", or set override: true',
    );
    expect(refusal([named("read_file")], [named("Read-File")])).toBe(
      'tool "Read-File" of two is too close to "read_file" of one: names may not differ only in case, "-" or "_"',
    );
    expect(refusal([named("read"), {}, "get-it"], [named("GET_IT")])).toBe(
      'tool "GET_IT" of two is too close to "get-it" of one: names may not differ only in case, "-" or "_"',
    );
    expect(refusal([named("read")], [named("write"), {}, "READ"])).toContain(
      'tool "READ" of two is too close',
    );
    expect(refusal([named("read")], [named("reads")])).toBeNull();
    expect(refusal([named("read")], [named("other"), { name: "write" }])).toBeNull();
  });

  test("replace each other where the plan says so", async () => {
    const { host, mountIn, commit } = logged();
    mountIn(
      "one",
      tool(() => data(1), { name: "read" }),
    );
    mountIn(
      "two",
      tool(() => data(2), { name: "Read" }),
      { override: true },
    );
    await commit();

    expect(host.tools().map(({ name, owner }) => [name, owner])).toEqual([["Read", "two"]]);
    expect((await host.call({ name: "read" })).result.data).toBe(2);
  });

  test("find their tool in any case and by its alias", async () => {
    const { host, mountIn, commit } = logged();
    mountIn(
      "one",
      tool(() => data(1), { name: "read_file" }),
      {},
      "get",
    );
    await commit();

    for (const name of ["read_file", "READ-FILE", "get", "GET"])
      expect((await host.call({ name })).result).toMatchObject({ tool: "read_file", data: 1 });
  });
});

test.each<[object, string[] | null]>([
  [{ name: "read_file" }, null],
  [{ name: "a.b" }, ["providers do not accept this name of a tool; they see another one"]],
  [{ name: "a".repeat(65) }, ["providers do not accept this name of a tool; they see another one"]],
  [{ name: "a".repeat(64) }, null],
  [{ name: "readFile" }, ["the name of a tool is not lower snake case"]],
  [{ name: "read__file" }, ["the name of a tool is not lower snake case"]],
  [{ name: "readFile", origin: "mcp" }, null],
  [{ name: "a.b", status: "internal" }, null],
])("the name in %o is warned of: %j", (fields, warnings) => {
  const { lines, mountIn } = logged();
  mountIn("one", tool(undefined, fields));
  const name = (fields as { name: string }).name;

  expect(lines).toEqual((warnings ?? []).map((text) => ["warn", { tool: name }, text]));
});

test("an alias is warned of, and a tool that the plan or its author removes is not mounted", async () => {
  const { host, lines, mountIn, commit } = logged();
  mountIn("one", tool(), {}, "other");
  mountIn("two", tool(undefined, { name: "gone", status: "removed" }));
  await commit();

  expect(lines).toEqual([
    [
      "warn",
      { tool: "probe", alias: "other" },
      "a tool was mounted under another name, which is now its alias",
    ],
  ]);
  expect(host.tools({ includeDeprecated: true, includeInternal: true }).map(({ name }) => name)).toEqual([
    "probe",
  ]);
});

test("a tool that is refused is in the log with its module, and one that needs the adapters says so", () => {
  const { lines, mountIn } = logged();
  expect(() => mountIn("one", tool(undefined, { description: "" }))).toThrow(
    expect.objectContaining({ message: 'tool "probe" cannot be mounted: its description is missing' }),
  );
  expect(lines).toMatchObject([
    [
      "error",
      { module: "one", err: { code: "TOOL_INVALID" } },
      'a tool was refused: tool "probe" cannot be mounted: its description is missing',
    ],
  ]);
  lines.length = 0;
  expect(() => mountIn("two", { name: "echo", execute() {} })).toThrow(
    'the tool "echo", which is not of toolmount\'s own shape, needs @toolmount/interop, which is not installed; install it with: npm install @toolmount/interop',
  );
  expect(lines.map(([level]) => level)).toEqual(["debug"]);
  expect(() => mountIn("two", { execute() {} })).toThrow('the tool "without a name", which');
});

test("a classification that is missing is the strictest, and is warned of by its members", () => {
  const { host, lines } = logged();
  const { category: _, requiresConfirmation: _asks, ...rest } = tool(() => data("ran"), { origin: "forge" });
  host.coordinator.mount("tools", rest);

  expect(host.tools()[0]).toMatchObject({
    category: "side_effect",
    consequenceLevel: "low",
    requiresConfirmation: true,
  });
  expect(lines).toEqual([
    [
      "warn",
      {
        tool: "probe",
        missing: ["category", "requiresConfirmation"],
        assumed: { category: "side_effect", requiresConfirmation: true },
      },
      "the definition of a tool has no category, requiresConfirmation: the strictest value is assumed",
    ],
  ]);
});

describe("a tool that calls another means", () => {
  const caller = () =>
    tool(async (_, context) => data((await context.call({ name: "target" })).result.data ?? "none"), {
      name: "caller",
    });
  const target = (answer: string) => tool(() => data(answer), { name: "target" });
  const answered = async (host: Host) => (await host.call({ name: "caller" })).result.data;

  test("the one that the plan says, else that of its module, else the offered, else the only one of that name", async () => {
    for (const [expected, prepare] of [
      ["far", [{ target: "far_target" }, "near", "far", "offered"]],
      ["near", [null, "near", "far", "offered"]],
      ["offered", [null, null, "far", "offered"]],
      ["far", [null, null, "far", null]],
      ["none", [null, null, null, null]],
    ] as const) {
      const [uses, near, far, offered] = prepare;
      const host = createHost();
      const draft = host.draft();
      const own = draft.addModule({
        id: "own",
        shapeTool: ({ name }) =>
          name === "caller" ? (uses === null ? {} : { uses }) : { name: "near_target" },
      });
      own.coordinator.mount("tools", caller());
      if (near !== null) own.coordinator.mount("tools", target("near"));
      const other = draft.addModule({ id: "other", shapeTool: () => ({ name: "far_target" }) });
      if (far !== null) other.coordinator.mount("tools", target("far"));
      if (offered !== null) draft.addModule({ id: "third" }).coordinator.mount("tools", target("offered"));
      await draft.commit();

      expect(await answered(host), expected).toBe(expected);
    }
  });
});
