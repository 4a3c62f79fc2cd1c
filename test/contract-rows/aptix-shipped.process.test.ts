import { readFile } from "node:fs/promises";
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

/** How each tool behaves when it is called again, at its limits, or often: a part of its usage. */
const behaviour: Readonly<Record<string, readonly RegExp[]>> = {
  activate_tools: [/again|once/, /next/],
  agent_change_mode: [/changes nothing, so do not repeat it/],
  agent_hello_world: [/may be called again; the same name gives the same greeting/],
  agent_list_modes: [/changes neither the mode nor the session/, /one call is enough/],
  bash: [/Each call is a new shell/, /Long output is cut/, /Use run_in_background for servers/],
  bash_list: [/changes nothing/],
  bash_output: [/next_offset/, /kept until others need the space/, /only the start and the end are kept/],
  bash_stop: [/For a command that has ended, nothing happens/],
  create_directory: [/An existing folder is not an error/],
  delegate: [
    /run at the same time/,
    /shares the session's budget/,
    /Do not delegate work that one tool call does/,
  ],
  delete_file: [/cannot be undone by you|cannot undo|cannot be undone/],
  describe_tools: [/It calls nothing/, /lists all tools by name/],
  edit_file: [/cannot succeed twice/, /complete or does not happen/],
  glob: [/changes nothing/, /results_capped/],
  grep: [/changes nothing/, /next_offset/, /in the order of their paths/],
  list_directory: [/changes nothing and is quick/, /next_offset/],
  move_file: [/cannot succeed twice/, /Nothing is replaced unless overwrite is true/],
  multi_edit_file: [/in order: each must find its text in the result of the earlier/, /stays unchanged/],
  read_file: [/changes nothing and is quick/, /at most limit lines/, /next_offset/],
  testing_calculator: [/the same arguments give the same result, so one call is enough/],
  testing_delay: [/sparingly|again|longer/],
  testing_failure_injection: [/do not repeat it/],
  testing_ping_pong: [/changes nothing/, /again|often|once/],
  todo: [/replace the whole list/, /at most one item in_progress/],
  tool_search: [/changes nothing/, /always ready.*not listed/],
  run_program: [/makes its calls again/, /side by side/, /too many calls/],
  web_fetch: [/next_offset/, /kept for five minutes/],
  web_search: [/When no engine answers, the call fails/, /max_results/],
  write_file: [/Writing the same content again changes nothing/, /The old content is lost/],
};

each(
  "APTIX-65: the usage of %s says what a repeated call does, and its limits, order and pages",
  (name, tool) => {
    expect(behaviour[name], name).toBeDefined();
    for (const part of behaviour[name]!) expect(tool.usage).toMatch(part);
    if ("offset" in Object(tool.inputSchema["properties"])) expect(tool.usage).toContain("next_offset");
  },
);

/** A test of each tool's ordinary work. The contract suite of its package, or a test with this title. */
const happyPaths: Readonly<Record<string, readonly [file: string, title: string]>> = {
  activate_tools: ["discovery/test/activate-tools.test.ts", "is offered in full from the next request on"],
  agent_change_mode: ["modes/test/change-mode.test.ts", "changes the session's mode from the next turn on"],
  agent_list_modes: ["modes/test/list-modes.test.ts", "agent_list_modes lists the modes of the catalog"],
  bash_output: ["bash/test/jobs.process.test.ts", "its output is followed from where the last answer ended"],
  bash_stop: ["bash/test/jobs.process.test.ts", "a background command is stopped with all that it started"],
  delegate: ["delegate/test/delegate.test.ts", "the task goes to the agent, and its answer comes back"],
  delete_file: ["filesystem/test/move-delete-create.test.ts", "$params deletes $entries entries"],
  move_file: ["filesystem/test/move-delete-create.test.ts", "a file is moved, and missing folders are made"],
  multi_edit_file: ["filesystem/test/multi-edit-file.test.ts", "makes its replacements one after the other"],
  describe_tools: [
    "program/test/run-program.process.test.ts",
    "finds and describes the tools that it may call",
  ],
  run_program: [
    "program/test/run-program.process.test.ts",
    "calls tools, one after the other and side by side",
  ],
  todo: ["todo/test/todo.test.ts", "a list is created, changed and shown"],
  web_fetch: ["web/test/fetch.process.test.ts", "a page is fetched, and says how large it is"],
  web_search: ["web/test/search.process.test.ts", "SearXNG is asked for JSON, and its results are returned"],
};

describe("APTIX-77: each tool has tests of its work, of refused arguments and of exceptions", () => {
  each("APTIX-77: the ordinary work of %s has a test", async (name) => {
    const owner = packages.find(({ manifest }) =>
      manifest.toolmount?.tools?.some((one) => one.name === name),
    )!;
    const [file, title] = happyPaths[name] ?? [`${owner.id}/test/contract.process.test.ts`, `${name}: [{`];
    const text = await readFile(join(root, "tools", file), "utf8");

    expect(text).toContain(title);
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
