import { silentLogger } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { openHost } from "../../src/index.ts";
import { readSourceFiles } from "../../src/modules/source-files.ts";
import { workspace } from "../workspace.ts";

/** The text of a file with one tool, whose answer is the value of an expression. */
const toolThat = (answer: string, before = "") => `${before}
import { defineTool } from "@toolmount/core";
import { z } from "zod";
export const ask = defineTool({
  name: "ask",
  description: "Answers with the value of an expression. Use in tests.",
  schema: z.strictObject({}),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: () => ({ data: ${answer} }),
});
`;

const greet = { "lib/greet.ts": 'export const greet = (name: string) => "hello " + name;\n' };
const note = { "lib/note.ts": "export interface Note { readonly text: string }\nexport const none = 0;\n" };

interface Idiom {
  readonly files?: Readonly<Record<string, string>>;
  readonly file?: string;
  readonly text: string;
  readonly answer: unknown;
}

const project = (compilerOptions: object) => ({ "tsconfig.json": JSON.stringify({ compilerOptions }) });

/** What core's own tests try in each form is tried here through a plan. */
const idioms: Readonly<Record<string, Idiom>> = {
  "an enum": { text: toolThat("Level.High", 'enum Level { Low = "low", High = "high" }'), answer: "high" },
  "an import without an ending": {
    files: greet,
    text: toolThat('greet("ann")', 'import { greet } from "./lib/greet";'),
    answer: "hello ann",
  },
  "decorators of experimentalDecorators": {
    files: project({ experimentalDecorators: true }),
    text: toolThat(
      "Box.name",
      "const named = (box: any) => class extends box { static name = 'named'; } as any;\n@named class Box {}",
    ),
    answer: "named",
  },
  "a .tsx file": { file: "tool.tsx", text: toolThat("1"), answer: 1 },
};

describe("CARD-7: a tool file is any TypeScript", () => {
  test.each(Object.entries(idioms))("%s", async (_, { file = "tool.ts", files, text, answer }) => {
    const { host } = await open({ ...files, [file]: text }, file);

    expect((await host.call({ name: "ask" })).result.data).toEqual(answer);
    await host.close();
  });

  test("`paths` for every name, of which the folder has one and packages have the others", async () => {
    const files = { ...project({ paths: { "*": ["./lib/*"] } }), "lib/own.ts": "export const own = 1;\n" };
    const { host } = await open(
      { ...files, "tool.ts": toolThat("own", 'import { own } from "own";') },
      "tool.ts",
    );

    expect((await host.call({ name: "ask" })).result.data).toBe(1);
    await host.close();
  });
});

describe("a file that is compiled", () => {
  const before = 'enum Level { Low = "low" }\ninterface Note {\n  text: string;\n}\n';

  test("fails at the line of its source", async () => {
    const { error, path } = await refused(
      `${before}const text: string = Level.Low;\nthrow new Error(text);\n`,
    );

    expect(error).toMatchObject({
      code: "MODULE_IMPORT_FAILED",
      details: { origin: { file: path("tool.ts"), line: 6 } },
    });
  });

  test.each(["tool.ts", "tool.tsx"])("names the place of what is no TypeScript, in %s", async (file) => {
    const { error, path } = await refused(`${before}const text: string = = 1;\n`, file);

    expect(error).toMatchObject({
      code: "MODULE_IMPORT_FAILED",
      details: { origin: { file: path(file), line: 5, column: 22 } },
    });
  });

  test("fails to import what does not exist, at the line of the import", async () => {
    const { error, path } = await refused(
      `${before}import { gone } from "./gone.js";\nexport const tools = [gone, Level];\n`,
    );

    expect(error).toMatchObject({ details: { origin: { file: path("tool.ts"), line: 5 } } });
  });
});

test("a reload sees an edit of a file that an import reaches only as `tsc` resolves it", async () => {
  const text = toolThat(
    "greet('ann') + kind",
    'import { greet } from "@/greet.js";\nimport { kind } from "./lib/kind";',
  );
  const files = {
    ...greet,
    ...project({ paths: { "@/*": ["./lib/*"] } }),
    "lib/kind.ts": "export enum Kind { A = ' a' }\nexport const kind = Kind.A;\n",
  };
  const { host, write } = await open({ ...files, "tool.ts": text }, "tool.ts");

  await write({ "lib/kind.ts": "export const kind = ' b';\n" });
  await host.reload();
  expect((await host.call({ name: "ask" })).result.data).toBe("hello ann b");
  await write({ "lib/greet.ts": 'export const greet = (name: string) => "bye " + name;\n' });
  await host.reload();
  expect((await host.call({ name: "ask" })).result.data).toBe("bye ann b");
  await host.close();
});

test("the files of a module are those that its imports reach, and the project that decides about them", async () => {
  const files = { ...greet, ...note, ...project({ paths: { "@/*": ["./lib/*"] } }) };
  const { path } = await workspace({
    ...files,
    "tool.ts": 'import { greet } from "@/greet";\nimport "./lib/note.js";\n',
    "plain.ts": 'import "./lib/note.js";\n',
  });

  const filesOf = async (name: string) => [...(await readSourceFiles(path(name))).digests.keys()].toSorted();
  expect(await filesOf("tool.ts")).toEqual(
    ["lib/greet.ts", "lib/note.ts", "tool.ts", "tsconfig.json"].map(path),
  );
  expect(await filesOf("plain.ts")).toEqual(["lib/note.ts", "plain.ts"].map(path));
});

async function open(files: Readonly<Record<string, string>>, file: string) {
  const space = await workspace({ ...files, "plan.yaml": `tools: [{ module: ./${file} }]` });
  return { ...space, host: await openHost(space.path("plan.yaml"), { logger: silentLogger }) };
}

/** The one problem of a plan whose module is this file. */
async function refused(text: string, file = "tool.ts") {
  const { path } = await workspace({ [file]: text, "plan.yaml": `tools: [{ module: ./${file} }]` });
  const failure = await openHost(path("plan.yaml"), { logger: silentLogger }).catch(
    (error: unknown) => error,
  );
  const { details } = failure as { details: { problems: readonly unknown[] } };
  return { path, error: details.problems?.[0] ?? failure };
}
