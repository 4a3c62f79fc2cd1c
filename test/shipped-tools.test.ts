import { createHost, createMemoryStore, data, defineTool, type ToolInfo } from "@toolmount/core";
import { scanDefinition } from "@toolmount/core/scan";
import { createSchemaCompiler } from "@toolmount/interop";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  layout,
  listToolPackages,
  mountAll,
  readToolPackages,
  readUsage,
  type ToolPackage,
} from "./support/shipped-tools.ts";

const packages = await readToolPackages();
const host = await mountAll(packages);
const tools = host.tools({ includeDeprecated: true });
const each = test.each(tools.map((tool) => [tool.name, tool] as const));
const compiler = createSchemaCompiler();

interface Property {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Property>>;
  readonly items?: Property;
  readonly anyOf?: readonly Property[];
}

const propertiesOf = ({ inputSchema }: ToolInfo) =>
  Object.entries((inputSchema["properties"] ?? {}) as Readonly<Record<string, Property>>);

/** A property with all those inside it. */
function nested(path: string, property: Property): readonly (readonly [string, Property])[] {
  const { properties = {}, items, anyOf = [] } = property;
  return [
    [path, property],
    ...Object.entries(properties).flatMap(([name, inner]) => nested(`${path}.${name}`, inner)),
    ...(items?.properties === undefined ? [] : nested(`${path}[]`, { ...items, description: "of the list" })),
    ...anyOf.flatMap((one) =>
      Object.entries(one.properties ?? {}).flatMap(([name, inner]) => nested(`${path}.${name}`, inner)),
    ),
  ];
}

test("APTIX-14, APTIX-78, APTIX-13, APTIX-15: all shipped tools mount together, and each once", () => {
  const declared = packages.flatMap(
    ({ manifest }) => manifest.toolmount?.tools?.map(({ name }) => name) ?? [],
  );

  expect(tools.length).toBeGreaterThan(10);
  expect(tools.map(({ name }) => name)).toEqual(declared.toSorted());
});

test("every package below tools/ lists its tools in a manifest", async () => {
  const silent = (await listToolPackages()).filter(({ hasManifest }) => !hasManifest);

  expect(silent).toEqual([]);
});

describe("names", () => {
  each("APTIX-16, APTIX-7, AMP-8, FORGE-2: %s is lower snake case", (name) => {
    expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
  });

  const verbs = new Set(
    "activate add call cancel change check close compare convert copy count create delegate delete describe edit explain fetch find format get glob grep install invoke list lock look make mark merge move open parse place plan post print publish read remove rename replace report resolve run save search send set show sort start stop submit summarize sync translate update upload validate verify wait watch write".split(
      " ",
    ),
  );

  // Other contracts and hosts published names with a prefix, such as agent_, or the name of the package.
  each(
    "FORGE-3: one of the first two words of %s is a verb, or it is the name of its package",
    (name, tool) => {
      const words = name.split("_");
      const { id } = packageOf(tool);

      expect(verbs.has(words[0]!) || verbs.has(words[1]!) || name.includes(id.replaceAll("-", "_"))).toBe(
        true,
      );
    },
  );
});

describe("schemas", () => {
  each("APTIX-53, APTIX-54: every argument of %s has a simple type and a description", (_, tool) => {
    for (const [path, property] of propertiesOf(tool).flatMap(([name, whole]) => nested(name, whole))) {
      const types = [property, ...(property.anyOf ?? [])].flatMap(({ type }) => type ?? []);
      expect([path, types.length > 0]).toEqual([path, true]);
      for (const type of types)
        expect(["string", "number", "integer", "boolean", "object", "array"], path).toContain(type);
      expect([path, property.description?.trim() ?? ""]).not.toEqual([path, ""]);
    }
  });

  each(
    "APTIX-56, APTIX-52: the schema of %s is an object that describes all its arguments, and admits no others",
    (_, tool) => {
      expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      for (const name of (tool.inputSchema["required"] ?? []) as string[])
        expect(propertiesOf(tool).map(([known]) => known)).toContain(name);
    },
  );
});

describe("descriptions", () => {
  each(
    "APTIX-57, AMP-9, FORGE-4: that of %s says in one or two sentences what it does, when to use it, and when not",
    (_, tool) => {
      const { description } = tool;

      expect(description.length).toBeGreaterThan(40);
      expect(description.length).toBeLessThanOrEqual(300);
      expect(description).toMatch(/\b[Uu]se (?:\w+ )?(?:when|to|for|only|before|after|with|it)\b/);
      expect(description).toMatch(/\b(?:not|use \w+_\w+|use \w+|instead|else|by itself)\b/);
      expect(description).not.toMatch(/\b(?:maybe|perhaps|various|etc|something like)\b/i);
    },
  );

  each(
    "APTIX-59: that of %s is more compact than its usage, and both are about the same tool",
    (name, { description, usage = "" }) => {
      expect(description.length).toBeLessThan(usage.length / 2);
      expect(usage.startsWith(`${name}: `)).toBe(true);
    },
  );
});

describe("usage", () => {
  each(
    "APTIX-72, APTIX-60, APTIX-62, APTIX-63, APTIX-64, APTIX-66, APTIX-67: that of %s has every part, none empty",
    (_, tool) => {
      const { sections } = readUsage(tool);

      expect([...sections.keys()]).toEqual(layout);
      for (const [title, text] of sections) expect([title, text]).not.toEqual([title, ""]);
    },
  );

  each("APTIX-60, APTIX-63: the rules of %s say when to use it, and when not", (_, tool) => {
    const rules = readUsage(tool).sections.get("Rules")!;

    expect(rules).toMatch(/\b[Uu]se \w+/);
    expect(`${rules}\n${readUsage(tool).sections.get("Bad usage")}`).toMatch(
      /\b(?:not|never|instead|nothing|no)\b/i,
    );
  });

  each(
    "APTIX-65: that of %s says how it behaves: what it changes, its limits, or whether it may be called again",
    (_, tool) => {
      expect(tool.usage).toMatch(
        /\b(?:changes nothing|at most|again|once|sparingly|often|same|page|limit|lasts|kept|order|overwrit\w+|is fine|for good|longer|turn)\b/,
      );
    },
  );

  each(
    "APTIX-68, APTIX-69: that of %s is short, plain text, without hidden characters, secrets or steering",
    (_, tool) => {
      const { usage = "" } = tool;

      expect(usage.length).toBeLessThan(6000);
      expect(usage).not.toMatch(/\b(?:TODO|FIXME|lorem)\b(?!")/);
      expect(usage.split("\n").filter((line) => line !== line.trimEnd())).toEqual([]);
      expect(scanDefinition({ name: tool.name, description: tool.description, usage })).toEqual([]);
    },
  );

  each("APTIX-70: the arguments that the usage of %s describes are those of its schema", (_, tool) => {
    const required = (tool.inputSchema["required"] ?? []) as string[];
    const described = readUsage(tool).arguments;

    expect(described.map(({ name }) => name).toSorted()).toEqual(
      propertiesOf(tool)
        .map(([name]) => name)
        .toSorted(),
    );
    for (const { name, required: must } of described)
      expect([name, must]).toEqual([name, required.includes(name)]);
    for (const [name, { type }] of propertiesOf(tool))
      if (type !== undefined)
        expect([name, described.find((one) => one.name === name)?.type]).toEqual([name, type]);
  });

  each("APTIX-70, APTIX-67: every good example of %s fits its schema", (_, tool) => {
    const parse = compiler.compile(tool.inputSchema);
    const { examples } = readUsage(tool);

    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples)
      expect([example, parse(JSON.parse(example))]).toMatchObject([example, { ok: true }]);
  });

  each("APTIX-71: that of %s names no file of its code, and no tool that does not exist", (_, tool) => {
    const known = new Set([...tools.map(({ name }) => name), ...propertiesOf(tool).map(([name]) => name)]);
    const { sources } = packageOf(tool);
    const bullets = [...tool.usage!.matchAll(/\buse ([a-z]+_[a-z_]+)\b/g)].map(([, name = ""]) => name);

    for (const name of bullets) expect([...known]).toContain(name);
    const own = [...sources.keys()].filter((file) => !["index.ts", "config.ts", "module.ts"].includes(file));
    for (const file of own) expect(tool.usage).not.toContain(file);
    expect(tool.usage).not.toMatch(/\b(?:internally|currently implemented|source code|node_modules\/)/);
  });

  test.each(packages.map((shipped) => [shipped.id, shipped] as const))(
    "APTIX-104, APTIX-105, APTIX-5: %s keeps its usage beside the code, as constant texts of several lines",
    (_, { id, sources }) => {
      const texts = [...sources]
        .filter(([file]) => file.endsWith("usage.ts") || file.startsWith("usage/"))
        .map(([, text]) => text)
        .join("\n");
      const own = tools.filter(({ owner, name }) => owner === "host" && ownerOf(name) === id);

      for (const { name, usage = "" } of own) {
        expect(usage.split("\n").length, name).toBeGreaterThan(5);
        expect(texts, name).toMatch(new RegExp(`^export const \\w+ = \`${name}: `, "m"));
      }
      expect(texts).not.toMatch(/\$\{/);
    },
  );

  test.each(packages.map((shipped) => [shipped.id, shipped] as const))(
    "APTIX-76, APTIX-66: every code that %s answers with is explained in a usage text of its own",
    (_, { id, sources, readme }) => {
      const code = [...sources]
        .filter(([file]) => !file.endsWith("usage.ts"))
        .map(([, text]) => text)
        .join("\n");
      const codes = new Set([...code.matchAll(/\bcode: "([A-Z][A-Z_]+)"/g)].map(([, name]) => name!));
      const own = tools.filter(({ name }) => ownerOf(name) === id);
      // A module whose tools are those of its config explains the codes in its README, too.
      const usage = own.length === 0 ? readme : own.map((tool) => tool.usage).join("\n");

      for (const name of codes) expect(usage, `${id}: ${name}`).toContain(name);
    },
  );
});

test.each(packages.map((shipped) => [shipped.id, shipped] as const))(
  "APTIX-26: %s keeps the types of its tools' arguments to itself",
  (_, { sources }) => {
    const published = sources.get("index.ts")!;

    expect(published).not.toMatch(/\b\w*(?:Arguments|Params|Input)\b/);
    expect(published).not.toMatch(/\bschema\b/);
  },
);

describe("a strict protocol of call and return", () => {
  each("APTIX-22: %s answers every call, also one that makes no sense", async (name, tool) => {
    const bad = ["{", "[]", '"text"', '{"no_such_argument":1}'];
    const outcomes = await Promise.all(bad.map((given) => host.call({ name, arguments: given })));

    for (const { status, result } of outcomes)
      expect([status, result.tool, typeof result.error]).toEqual(["invalid", tool.name, "string"]);
  });

  test("APTIX-22: a turn that waits for its client is resumed and ends once", async () => {
    const waiting = createHost({ store: createMemoryStore() });
    waiting.coordinator.mount(
      "tools",
      defineTool({
        name: "ask_user",
        description: "Asks the user at the client.",
        schema: z.strictObject({}),
        category: "read",
        consequenceLevel: "low",
        requiresConfirmation: false,
        execution: "client",
        execute: () => data(null),
      }),
    );
    const session = waiting.session("s-1");
    const first = await session.call({ name: "ask_user" }, { turnId: "t-1" });
    const resumed = await session.resume(first.ticket!, {}, { data: { answer: "yes" } });

    expect([first.status, resumed.status, resumed.result.data]).toEqual(["pending", "ok", { answer: "yes" }]);
    await expect(session.resume(first.ticket!, {}, { data: "no" })).rejects.toMatchObject({
      code: "TICKET_USED",
    });
  });
});

function ownerOf(tool: string): string | undefined {
  return packages.find(({ manifest }) => manifest.toolmount?.tools?.some(({ name }) => name === tool))?.id;
}

function packageOf({ name }: ToolInfo): ToolPackage {
  return packages.find(({ id }) => id === ownerOf(name))!;
}
