import { expect, test } from "vitest";
import { config } from "../src/index.ts";

const problemOf = (section: unknown) => {
  const { error } = config.safeParse(section);
  const [issue] = error!.issues;
  // Of a choice, the problem of the choice that fits best is inside.
  return issue!.message;
};
const into = (fields: object) => ({ flows: { into: [{ match: {}, ...fields }] } });
const results = (fields: object) => ({ flows: { results: [{ match: {}, ...fields }] } });

test.each([
  [
    { deny: ["b ash"] },
    "a tool's name or a glob, and in brackets a pattern of its first required argument: bash(git push*), or of a named one: grep(path: src/*); or a kind of tools: category: delete, consequence: high, tag: shell",
  ],
  [
    { ask: [{ category: "delete" }] },
    'a line is a text; write one with a colon in quotes: "category: delete"',
  ],
])("%j is refused with a sentence that says what is valid", (section, problem) => {
  expect(problemOf(section)).toBe(problem);
});

test.each([
  [
    results({ trust: "ours" }),
    "the trust of a result is trusted, structured, contact, identity, untrusted or _meta.ifc",
  ],
  [results({}), "a line about results says `trust`, `fields` or `audience`"],
  [
    into({ from: ["others"] }),
    "a source is user, identity, trusted, structured, contact, sameHost, shownLink, lastPart or whole",
  ],
])("the flows %j are refused with a sentence that says what is valid", (section, problem) => {
  expect(JSON.stringify(config.safeParse(section).error)).toContain(problem);
});
