import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { root, workspace } from "../support/workspace.ts";

const hostile = `
  import { data, type Coordinator } from "@toolmount/core";

  const schema = {
    type: "object",
    title: "Same",
    description: "*/ export const evil = 1; /*",
    properties: {
      limit: { type: "integer", description: "*/ broken" },
      kind: { enum: ["a", "b"] },
      item: { $ref: "#/$defs/Item" },
      code: { tsType: "any; }; const evil = 1; interface X {" },
    },
    required: ["limit"],
    additionalProperties: false,
    $defs: { Item: { type: "object", title: "Same", properties: { name: { type: "string" } } } },
  };
  const given = (shown) => ({
    "~standard": {
      version: 1,
      vendor: "test",
      validate: () => ({ issues: [{ message: "no test calls it" }] }),
      jsonSchema: { input: () => shown, output: () => shown },
    },
  });
  const tool = (name, shown) => ({
    name,
    description: "Does what a test wants. */ export const evil = 1; /* Use in tests.",
    schema: given(shown),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: () => data("done"),
  });

  export function mount(coordinator: Coordinator) {
    coordinator.mount("tools", tool("note.read-one", schema));
    coordinator.mount("tools", tool("note_read_all", { type: "object", properties: { file: { $ref: "file:///etc/passwd" } } }));
  }
`;

const plan = `version: 1
tools:
  - module: ./hostile.ts
  - module: ./count.ts
`;

const counts = `
  import { data, defineTool } from "@toolmount/core";
  import { z } from "zod";

  export const countWords = defineTool({
    name: "count_words",
    description: "Counts words. Use in tests.",
    schema: z.strictObject({ text: z.string(), limit: z.int().optional() }),
    outputSchema: z.strictObject({ words: z.int() }),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: ({ text }) => data({ words: text.split(" ").length }),
  });
`;

const program = `
import type { Host } from "@toolmount/core";
import { createClient } from "./made/toolmount-client.ts";

declare const host: Host;
const tools = createClient(host);
const outcome = await tools.count_words({ text: "one two" });
export const words: number | undefined = outcome.result.data?.words;
await tools["note.read-one"]({ limit: 3, kind: "a", item: { name: "n" } });
// @ts-expect-error a limit is a number
await tools["note.read-one"]({ limit: "3" });
// @ts-expect-error the text is missing
await tools.count_words({});
`;

test("types writes declarations and a typed client, which a compiler accepts, and no text of a tool becomes code", async () => {
  const {
    folder,
    here: run,
    read,
    write,
  } = await workspace({
    "mount-plan.yaml": plan,
    "hostile.ts": hostile,
    "count.ts": counts,
    "program.ts": program,
    "package.json": '{"type":"module"}',
  });
  const made = await run(["types", "--out", "made"]);
  expect(made.code, made.stderr).toBe(0);
  const types = await read("made/toolmount-tools.d.ts");
  const tsc = join(root, "node_modules/.bin/tsc");
  const options =
    "--noEmit --strict --skipLibCheck --exactOptionalPropertyTypes --module nodenext --target es2024 --allowImportingTsExtensions --types node";
  const compiled = await promisify(execFile)(
    tsc,
    [...options.split(" "), "--typeRoots", join(root, "node_modules/@types"), "program.ts"],
    { cwd: folder },
  ).catch(({ stdout }: { stdout: string }) => ({ stdout }));

  expect(compiled.stdout).toBe("");
  expect(types).not.toMatch(/^\s*(?:export )?const evil/m);
  expect(types).not.toContain("root:");
  expect(types).toContain('"note.read-one": { arguments: NoteReadOne.Arguments; data: NoteReadOne.Data };');
  const same = await run(["types", "--out", "made", "--check"]);
  await write("made/toolmount-client.ts", "// another");
  const other = await run(["types", "--out", "made", "--check", "--json"]);
  expect([same.code, other.code]).toEqual([0, 1]);
  expect(other.json()).toMatchObject({ changed: [join(folder, "made/toolmount-client.ts")], tools: 3 });
});
