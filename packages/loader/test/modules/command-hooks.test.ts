import { silentLogger, type Coordinator } from "@toolmount/core";
import { z } from "zod";
import { expect, test } from "vitest";
import { openHost } from "../../src/index.ts";
import { workspace } from "../workspace.ts";

async function hooksOf(plan: string): Promise<{ seen: unknown[]; sections: string[] }> {
  const seen: unknown[] = [];
  const { path } = await workspace({ "plan.yaml": plan });
  await using host = await openHost(path("plan.yaml"), {
    logger: silentLogger,
    extensions: {
      "@toolmount/policy": { mount: (_: Coordinator, config: unknown) => void seen.push(config) },
    },
  });
  return { seen, sections: host.status().entries.map(({ section, id }) => `${section} ${id}`) };
}

const plain = {
  command: ["guard"],
  events: ["tool:pre"],
  tools: ["*"],
  timeout: 5000,
  onFailure: "deny",
  env: {},
  dialect: "claude",
  priority: 0,
};

test("a command in hooks is run before every call for five seconds, and its failure denies the call, unless it says else", async () => {
  const own =
    "{ command: check.sh, id: c, events: [tool:post], tools: [read_*], timeout: 9, onFailure: allow, env: { A: b }, dialect: gemini, priority: 3 }";

  expect(await hooksOf(`hooks: [{ command: [guard] }, ${own}]`)).toEqual({
    seen: [
      {
        commandHooks: [
          plain,
          {
            command: "check.sh",
            events: ["tool:post"],
            tools: ["read_*"],
            timeout: 9,
            onFailure: "allow",
            env: { A: "b" },
            dialect: "gemini",
            priority: 3,
          },
        ],
      },
    ],
    sections: ["policy @toolmount/policy"],
  });
});

test("commands in hooks and the policy are one config of one module", async () => {
  const { seen, sections } = await hooksOf(
    "policy: { level: paranoid, flows: { strict: true } }\nhooks: [{ command: [guard] }]",
  );

  expect(seen).toEqual([{ level: "paranoid", flows: { strict: true }, commandHooks: [plain] }]);
  expect(sections).toEqual(["policy @toolmount/policy"]);
});

test.each([
  ["command: []", "hooks[0].command", "the command of a hook is a text, which a shell runs, or a list"],
  ["command: x, events: [tool:during]", "hooks[0].events[0]", "tool:pre"],
  ["command: x, onFailure: ask", "hooks[0].onFailure", "deny"],
  ["command: x, timeout: 600001", "hooks[0].timeout", "600000"],
  ["command: x, tools: [a b]", "hooks[0].tools[0]", "a tool's name, or a glob of * and ?"],
  ["command: x, colour: red", "hooks[0].colour", "colour"],
])("a hook with { %s } is a problem at %s", async (entry, path, words) => {
  await expect(hooksOf(`hooks: [{ ${entry} }]`)).rejects.toMatchObject({
    details: { problems: [{ path, line: 1, message: expect.stringContaining(words) as string }] },
  });
});

test("without its module a command in hooks is refused at hooks, with what to install", async () => {
  const { path } = await workspace({ "plan.yaml": "name: mine\nhooks: [{ command: [guard] }]" });

  await expect(openHost(path("plan.yaml"), { logger: silentLogger })).rejects.toMatchObject({
    details: {
      problems: [
        {
          code: "EXTENSION_MISSING",
          line: 2,
          details: { what: "a command in hooks", install: "npm install @toolmount/policy" },
        },
      ],
    },
  });
});

test.each(["plan.yaml", "alone.yaml"])(
  "a section that %s lacks is reported in that file, whether it has parts or not",
  async (plan) => {
    const { path } = await workspace({
      "base.yaml": "name: base\n",
      "plan.yaml": "extends: ./base.yaml\naudit: durable\n",
      "alone.yaml": "audit: durable\n",
    });
    const store = {
      config: z.object({ state: z.string(), audit: z.string() }),
      mount: () => null,
    };

    await expect(
      openHost(path(plan), { logger: silentLogger, extensions: { "@toolmount/store": store } }),
    ).rejects.toMatchObject({
      details: { problems: [{ path: "state", file: path(plan), line: 1, column: 1 }] },
    });
  },
);

test("guards under policy do not vanish beside hooks: commandHooks is refused", async () => {
  for (const more of ["", "hooks: [{ command: other }]\n"]) {
    const failure = hooksOf(`policy: { commandHooks: [{ command: guard }] }\n${more}`);
    const message = expect.stringContaining(
      "write it as entries with a command of the section hooks:",
    ) as string;
    await expect(failure).rejects.toMatchObject({
      details: { problems: [{ path: "policy.commandHooks", message }] },
    });
  }
});

test.each([
  ["flows: { into: [] }", "flows", "policy"],
  ["replace: [ask]", "replace", "policy"],
  ["model: m", "model", "agent"],
])(
  "a member of a section at the top of a plan is refused with its section: %s",
  async (text, key, section) => {
    await expect(hooksOf(`${text}\n`)).rejects.toMatchObject({
      details: { problems: [{ path: key, hint: `write it in ${section}:` }] },
    });
  },
);

test.each([
  ["neither a command nor a module", "{ id: x }", "hooks[0].module"],
  ["both", "{ id: x, command: guard, module: ./own.ts }", "hooks[0].command"],
])("an entry of hooks with %s is refused as an entry that has a module", async (_what, entry, at) => {
  const problems = await hooksOf(`hooks: [${entry}]`).then(
    () => [],
    (error: { details: { problems: { path: string }[] } }) => error.details.problems,
  );

  expect(problems.map(({ path }) => path)).toEqual([at]);
});
