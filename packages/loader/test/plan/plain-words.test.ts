import { expect, test } from "vitest";
import { inspectPlan } from "../../src/commands/index.ts";
import type { Problem } from "../../src/index.ts";
import { workspace } from "../workspace.ts";

/** The problems of a plan as a person reads them: line, column and sentence. */
async function problemsOf(plan: string): Promise<readonly string[]> {
  const space = await workspace({ "plan.yaml": plan });
  const problems = await inspectPlan(space.path("plan.yaml")).then(
    (inspected) => inspected.problems,
    (error: { details: { problems: readonly Problem[] } }) => error.details.problems,
  );
  return problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}
test.each([
  [
    "a scoped package without quotes",
    "tools:\n  - module: @acme/tool\n",
    `2:13 a value cannot begin with this character; put the value in quotes: "@acme/tool"`,
  ],
  [
    "a brace that is not closed",
    "tools:\n  - module: a\n    config: {roots: [.]\n",
    "3:13 the { of line 3 is not closed; add }",
  ],
  [
    "a bracket that is not closed, lines above the error",
    "tools:\n  - module: a\n    config: { roots: [., b }\nname: x\n",
    "3:22 the [ of line 3 is not closed; add ]",
  ],
  [
    "a quote that is not closed",
    'tools:\n  - module: "a\n',
    `2:13 the " of line 2 is not closed; add " at the end of the text`,
  ],
  [
    "a colon without a blank",
    "tools:\n  - module:filesystem\n",
    `2:5 a blank is missing after the colon; write "module: filesystem"`,
  ],
  [
    "a glob without quotes",
    "tools:\n  - module: a\n    config: { roots: [*.md] }\n",
    `3:23 a value that begins with * is an alias in YAML; put the text in quotes: "*.md"`,
  ],
  [
    "a word for true",
    "tools:\n  - module: a\n    required: yes\n",
    "3:15 required must be true or false, not a string",
  ],
  [
    "a number below its bound",
    "tools:\n  - module: a\n    limits: { outputBytes: 0 }\n",
    "3:28 limits.outputBytes must be more than 0",
  ],
  ["an empty list", "modes: { catalog: [] }\n", "1:19 modes.catalog must have at least 1 item"],
  [
    "a fraction",
    "tools:\n  - module: a\n    limits: { concurrent: 1.5 }\n",
    "3:27 limits.concurrent must be a whole number",
  ],
  ["another choice", "tools: [{ module: a, wake: later }]\n", `1:28 wake must be one of "start", "call"`],
])("%s is explained by what was probably meant, at its line", async (_, plan, expected) => {
  expect(await problemsOf(plan)).toContain(expected);
});
