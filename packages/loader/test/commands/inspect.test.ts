import { silentLogger } from "@toolmount/core";
import { z } from "zod";
import { expect, test } from "vitest";
import { type PlanObject } from "../../src/index.ts";
import { explainTool, inspectPlan, readEffectivePlan } from "../../src/commands/index.ts";
import { installed, workspace } from "../workspace.ts";

const ran = "throw new Error('this module ran')";

/** A package that says what it mounts, and must not be run. */
function describedPackage(name: string, tools: readonly object[], config?: object): Record<string, string> {
  const manifest = {
    type: "tool",
    mounts: ["tools"],
    static: true,
    provides: [],
    needs: [],
    tools,
    ...(config && { config }),
  };
  return installed(name, ran, { toolmount: manifest });
}

const notes = describedPackage(
  "@toolmount/tool-notes",
  [
    {
      name: "read_note",
      description: "Reads a note.",
      category: "read",
      consequenceLevel: "low",
      tags: ["notes"],
    },
    { name: "drop_note", description: "Drops a note.", category: "delete", requiresConfirmation: true },
  ],
  {
    type: "object",
    properties: { root: { type: "string" }, depth: { type: "integer" } },
    additionalProperties: false,
  },
);
const web = describedPackage("@toolmount/tool-web", [
  { name: "fetch_page", description: "Fetches.", category: "read" },
]);

async function inspect(plan: string, more: Record<string, string> = {}, extensions = {}) {
  const { path } = await workspace({ ...notes, ...web, ...more, "plan.yaml": plan });
  return inspectPlan(path("plan.yaml"), { logger: silentLogger, env: {}, extensions });
}

test("a plan is inspected without running a module: tools, versions, places", async () => {
  const { entries, problems, unknown } = await inspect(
    "tools:\n  - module: notes\n    prefix: my_\n    tools: { exclude: [drop_note] }\n",
  );

  expect([problems, unknown]).toEqual([[], []]);
  expect(entries).toMatchObject([
    {
      id: "notes",
      version: "1.2.3",
      position: { line: 2, column: 13 },
      tools: [{ name: "my_read_note" }, { name: null, declared: { name: "drop_note" } }],
    },
  ]);
});

test("AMP-N13: problems of configs, names, choices, rules and modules are reported together, from manifests alone", async () => {
  const lint = {
    lint: (config: { rules: string[] }, { tools }: { tools: { name: string }[] }) =>
      config.rules.flatMap((rule, index) =>
        tools.some(({ name }) => name === rule)
          ? []
          : [{ path: ["rules", index], problem: `no tool is ${rule}` }],
      ),
  };
  const policy = { mount: () => null, config: z.strictObject({ rules: z.array(z.string()) }), ...lint };
  const { problems } = await inspect(
    `policy: { rules: [read_note, gone_note] }
tools:
  - module: notes
    config: { root: 7, dept: 3 }
    tools: { include: ["read_*", "wirte_*"], drop_not: { as: x } }
  - module: web
    tools: { fetch_page: { as: read_note } }
    uses: { a: b }
`,
    {},
    { "@toolmount/policy": policy },
  );

  expect(
    problems.map(({ code, line, column, path }) => `${line}:${column} ${code} ${path}`).toSorted(),
  ).toEqual([
    "1:30 PLAN_VALUE_INVALID policy.rules[1]",
    "4:21 CONFIG_INVALID tools[0].config.root",
    "4:24 CONFIG_INVALID tools[0].config.dept",
    "5:34 PLAN_VALUE_INVALID tools[0].tools.include[1]",
    "5:46 PLAN_VALUE_INVALID tools[0].tools.drop_not",
    "6:13 TOOL_DUPLICATE tools[1].module",
    "8:16 PLAN_VALUE_INVALID tools[1].uses.a",
  ]);
  expect(problems.find(({ code }) => code === "TOOL_DUPLICATE")?.message).toMatch(
    /mounted by both notes \(.*plan\.yaml:3:13\) and web/,
  );
});

test("a module without a manifest is not inspected, and the result says so", async () => {
  const { unknown, problems, entries } = await inspect("tools: [{ module: ./one.ts }, { module: notes }]", {
    "one.ts": ran,
  });

  expect([unknown, problems]).toEqual([["./one.ts"], []]);
  expect(entries[0]?.tools).toBeNull();
});

test("a missing optional module is a problem of its entry only", async () => {
  const { problems, entries } = await inspect("tools: [{ module: gone, required: false }]");

  expect(problems).toEqual([]);
  expect(entries[0]?.problems).toMatchObject([{ code: "SOURCE_NOT_FOUND", line: 1 }]);
});

test("a tool is explained by the lines that mounted, renamed, described and limited it, and by the policies that would decide", async () => {
  const { path } = await workspace({
    ...notes,
    "base.yaml": `policy: { limits: { timeout: 9, concurrent: 2 } }
tools:
  - module: notes
    limits: { timeout: 8 }
    tools: { read_note: { as: look, arguments: { id: { default: 1 } } } }
`,
    "plan.yaml":
      "extends: ./base.yaml\ntools:\n  - id: notes\n    tools: { read_note: { as: see, limits: { timeout: 7 } } }\n",
  });
  const policy = {
    mount: (coordinator: { mount(point: string, thing: object): void }) =>
      coordinator.mount("policies", {
        name: "mine",
        prepare:
          () =>
          ({ arguments: given }: { arguments: object }) => ({
            answer: "deny",
            reason: JSON.stringify(given),
          }),
      }),
  };
  const explained = await explainTool("see", path("plan.yaml"), {
    logger: silentLogger,
    extensions: { "@toolmount/policy": policy },
    arguments: { id: 3 },
  });
  const lines = explained.tools[0]?.origins.map(
    ({ what, value, position, before }) =>
      `${what} ${JSON.stringify(value)} ${[position, ...before].map((at) => `${at?.file.split("/").at(-1)}:${at?.line}`).join(" over ")}`,
  );

  expect(lines).toEqual([
    'mounted "notes" base.yaml:3',
    'renamed "see" plan.yaml:4 over base.yaml:5',
    'limited {"timeout":7} plan.yaml:4',
    'limited {"concurrent":2} base.yaml:1',
    'argument {"id":{"default":1}} base.yaml:5',
  ]);
  expect(explained.tools[0]?.answers).toEqual([]);
  expect(explained.unknown).toEqual([]);
  expect((await explainTool("drop_note", path("plan.yaml"), { logger: silentLogger })).tools).toHaveLength(1);
});

test("the plan's own policies are asked what they would answer", async () => {
  const policy = {
    mount: (coordinator: { mount(point: string, thing: object): void }, { say }: { say: string }) =>
      coordinator.mount("policies", {
        name: "mine",
        prepare: (tool: { name: string }) =>
          tool.name === "read_note"
            ? ({ arguments: given }: { arguments: object }) => ({
                answer: say,
                reason: JSON.stringify(given),
              })
            : null,
      }),
  };
  const { path } = await workspace({
    ...notes,
    "plan.yaml": "policy: { say: deny }\ntools: [{ module: notes }]",
  });
  const ask = (tool: string) =>
    explainTool(tool, path("plan.yaml"), {
      logger: silentLogger,
      extensions: { "@toolmount/policy": policy },
      arguments: { id: 3 },
    });

  expect((await ask("read_note")).tools[0]?.answers).toEqual([
    { policy: "mine", answer: { answer: "deny", reason: '{"id":3}' } },
  ]);
  expect((await ask("drop_note")).tools[0]?.answers).toEqual([]);
});

test("the effective plan masks secrets, shows variables by name, and knows where every value was written", async () => {
  const { path } = await workspace({
    "plan.yaml":
      'tools:\n  - module: x\n    config:\n      api_key: "abcdefgh"\n      url: "${URL}"\n      empty: []\n',
  });
  const plan = await readEffectivePlan(path("plan.yaml"), { env: { URL: "https://hidden.example" } });

  expect(await plan.toYaml(({ line }) => String(line))).toBe(
    'tools:\n  - module: x # 2\n    config:\n      api_key: "[masked]" # 4\n      url: ${URL} # 5\n      empty: [] # 6\n',
  );
  expect(plan.values.map(({ path: at, position }) => `${at} ${position?.line}`)).toEqual([
    "tools[0].module 2",
    "tools[0].config.api_key 4",
    "tools[0].config.url 5",
    "tools[0].config.empty 6",
  ]);
});

test("a variable is needed where it is written once without a default", async () => {
  const { path } = await workspace({
    "plan.yaml": [
      "tools:",
      "  - module: x",
      '    config: { a: "${BOTH:-1}", b: "${BOTH}", c: "${BOTH:-2}", d: "${NEVER:-3}", e: "${ALWAYS}" }',
    ].join("\n"),
  });
  const plan = await readEffectivePlan(path("plan.yaml"), { env: {} });

  expect(plan.variables).toEqual([
    { name: "BOTH", isRequired: true },
    { name: "NEVER", isRequired: false },
    { name: "ALWAYS", isRequired: true },
  ]);
});

const twenty = (name: string) =>
  describedPackage(
    `@toolmount/tool-${name}`,
    Array.from({ length: 20 }, (_, index) => ({
      name: `${name}_${String(index + 1).padStart(2, "0")}`,
      description: `Does ${name} ${index + 1}.`,
      category: ["read", "write", "delete", "side_effect"][index % 4],
      tags: [index % 2 === 0 ? "even" : "odd"],
    })),
    { type: "object", additionalProperties: true },
  );

/** Four parts: a package's plan, a team's, the project's, and its overlay. */
const fourParts = {
  ...twenty("alpha"),
  ...twenty("beta"),
  ...twenty("gamma"),
  ...installed("@acme/plans", ran),
  "node_modules/@acme/plans/mount-plan.yaml": `version: 1
name: acme
policy:
  limits: { timeout: 30000, outputBytes: 50000 }
tools:
  - module: alpha
    config: { root: /srv, depth: 1 }
    tools:
      exclude: ["category: delete"]
      alpha_01: { as: first, description: The first. }
  - module: beta
`,
  "team.yaml": `extends: "@acme/plans"
policy:
  limits: { concurrent: 4 }
tools:
  - id: beta
    prefix: b_
    limits: { timeout: 9000 }
    tools: { include: ["beta_0*", "tag: odd"] }
`,
  "plan.yaml": `extends: ./team.yaml
name: mine
tools:
  - id: alpha
    config: { depth: 2 }
    tools: { alpha_02: { arguments: { x: { hidden: true, default: 1 } } } }
  - module: gamma
    run: { in: inline }
`,
  "plan.production.yaml": `policy: { limits: { timeout: 10000 } }
tools:
  - id: alpha
    tools: { alpha_01: { description: The first in production., limits: { timeout: 1 } } }
  - id: gamma
    override: true
`,
};

test("of a plan of four parts and sixty tools, every effective value carries its file and line", async () => {
  const { path, folder } = await workspace(fourParts);
  const options = { logger: silentLogger, overlays: ["production"], env: {} };
  const place = ({ file, line }: { file: string; line: number }) =>
    `${file.slice(folder.length + 1).replace("node_modules/", "")}:${line}`;
  const plan = await readEffectivePlan(path("plan.yaml"), options);
  const { entries, problems } = await inspectPlan(path("plan.yaml"), options);
  const tools = entries.flatMap((entry) => entry.tools ?? []);
  const shown = tools.map(({ name, declared, origins }) => {
    const lines = origins.map(
      ({ what, value, position, before }) =>
        `  ${what.padEnd(9)} ${JSON.stringify(value)}  ${[position!, ...before].map(place).join(" < ")}`,
    );
    return [`${declared.name}${name === null ? "" : ` → ${name}`}`, ...lines].join("\n");
  });

  expect([problems, tools.length, plan.files.length]).toEqual([[], 60, 4]);
  expect(plan.values.filter(({ position }) => position === undefined)).toEqual([]);
  expect(tools.flatMap(({ origins }) => origins).filter(({ position }) => position === undefined)).toEqual(
    [],
  );
  await expect(await plan.toYaml(place)).toMatchFileSnapshot("golden/four-parts.plan.yaml");
  await expect(`${shown.join("\n")}\n`).toMatchFileSnapshot("golden/four-parts.tools.txt");
});

test("merging values gives the same plan as merging files", async () => {
  const plan: PlanObject = { extends: "./base.yaml", tools: [{ module: "notes", config: { depth: 2 } }] };
  const { folder } = await workspace({
    "base.yaml": "name: base\ntools: [{ module: notes, config: { root: a } }]\n",
  });

  expect((await readEffectivePlan(plan, { cwd: folder })).value).toEqual({
    name: "base",
    tools: [{ module: "notes", config: { root: "a", depth: 2 } }],
  });
});
