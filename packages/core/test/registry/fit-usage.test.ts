import fc from "fast-check";
import { expect, test } from "vitest";
import { fitUsage } from "../../src/registry/fit-usage.ts";

const usage = `read_file: read one file

Arguments
- file_path (string, required): the file.
- offset (integer, optional): the first line.
- \`limit\` (integer, optional): how many lines.

Good usage
- {"file_path":"a.txt","offset":10,"limit":20}
- {"limit": 5, "file_path": "limit.txt"}`;

test("guidance has neither a description nor an example of an argument that the plan hides", () => {
  const text = fitUsage(usage, { offset: { hidden: true }, limit: { hidden: true, default: 500 } });
  const [note, ...rest] = text.split("\n");

  expect(note).toBe(
    "Arguments here, whatever the text below says: not available: offset, limit (never pass them).",
  );
  expect(rest.join("\n")).not.toMatch(/- `?(?:offset|limit)|"(?:offset|limit)"/);
  expect(rest).toContain('- {"file_path":"a.txt"}');
  expect(rest).toContain('- {"file_path": "limit.txt"}');
  expect(rest).toContain("- file_path (string, required): the file.");
});

test.each([
  [
    "- Read a long file in parts; read the part you need by offset and limit.",
    "- Read a long file in parts.",
  ],
  [
    "- INVALID_ARGUMENTS: file_path is missing, or offset or limit is below 1.",
    "- INVALID_ARGUMENTS: file_path is missing.",
  ],
  ["- It returns at most limit lines. It is quick.", "- It is quick."],
  [
    "- FILE_TOO_LARGE: larger than the limit; use grep.",
    "- FILE_TOO_LARGE: larger than the limit; use grep.",
  ],
  ["- next_offset is the start of the next page.", "- next_offset is the start of the next page."],
  ["Pass `offset`.", null],
])("of %j, the clauses about hidden arguments are removed", (line, kept) => {
  const text = fitUsage(line, { offset: { hidden: true }, limit: { hidden: true } });

  expect(text.split("\n\n").slice(1).join("")).toBe(kept ?? "");
});

test("guidance says the default that the plan gives an argument", () => {
  expect(fitUsage(usage, { limit: { default: 500 } })).toBe(
    `Arguments here, whatever the text below says: limit is 500 when left out.\n\n${usage}`,
  );
});

test("a text without overrides is unchanged, and any text can be fitted", () => {
  expect(fitUsage(usage, {})).toBe(usage);
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (text, name) => {
      expect(fitUsage(text, { [name]: { hidden: true } })).toContain("never pass them");
    }),
  );
});
