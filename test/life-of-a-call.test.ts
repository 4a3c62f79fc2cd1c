import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hopNames } from "../packages/core/src/call/transitions.ts";
import { errorCodes } from "@toolmount/core";

const page = await readFile(join(import.meta.dirname, "../docs/reference/life-of-a-call.md"), "utf8");
const drawing = /^```mermaid\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? "";

test("the drawing of a call has core's hops, numbered in core's order, and no others", () => {
  const boxes = [...drawing.matchAll(/(\w+)\["(\d+) (\w+)<br\/>/g)].map(([, id, number, name]) => ({
    id,
    number,
    name,
  }));

  expect(boxes).toEqual(hopNames.map((name, at) => ({ id: name, number: String(at + 1), name })));
});

test("each hop of the drawing leads to the next, and those before the last can lead to it at once", () => {
  const plain = [...drawing.matchAll(/^ {2}(\w+)(?:\([^)]*\))? --> (\w+)/gm)].map(
    ([, from, to]) => `${from} ${to}`,
  );
  const early = [...drawing.matchAll(/^ {2}(\w+) -- ".+" --> (\w+)$/gm)].map(
    ([, from, to]) => `${from} ${to}`,
  );
  const last = hopNames.at(-1)!;

  expect(plain).toEqual(
    expect.arrayContaining(hopNames.slice(1).map((name, at) => `${hopNames[at]} ${name}`)),
  );
  expect([...new Set(early)]).toEqual(hopNames.slice(0, -1).map((name) => `${name} ${last}`));
});

test("the codes at the drawing's arrows are codes of core", () => {
  const codes = [
    ...drawing.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b|\b(?:PENDING|DENIED|CANCELLED|UNAVAILABLE)\b/g),
  ].map(String);

  expect(codes.length).toBeGreaterThan(10);
  expect(codes.filter((code) => !(errorCodes as readonly string[]).includes(code))).toEqual([]);
});
