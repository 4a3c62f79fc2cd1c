import { describe, expect, test } from "vitest";
import { mountLibrary, refusalOf } from "../support/library-module.ts";

const object = { type: "object", properties: {} };
const sdk = { description: "Does.", inputSchema: object, execute: () => 1 };
const own = (name: string) =>
  `where it needs an object that only code can make, call ${name} in a file of your own, export what it returns, and name that file in the plan`;
const made = (name: string) => () => ({ [name]: { ...sdk } });
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, made(`t${at}`)]));
const list = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`).join(", ");

/** Each refusal says what to write. */
const howTo = "export one that defineTool or toolsFrom makes";

describe("a module is refused", () => {
  test.each<[string, Record<string, unknown>, object, string]>([
    ["without exports", {}, {}, `it exports no tool; it exports nothing; ${howTo}`],
    [
      "with other exports",
      { limit: 3, name: "x" },
      {},
      `it exports no tool; it exports limit, name; ${howTo}`,
    ],
    [
      "with many other exports",
      Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`n${at}`, at])),
      {},
      `it exports no tool; it exports ${Array.from({ length: 20 }, (_, at) => `n${at}`).join(", ")}; ${howTo}`,
    ],
    [
      "with an export that is no tool",
      { limit: 3 },
      { chosen: ["limit"] },
      "its export limit is neither a tool nor a function that makes tools",
    ],
    [
      "with tools without names",
      { tools: [sdk] },
      {},
      "its tools stand in a list and have no names; export a map, { name: tool }",
    ],
    [
      "with tools without schemas",
      { a: { description: "A.", execute: () => 1 }, b: { description: "B.", invoke: () => 1 } },
      {},
      "a, b looks like a tool, but has no schema of its arguments that can be read; give it a schema of Zod, or JSON Schema: { type: object, properties: … }",
    ],
    [
      "with two functions",
      many(2),
      {},
      "it exports no tool, but functions that may make tools (f0, f1); name those that you want in the plan's entry, such as: export: [f0, f1]",
    ],
    [
      "with many functions",
      many(13),
      {},
      `it exports no tool, but functions that may make tools (${list(12)}); name those that you want in the plan's entry, such as: export: [f0, f1, f2]`,
    ],
    [
      "with a function that needs an argument",
      { make: (key: string) => key },
      {},
      `its function make makes tools from an argument; write export: make and config: { … }, which it gets; ${own("make")}`,
    ],
    [
      "with a class that needs an argument",
      {
        Make: class {
          readonly key: string;
          constructor(key: string) {
            this.key = key;
          }
        },
      },
      {},
      `its class Make makes tools from an argument; write export: Make and config: { … }, which it gets; ${own("Make")}`,
    ],
    [
      "with a function of two arguments, and one config",
      { make: (a: string, b: string) => [a, b] },
      { chosen: ["make"], config: { a: 1 } },
      `its export make takes 2 arguments; write export: make and config: { arguments: [ … ] }, with a value for each; ${own("make")}`,
    ],
    [
      "whose function makes nothing",
      { make: () => undefined },
      {},
      "its export make made nothing, in which there is no tool",
    ],
    [
      "whose function makes null",
      { make: () => null },
      {},
      "its export make made nothing, in which there is no tool",
    ],
    [
      "whose function makes a list",
      { make: () => [] },
      {},
      "its export make made a list, in which there is no tool",
    ],
    [
      "whose function makes a function",
      { make: () => () => 1 },
      {},
      "its export make made a function, in which there is no tool",
    ],
    [
      "with several functions: those whose names speak of tools come first",
      { cut: () => "", createTools: () => ({}), more: () => 1 },
      {},
      "it exports no tool, but functions that may make tools (createTools, cut, more); name those that you want in the plan's entry, such as: export: [createTools]",
    ],
    [
      "with many such functions: those whose names end with tool, and functions before classes",
      {
        RunToolItem: class extends Array {},
        ShellTool: class extends Array {},
        toolSpan: () => "",
        webSearchTool: () => ({}),
      },
      {},
      "it exports no tool, but functions that may make tools (webSearchTool, ShellTool, RunToolItem, toolSpan); name those that you want in the plan's entry, such as: export: [webSearchTool, ShellTool, RunToolItem]",
    ],
    [
      "with a toolkit and the function that makes and opens it: the function is asked for",
      { PayToolkit: class extends Array {}, createPayToolkit: async (config: object) => config },
      {},
      `its function createPayToolkit makes tools from an argument; write export: createPayToolkit and config: { … }, which it gets; ${own("createPayToolkit")}`,
    ],
    [
      "whose function makes a toolkit, with the line that takes the tools of its methods",
      {
        make: () =>
          new (class Toolkit {
            users() {
              return {};
            }
            one(id: string) {
              return id;
            }
            get broken() {
              throw new Error("x");
            }
          })(),
      },
      {},
      "its export make made a value of type object, in which there is no tool; its methods may return some (make.users); name those that you want in the plan's entry, such as: export: [make.users]",
    ],
    [
      "whose function makes a text",
      { make: () => "x" },
      {},
      "its export make made a value of type string, in which there is no tool",
    ],
  ])("%s", async (_, exports, entry, problem) => {
    expect(await refusalOf(exports, entry)).toBe(`MODULE_INVALID ${problem}`);
  });

  test("whose function throws, with what to do where it got no config", async () => {
    const make = () => {
      throw new Error("no key");
    };

    expect(await refusalOf({ make })).toBe(
      `MODULE_MOUNT_FAILED its export make throws: no key; what it needs goes into the entry's config: { … }; ${own("make")}`,
    );
    expect(await refusalOf({ make }, { chosen: ["make"], config: { a: 1 } })).toBe(
      "MODULE_MOUNT_FAILED its export make throws: no key",
    );
  });

  test("whose integration leaves one way to its tools to another, with the one that is left", async () => {
    class Base {
      getTools() {
        throw new Error("not implemented");
      }
    }
    class Integration extends Base {
      getStaticTools() {
        return {};
      }
    }

    expect(await refusalOf({ Integration })).toBe(
      "MODULE_MOUNT_FAILED what its export Integration made throws when it is asked for its tools: not implemented; its methods may return some (Integration.getStaticTools); name those that you want in the plan's entry, such as: export: [Integration.getStaticTools]",
    );
  });

  test("that takes no config, or whose own mount is no tool's", async () => {
    expect(await refusalOf({ a: sdk }, { config: { a: 1 } })).toBe(
      "CONFIG_INVALID it exports tools that are made already, and takes no config",
    );
    expect(await refusalOf({ a: sdk })).toBeNull();
  });
});

describe("a function that makes tools is called", () => {
  const seen: unknown[][] = [];
  const make = (...given: unknown[]) => {
    seen.push(given);
    return { a: { ...sdk } };
  };
  test.each<[object, unknown[]]>([
    [{}, []],
    [{ config: { key: "k" } }, [{ key: "k" }]],
    [{ config: { arguments: ["k", 2] } }, ["k", 2]],
    [{ config: { arguments: ["k"], more: 1 } }, [{ arguments: ["k"], more: 1 }]],
    [{ config: { arguments: "k" } }, [{ arguments: "k" }]],
  ])("for %j with %j", async (entry, given) => {
    seen.length = 0;
    expect((await mountLibrary({ make }, { chosen: ["make"], ...entry })).names).toEqual(["a"]);
    expect(seen).toEqual([given]);
  });

  test("or constructed, where it is a class, and one with a tool's method is preferred", async () => {
    class Helper {
      help() {}
    }
    class Tool {
      readonly name = "made";
      readonly description = "Is made.";
      readonly parameters = object;
      execute() {
        return this.name;
      }
      _run() {}
    }
    const { names, call } = await mountLibrary({ helper: () => 1, Helper, Tool });

    expect(names).toEqual(["made"]);
    expect(await call("made")).toMatchObject({ status: "ok", said: "made" });
  });

  test("but not an error, a schema, or a function further inside", async () => {
    class NotFound extends Error {}
    const { names } = await mountLibrary({
      NotFound,
      Error,
      schema: Object.assign(() => 1, { "~standard": {} }),
      deep: { inner: { make: made("x") } },
      make: made("a"),
    });

    expect(names).toEqual(["a"]);
  });
});
