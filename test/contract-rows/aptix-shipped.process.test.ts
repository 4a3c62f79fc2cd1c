import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Coordinator, ToolDefinition } from "@toolmount/core";
import * as interop from "@toolmount/interop";
import { toChatTools, toOpenAI } from "@toolmount/interop";
import { checkToolModule, createTestCoordinator, createWorkspace } from "@toolmount/testing";
import { describe, expect, test } from "vitest";
import { mountAll, readToolPackages, readUsage } from "../support/shipped-tools.ts";

const root = join(import.meta.dirname, "../..");
const packages = await readToolPackages();
const host = await mountAll(packages);
const tools = host.tools({ includeDeprecated: true });
const each = test.each(tools.map((tool) => [tool.name, tool] as const));

/** The definitions as their packages mount them. */
const recording = createTestCoordinator();
await mountAll(packages, { coordinator: recording });
const definitions = new Map((recording.mountedTools as ToolDefinition[]).map((tool) => [tool.name, tool]));

test("APTIX-14: all shipped tools, in one test, satisfy every rule that their contract has", async () => {
  await using folder = await createWorkspace({ "a.txt": "one\n" });
  const reports = [];
  // One after the other: what a module leaves behind is counted in the whole process.
  for (const { exports } of packages) {
    const mount = (coordinator: Coordinator, settings: unknown) => {
      coordinator.registerCapability("session.working_dir", folder.path("."));
      return (exports["mount"] as (...given: unknown[]) => unknown)(coordinator, settings);
    };
    reports.push(await checkToolModule({ ...exports, mount }, { extensions: [interop] }));
  }

  expect(
    reports.flatMap(({ findings }) =>
      findings.map(({ rule, where, problem }) => `${rule} ${where} ${problem}`),
    ),
  ).toEqual([]);
  expect(reports.map(({ passed }) => passed)).toEqual(packages.map(() => true));
  expect(reports.reduce((sum, { checks }) => sum + checks, 0)).toBeGreaterThan(tools.length * 20);
});

describe("APTIX-52: a definition as a provider gets it", () => {
  each("APTIX-52: %s is a function of name, short description and an object of arguments", (name) => {
    const [tool] = toOpenAI(tools.filter((one) => one.name === name)).tools;

    expect(tool).toMatchObject({
      type: "function",
      name,
      description: expect.any(String) as string,
      parameters: { type: "object", properties: {}, required: expect.any(Array) as string[] },
    });
    expect(tool!.description.length).toBeLessThanOrEqual(300);
    const { properties, required } = tool!.parameters as { properties: object; required: string[] };
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(required));
    expect(toChatTools(toOpenAI([tools.find((one) => one.name === name)!]))).toMatchObject([
      { type: "function", function: { name, parameters: { required } } },
    ]);
  });

  test("APTIX-52: the list of required arguments is there when it is empty", () => {
    const [tool] = toOpenAI(tools.filter(({ name }) => name === "agent_list_modes")).tools;

    expect(tool!.parameters["required"]).toEqual([]);
  });
});

each("APTIX-54: each description of an argument of %s is short", (_, { inputSchema }) => {
  const texts: string[] = [];
  JSON.stringify(inputSchema, (key, value: unknown) => {
    if (key === "description" && typeof value === "string") texts.push(value);
    return value;
  });

  expect(texts.filter((text) => text.trim() === "" || text.length > 120)).toEqual([]);
});

/** The tests of a package, beside the list of what its usage says. */
async function testsOf(id: string): Promise<readonly string[]> {
  const folder = join(root, "tools", id, "test");
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".test.ts"));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return texts.map((text) => text.replace(/^ {2}(?:usage|invalid): \{[^]*?^ {2}\},$/gm, ""));
}

/** The function that makes a tool without a host, as `createReadFile`. */
function creatorOf(name: string): string {
  return `create${name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}(`;
}

describe("APTIX-77: each tool has tests of its work, of refused arguments and of exceptions", () => {
  each("APTIX-77: the ordinary work of %s has a test", async (name) => {
    const owner = packages.find(({ manifest }) =>
      manifest.toolmount?.tools?.some((one) => one.name === name),
    )!;
    const tests = await testsOf(owner.id);
    const parts = [`${name}: [{`, `"${name}"`, `name: ${name}`, creatorOf(name)];
    const text = tests.find((one) => parts.some((part) => one.includes(part)));

    expect(text, name).toBeDefined();
    expect(text).not.toMatch(/\b(?:test|it|describe)\.(?:skip|todo)\b/);
  });

  each(
    "APTIX-77: %s answers arguments that do not fit by a failure, and runs nothing",
    async (name, { inputSchema }) => {
      const wrong = Object.keys(inputSchema["properties"] ?? {}).map((key) => ({
        [key]: { odd: [] },
      }));
      for (const given of [{ no_such_argument: 1 }, ...wrong])
        expect(await definitions.get(name)!.execute(given, undefined as never)).toMatchObject({
          tool: name,
          code: "INVALID_ARGUMENTS",
          error: expect.stringMatching(/./) as string,
        });
    },
  );

  each("APTIX-77: a context that throws makes %s fail without its words", async (name, tool) => {
    const context = new Proxy(
      {},
      {
        get: (_, member) => {
          throw new Error(`secret of ${String(member)}`);
        },
      },
    );
    const example = JSON.parse(readUsage(tool).examples[0]!) as object;
    const result = (await definitions.get(name)!.execute(example, context as never)) as object;

    expect(result).toMatchObject({ tool: name, error: expect.any(String) as string });
    expect(JSON.stringify(result)).not.toContain("secret of");
  });
});
