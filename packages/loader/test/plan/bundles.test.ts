import type { Coordinator } from "@toolmount/core";
import { expect, test } from "vitest";
import { lockPlan } from "../../src/commands/index.ts";
import { openHost } from "../../src/index.ts";
import { toolFile, workspace } from "../workspace.ts";

/** A reasoner and a policy that record their config. */
function recorder() {
  const seen: Record<string, Record<string, unknown>> = {};
  const note = (name: string) => ({
    mount: (_: Coordinator, config: Record<string, unknown>) => void (seen[name] = config),
  });
  return {
    seen,
    extensions: { "@toolmount/reasoner": note("reasoner"), "@toolmount/policy": note("policy") },
  };
}

async function open(files: Readonly<Record<string, string>>, file = "bundle.md") {
  const { path } = await workspace(files);
  const { seen, extensions } = recorder();
  await using host = await openHost(path(file), { env: { KEY: "k" }, extensions });
  return { seen, tools: host.tools().map(({ name }) => name) };
}

const problemsOf = async (files: Readonly<Record<string, string>>, file = "bundle.md") =>
  open(files, file).then(
    () => [],
    (error: { details: { problems: { message: string; file?: string; line?: number }[] } }) =>
      error.details.problems.map(
        ({ message, file: at, line }) => `${at?.split("/").at(-1)}:${line} ${message}`,
      ),
  );

const notes = {
  "bundle.md": `---
bundle: { name: notes, version: 1.0.0 }
includes:
  - bundle: ./behaviors/lists.yaml
session:
  orchestrator: { module: loop-streaming, config: { max_iterations: 7 } }
providers:
  - { module: provider-openai, config: { default_model: m, api_key: "\${KEY}" } }
tools:
  - { module: one, source: ./one.mjs }
agents:
  include: [notes:reader]
---

You keep notes. Write \${HOME} as it is. @notes:context/rules.md holds, and \`@notes:context/none.md\` is an example.
`,
  "one.mjs": toolFile("one"),
  "two.mjs": toolFile("two"),
  "context/rules.md": "Never delete. See @notes:context/names.md for names.\n",
  "context/names.md": "Names are short.\n",
  "context/lists.md": "Lists have bullets.\n",
  "agents/reader.md": `---
meta: { name: reader, description: Reads notes. }
provider_preferences: [{ provider: openai, model: small }]
---
You read. @notes:context/names.md
`,
  "behaviors/lists.yaml": `bundle: { name: lists-behavior }
tools:
  - { module: two, source: ../two.mjs }
context: { include: [notes:context/lists.md] }
`,
};

test("a bundle is a plan: its modules, its prompt with what it mentions, and its agents with their files", async () => {
  const { seen, tools } = await open(notes);

  expect(tools).toEqual(["one", "two"]);
  const reasoner = seen["reasoner"] as {
    instructions: string;
    session: { agents: unknown; providers: unknown; orchestrator: unknown };
  };
  expect(reasoner.instructions)
    .toBe(`You keep notes. Write \${HOME} as it is. @notes:context/rules.md holds, and \`@notes:context/none.md\` is an example.

<context_file paths="@notes:context/lists.md">
Lists have bullets.
</context_file>

<context_file paths="@notes:context/rules.md">
Never delete. See @notes:context/names.md for names.
</context_file>

<context_file paths="@notes:context/names.md">
Names are short.
</context_file>`);
  expect(reasoner.session).toMatchObject({
    orchestrator: { module: "loop-streaming", config: { max_iterations: 7 } },
    providers: [{ module: "provider-openai", config: { default_model: "m", api_key: "k" } }],
    agents: {
      "notes:reader": {
        description: "Reads notes.",
        provider_preferences: [{ provider: "openai", model: "small" }],
        instruction: `You read. @notes:context/names.md\n\n<context_file paths="@notes:context/names.md">\nNames are short.\n</context_file>`,
      },
    },
  });
});

test("the highest bundle with a text says the prompt, and modules of one name are one", async () => {
  const { seen, tools } = await open(
    {
      ...notes,
      "mine.yaml": `bundle: { name: mine }
includes: [{ bundle: ./bundle.md }]
providers:
  - { module: provider-openai, config: { default_model: other } }
`,
    },
    "mine.yaml",
  );

  expect(tools).toEqual(["one", "two"]);
  expect(seen["reasoner"]).toMatchObject({
    instructions: expect.stringMatching(/^You keep notes/) as string,
    session: { providers: [{ module: "provider-openai", config: { default_model: "other", api_key: "k" } }] },
  });
});

test("a quoted text of a head may begin its lines at the margin, as Python reads it", async () => {
  const meta = `---
meta:
  name: reader
  description: "Reads \\"notes\\".

<example>
user: 'read it'
- not: a list"
  model_role: fast
---
You read.
`;
  const { seen } = await open({ ...notes, "agents/reader.md": meta });

  const { session } = seen["reasoner"] as { session: { agents: Record<string, { description: string }> } };
  expect(session.agents["notes:reader"]!.description).toBe(
    "Reads \"notes\".\n<example> user: 'read it' - not: a list",
  );
});

test("a mention of a folder is its names, and one without a bundle is a file of the project, if it has it", async () => {
  const { seen } = await open({
    ...notes,
    "bundle.md": notes["bundle.md"].replace(
      /You keep[^]*$/,
      "See @notes:context/, @AGENTS.md, @~/.me/AGENTS.md, ada@a.md and @other.md.\n",
    ),
    "AGENTS.md": "Be brief.\n",
  });

  expect((seen["reasoner"] as { instructions: string }).instructions)
    .toBe(`See @notes:context/, @AGENTS.md, @~/.me/AGENTS.md, ada@a.md and @other.md.

<context_file paths="@notes:context/lists.md">
Lists have bullets.
</context_file>

<context_file paths="@notes:context/">
lists.md
names.md
rules.md
</context_file>

<context_file paths="@AGENTS.md">
Be brief.
</context_file>`);
});

const modes = {
  ...notes,
  "bundle.md": notes["bundle.md"].replace("tools:", "hooks:\n  - { module: hooks-mode }\ntools:"),
  "modes/careful.md": `---
mode:
  name: careful
  description: Asks first.
  tools: { safe: [two], warn: [three], confirm: [one], block: [four] }
---
CAREFUL: see @notes:context/names.md
`,
  "modes/open.md": "---\nmode: { name: open, default_action: allow, tools: { block: [one] } }\n---\nOPEN\n",
};

test("modes of files are modes of the plan, with what each asks and denies by tool", async () => {
  const { seen, tools } = await open(modes);

  expect(tools).toEqual(["one", "two"]);
  expect(seen["policy"]).toEqual({
    rules: [
      { match: { mode: "careful", tool: ["one", "three"] }, answer: "ask", reason: "the mode careful" },
      { match: { mode: "careful", tool: ["four"] }, answer: "deny", reason: "the mode careful" },
      { match: { mode: "open", tool: ["one"] }, answer: "deny", reason: "the mode open" },
    ],
  });
});

test("in a mode of a file, its tools are offered, and the model reads its text", async () => {
  const { path } = await workspace(modes);
  await using host = await openHost(path("bundle.md"), {
    env: { KEY: "k" },
    extensions: recorder().extensions,
  });

  const offers = await Promise.all(["off", "careful", "open"].map((mode) => host.offer({ mode })));

  expect(offers.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    ["one", "two"],
    ["one", "two"],
    ["two"],
  ]);
  expect(offers[1]!.modeText).toContain("Names are short.");
  expect(offers[0]!.modeText).toBe("");
});

test("roles of agents are the candidates of the matrix that the plan's hook names", async () => {
  const { seen } = await open({
    ...notes,
    "bundle.md": notes["bundle.md"].replace(
      "tools:",
      `hooks:
  - module: hooks-routing
    config:
      default_matrix: mine
      overrides: { fast: { candidates: [{ provider: ollama, model: tiny }, base] } }
tools:`,
    ),
    "agents/reader.md": "---\nmeta: { name: reader, model_role: [vision, fast] }\n---\nYou read.\n",
    "routing/mine.yaml": "roles: { fast: { candidates: [{ provider: openai, model: small }] } }\n",
  });

  expect(seen["reasoner"]).toMatchObject({
    session: {
      agents: {
        "notes:reader": {
          provider_preferences: [
            { provider: "ollama", model: "tiny" },
            { provider: "openai", model: "small" },
          ],
        },
      },
    },
  });
});

const head = (more: string) => ({ "bundle.md": `---\nbundle: { name: mine }\n${more}\n---\nText.\n` });

test.each<[string, Record<string, string>, string]>([
  [
    "a name of Amplifier's application",
    head("includes: [{ bundle: foundation }]"),
    '3 "foundation" is a name that',
  ],
  ["a bundle that is not there", head("includes: [{ bundle: ./none }]"), "3 no bundle is at ./none"],
  [
    "a bundle of an unknown name",
    head('includes: ["other:behaviors/x"]'),
    '3 no bundle that was read before is named "other"',
  ],
  [
    "a repository that is not fetched",
    head("includes: [{ bundle: git+https://git.example/a/b@main }]"),
    '3 module "git+https://git.example/a/b@main" was not found',
  ],
  [
    "an agent without a file",
    head("agents: { include: [mine:none] }"),
    "3 mine:none is no file of its bundle",
  ],
  [
    "an agent that delegates",
    {
      ...head("agents: { include: [mine:a] }"),
      "agents/a.md": "---\nmeta: { name: a }\nagents: [b]\n---\nText.\n",
    },
    "3 the agent mine:a delegates to others",
  ],
  [
    "an agent with a tool of its own",
    head("agents: { a: { description: A., tools: [{ module: tool-lsp }] } }"),
    "3 the agent a has tool-lsp, which is no tool of the plan",
  ],
  ["who may be delegated to", head("agents: none"), "3 who may be delegated to is not mapped"],
  [
    "a text of a bundle that is not included",
    { "bundle.md": "---\nbundle: { name: mine }\n---\nSee @user:rules.md.\n" },
    "1 user:rules.md is of a bundle that is not included",
  ],
  [
    "a text that is not there",
    { "bundle.md": "---\nbundle: { name: mine }\n---\nSee @mine:rules.md.\n" },
    "1 mine:rules.md is no file of its bundle",
  ],
  [
    "a text outside of the bundle",
    { ...head("context: { include: [rules/../../s.md] }"), "rules/a.md": "" },
    "1 rules/../../s.md is no file",
  ],
  [
    "what a mode has beside tools",
    {
      ...head("hooks: [{ module: hooks-mode }]"),
      "modes/m.md": "---\nmode: { name: m, agents: [a] }\n---\nText.\n",
    },
    '1 the mode m has "agents", which is not mapped',
  ],
  [
    "a matrix that is not there",
    {
      ...head("hooks: [{ module: hooks-routing }]\nagents: { include: [mine:a] }"),
      "agents/a.md": "---\nmeta: { name: a, model_role: fast }\n---\nText.\n",
    },
    "3 no bundle has the matrix balanced",
  ],
  ["hidden tools of sub-agents", head("spawn: { exclude_tools: [tool-bash] }"), '3 unknown key "spawn"'],
  ["a text without a head", { "bundle.md": "Text.\n" }, "1 this file of Markdown has no head"],
])("a bundle with %s is refused by name, before anything runs", async (_, files, problem) => {
  const problems = await problemsOf(files);
  expect(problems.find((one) => one.includes(problem)) ?? problems).toContain(problem);
});

test("a text of a bundle that changed is a difference from the lock", async () => {
  const { path, write } = await workspace(notes);
  const options = { env: { KEY: "k" }, extensions: recorder().extensions };
  await lockPlan(path("bundle.md"), options);
  expect((await lockPlan(path("bundle.md"), options)).files).toEqual([]);

  await write({ "context/rules.md": "Delete everything.\n" });

  await expect(openHost(path("bundle.md"), options)).rejects.toMatchObject({ code: "PLAN_INVALID" });
});
