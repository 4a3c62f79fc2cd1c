import type { ToolOutcome } from "@toolmount/core";
import { expect, test } from "vitest";
import { quoted, writeNextCommands } from "../../src/render/next-commands.ts";
import { markedScreen } from "../support/marked-screen.ts";

test.each([
  ["plan.yaml", "plan.yaml"],
  ["a/b:c@d=e-f_1.x", "a/b:c@d=e-f_1.x"],
  ["two words", "'two words'"],
  ["it's", String.raw`'it'\''s'`],
  ["", "''"],
  ["a\u001b", "'a\\u001b'"],
  ["$(rm)", "'$(rm)'"],
])("a shell reads the word %j as it is: %s", (word, text) => {
  expect(quoted(word)).toBe(text);
});

test("after a pending call, the commands that answer and resume it are shown", () => {
  const shown = (outcome: object, place: object) => {
    const { screen, lines } = markedScreen();
    writeNextCommands(screen, outcome as ToolOutcome, { plan: undefined, ...place });
    return lines();
  };
  expect(shown({}, { plan: "a.yaml" })).toEqual([]);
  expect(shown({ ticket: "t1" }, {})).toEqual([
    "answer it: cyan(toolmount approvals list)",
    "then:      cyan(toolmount resume t1)",
  ]);
  expect(shown({ ticket: "t1" }, { plan: "my plan.yaml", session: "s 1", user: "ada" })).toEqual([
    "answer it: cyan(toolmount approvals list 'my plan.yaml')",
    "then:      cyan(toolmount resume t1 'my plan.yaml' --session 's 1' --user ada)",
  ]);
});
