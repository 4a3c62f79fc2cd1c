import { expect, test } from "vitest";
import { oneTool, workspace } from "../support/workspace.ts";

const note = oneTool({ name: "note", schema: "text: z.string()", body: "return data(params.text);" });
const guard = `#!/bin/sh
# as a script for Claude Code is written
if grep -q '"text":"secret' ; then echo "no secrets in notes" >&2; exit 2; fi
`;
const plan = (hook: string) => `version: 1
tools:
  - module: ./note.ts
hooks:
  ${hook}
`;

test("a plan's hooks may be commands, which decide about calls", async () => {
  const files = {
    "plans/plan.yaml": plan('- command: "sh ./guard.sh"'),
    "plans/note.ts": note,
    "plans/guard.sh": guard,
  };
  const { here: run } = await workspace(files);
  const [allowed, denied, checked] = await Promise.all([
    run(["call", "plans/plan.yaml", "note", "text=hello"]),
    run(["call", "plans/plan.yaml", "note", "text=secret"]),
    run(["check", "plans/plan.yaml"]),
  ]);

  expect([allowed.code, allowed.stdout]).toEqual([0, expect.stringContaining("hello")]);
  expect([denied.code, denied.stdout]).toEqual([1, expect.stringContaining("no secrets in notes")]);
  expect([checked.code, checked.stdout]).toEqual([
    0,
    "✔ plans/plan.yaml: 1 module, 1 tool\n  the next command runs or reads, and tools cannot change: guard.sh\n",
  ]);
});

test.each([
  ["- { command: ./guard.sh, event: tool:pre }", /PLAN_KEY_UNKNOWN plan.yaml:5:[\s\S]*did you mean "events"/],
  ["- { command: [], timeoutMs: 5 }", /plan.yaml:5:16[\s\S]*the command of a hook is a text/],
])("a mistake in %s is reported with its place", async (hook, says) => {
  const { here: run } = await workspace({ "plan.yaml": plan(hook), "note.ts": note });
  const { code, stdout } = await run(["check", "plan.yaml"]);

  expect([code, stdout]).toEqual([78, expect.stringMatching(says)]);
});

test("a plan with a command is listed from manifests", async () => {
  const text = "version: 1\ntools:\n  - module: hello-world\nhooks:\n  - command: ./guard.sh\n";
  const { here: run } = await workspace({ "plan.yaml": text });
  const { code, json } = await run(["list", "plan.yaml", "--json"]);

  expect([code, json()["from"]]).toEqual([0, "manifests"]);
});
