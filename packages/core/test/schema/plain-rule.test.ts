import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createHost, type JsonObject } from "../../src/index.ts";
import { zodSize } from "../../src/schema/zod-parser.ts";
import { tool } from "../world.ts";

/** What a call says of one argument that its schema refuses. */
async function refusal(schema: z.ZodType, given: JsonObject): Promise<string | undefined> {
  const host = createHost();
  host.coordinator.mount("tools", tool(undefined, { schema: z.looseObject({ a: schema }) }));
  const { result } = await host.call({ name: "probe", arguments: given });
  await host.close();
  return result.error;
}

const rows: readonly (readonly [schema: () => z.ZodType, given: JsonObject, error: string])[] = [
  [() => z.string(), {}, "a is required"],
  [() => z.tuple([z.string()]), {}, "a is required"],
  [() => z.enum(["b", "c"]), {}, 'a is required, and must be one of "b", "c"'],
  [() => z.literal("b"), {}, 'a is required, and must be "b"'],
  [() => z.literal(true), {}, "a is required"],
  [() => z.string(), { a: 1 }, "a must be a string, not a number"],
  [() => z.boolean(), { a: "yes" }, "a must be true or false, not a string"],
  [() => z.array(z.string()), { a: { b: 1 } }, "a must be a list, not an object"],
  [() => z.array(z.string()), { a: ["b", null] }, "a[1] must be a string, not null"],
  [() => z.record(z.string(), z.number()), { a: [] }, "a must be an object, not a list"],
  [() => z.int(), { a: 1.5 }, "a must be a whole number"],
  [() => z.int(), { a: true }, "a must be a number, not a boolean"],
  [() => z.number().min(2), { a: 1 }, "a must be at least 2"],
  [() => z.number().gt(2), { a: 2 }, "a must be more than 2"],
  [() => z.number().max(2), { a: 3 }, "a must be at most 2"],
  [() => z.number().lt(2), { a: 2 }, "a must be less than 2"],
  [() => z.string().min(1), { a: "" }, "a must have at least 1 character"],
  [() => z.string().max(2), { a: "abc" }, "a must have at most 2 characters"],
  [() => z.array(z.string()).min(2), { a: [] }, "a must have at least 2 items"],
  [() => z.literal("b"), { a: "c" }, 'a must be "b"'],
  [() => z.enum(["b", "c"]), { a: "d" }, 'a must be one of "b", "c"'],
  [() => z.literal([1, 2]), { a: 3 }, "a must be one of 1, 2"],
  [() => z.string({ error: "name a city" }), { a: 1 }, "a: name a city"],
  [() => z.string().refine((text) => text !== "x", "not x"), { a: "x" }, "a: not x"],
  [() => z.int().refine(() => true), { a: "1" }, "a must be a number, not a string"],
];

test.each(rows.map(([schema, given, error]) => [error, schema, given] as const))(
  "an argument that its schema refuses is refused in plain words: %s",
  async (error, schema, given) => {
    expect(await refusal(schema(), given)).toBe(error);
  },
);

test("the words do not depend on the language or the sentences of Zod", async () => {
  const { localeError } = z.config(); // the object itself changes
  onTestFinished(() => void z.config({ localeError }));
  z.config(z.locales.de());

  for (const [schema, given, error] of rows) expect(await refusal(schema(), given)).toBe(error);
});

// `zod-parser.ts` reads `_zod.def`, which Zod offers to libraries, because the public ways cost a host of 100 packages 12 %
// more time: z.toJSONSchema prints every schema at the mount, and a probe prints it a second time. A new minor of Zod may add
// a kind of schema or a member of `def`. Before the number is changed here, run `late-print.test.ts`, which
// compares what is read with what Zod prints, and give each new kind its place in the lists of `zod-parser.ts` and in that test.
test("the parts of schemas are read as Zod 4.6 has them", () => {
  const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve("zod/package.json")), "utf8")) as {
    version: string;
  };

  expect(version).toMatch(/^4\.6\./);
  expect(zodSize(z.object({ a: z.string(), b: z.array(z.int()) }))).toBe(4);
});
