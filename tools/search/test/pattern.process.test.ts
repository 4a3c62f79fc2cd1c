import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createGlob, createGrep } from "@toolmount/tool-search";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scratch } from "./scratch.ts";

const name = fc.stringMatching(/^[a-c.[\]{}!*?,-]{1,4}$/).filter((text) => !/^\.+$/.test(text));
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));

/** A pattern that means exactly this path. */
function literally(text: string): string {
  return text.replaceAll(/[[\]{}!*?,\\]/g, String.raw`\$&`);
}

test("a path whose special characters have a \\ before them is found, and nothing else is", async () => {
  const folder = scratch();
  const glob = createGlob({ working_dir: folder.base });
  await fc.assert(
    fc.asyncProperty(path, async (wanted) => {
      const isThere = plant(folder.path(wanted));
      fc.pre(isThere);
      const { data } = await glob.execute({ pattern: literally(wanted) });

      expect(data?.matches.map((found) => found.path)).toEqual([wanted]);
    }),
    { numRuns: 60, examples: [["\0"], ["a\0b"]] },
  );
});

/** False where a file blocks a folder, or the other way round. */
function plant(at: string): boolean {
  try {
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, "x");
    return true;
  } catch {
    return false;
  }
}

test("whatever text is given as a pattern, the answer is a result or a refusal in words", async () => {
  const folder = scratch({ "a/b.txt": "x", "c.txt": "x" });
  const glob = createGlob({ working_dir: folder.base });
  const grep = createGrep({ working_dir: folder.base });
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[ab{}[\]*?!,\\/.^-]*$/));
  await fc.assert(
    fc.asyncProperty(text, async (pattern) => {
      const answers = [
        await glob.execute({ pattern, exclude: [pattern] }),
        await grep.execute({ pattern: "x", glob: pattern }),
        await grep.execute({ pattern }),
      ];

      for (const { error, code } of answers) {
        expect(error === undefined).toBe(code === undefined);
        expect([undefined, "INVALID_PATTERN", "INVALID_ARGUMENTS"]).toContain(code);
      }
    }),
    { numRuns: 60 },
  );
});
