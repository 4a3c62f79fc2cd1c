import type { JsonSchema, ToolInfo } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";

const head =
  "// Written by `toolmount types`. Do not change it: change the plan or its tools, and write it again.\n";

/** Returns the types of the tools: a namespace for each tool, and the interface `Tools` with all of them. */
export async function renderTypes(tools: readonly ToolInfo[]): Promise<string> {
  const names = identifiersOf(tools);
  const spaces = await Promise.all(tools.map((tool, at) => renderSpace(names[at]!, tool)));
  const members = tools.map(({ name }, at) => {
    const space = names[at]!;
    return `  ${JSON.stringify(name)}: { arguments: ${space}.Arguments; data: ${space}.Data };`;
  });
  const all = `/** The arguments of each tool, and the data of its result. */\nexport interface Tools {\n${members.join("\n")}\n}\n`;
  return [head, ...spaces, all].join("\n");
}

/** Returns the code of a client with one method for each tool. It makes its calls through a host or a session of a host. */
export function renderClient(tools: readonly ToolInfo[]): string {
  const names = tools.map(({ name }) => `  ${JSON.stringify(name)},\n`).join("");
  return `${head}
import type { CallRequest, ToolOutcome } from "@toolmount/core";
import type { Tools } from "./toolmount-tools.d.ts";

/** Makes calls: a host, or one session of it. */
interface Caller {
  call(request: CallRequest): Promise<ToolOutcome>;
}

/** One method for each tool of the plan. */
type Client = {
  readonly [Name in keyof Tools]: (given: Tools[Name]["arguments"]) => Promise<ToolOutcome<Tools[Name]["data"]>>;
};

const names = [
${names}] as const satisfies readonly (keyof Tools)[];

/** Makes a client. A call never rejects for what the tool did: its outcome has the status. */
export function createClient(caller: Caller): Client {
  const methods = names.map((name) => [name, (given: object) => caller.call({ name, arguments: given as never })]);
  return Object.fromEntries(methods) as Client;
}
`;
}

async function renderSpace(
  space: string,
  { description, inputSchema, outputSchema }: ToolInfo,
): Promise<string> {
  const parts = [
    await renderSchema("Arguments", inputSchema),
    outputSchema === undefined ? "export type Data = unknown;" : await renderSchema("Data", outputSchema),
  ];
  const inner = parts.join("\n").trimEnd().split("\n");
  const body = inner.map((line) => (line === "" ? "" : `  ${line}`)).join("\n");
  return `/** ${comment(description)} */\nexport declare namespace ${space} {\n${body}\n}\n`;
}

async function renderSchema(name: string, schema: JsonSchema): Promise<string> {
  const { compileTypes } = await import("../carried/schema-types.ts");
  try {
    return await compileTypes(plainSchema(schema) as object, name);
  } catch (error) {
    return `/** The schema has no type: ${comment(messageOf(error))} */\nexport type ${name} = Record<string, unknown>;`;
  }
}

/** Returns a text as one line of at most 1,000 characters for a comment, which it cannot end. */
function comment(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("*/", "* /").trim().slice(0, 1_000);
}

/** Returns a TypeScript name for each tool: `notes.read-one` is `NotesReadOne`. A name that is already taken gets a number. */
function identifiersOf(tools: readonly ToolInfo[]): string[] {
  const taken = new Set(["Tools"]);
  return tools.map(({ name }) => {
    const words = name.split(/[^A-Za-z0-9]+/).filter(Boolean);
    const joined = words.map((word) => `${word[0]!.toUpperCase()}${word.slice(1)}`).join("");
    const base = /^[A-Za-z]/.test(joined) ? joined : `Tool${joined}`;
    let free = base;
    for (let count = 2; taken.has(free); count++) free = `${base}${count}`;
    taken.add(free);
    return free;
  });
}

/** Keywords that the type compiler would use as names of types, or copy into the file as code. */
const dropped: ReadonlySet<string> = new Set(["title", "id", "$id", "$schema", "tsType", "tsEnumNames"]);

/** Keywords that hold a map: their members' names are chosen by the schema's author and are not keywords. */
const maps: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** Keywords whose values are data, not schemas. */
const values: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);

/**
 * Returns a schema for the type compiler. Left out are titles, which would become type names and could be the same in two
 * tools, and `tsType`, which would be copied into the file as code: a server may have written either.
 */
function plainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plainSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (dropped.has(key)) return [];
    if (values.has(key)) return [[key, value]];
    // The compiler knows only the keywords of older drafts for lists with fixed items.
    if (key === "prefixItems") return [["items", plainSchema(value)]];
    if (key === "items" && "prefixItems" in schema) return [["additionalItems", plainSchema(value)]];
    if (key === "description" && typeof value === "string") return [[key, value.replaceAll("*/", "* /")]];
    return [[key, maps.has(key) ? plainMembers(value) : plainSchema(value)]];
  });
  return Object.fromEntries(members);
}

function plainMembers(map: unknown): unknown {
  if (typeof map !== "object" || map === null || Array.isArray(map)) return map;
  return Object.fromEntries(Object.entries(map).map(([name, schema]) => [name, plainSchema(schema)]));
}
