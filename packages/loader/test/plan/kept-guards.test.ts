import { silentLogger, type Json } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { loadPlan } from "../../src/mount/load-plan.ts";
import { workspace } from "../workspace.ts";

type Document = Readonly<Record<string, Json>>;

async function load(files: Readonly<Record<string, Document>>, overlays: readonly string[]) {
  const texts = Object.entries(files).map(([name, value]) => [name, stringify(value)] as const);
  const { folder, path } = await workspace(Object.fromEntries(texts));
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (_: object, text: string) => void warnings.push(text) };
  const loaded = await loadPlan(path("plan.yaml"), { logger, cwd: folder, env: {}, overlays });
  return { value: loaded.opened.written, problems: loaded.problems, warnings };
}

/** Each way in which one plan lies under another. */
const pairs: Readonly<Record<string, (low: Document, high: Document) => Parameters<typeof load>>> = {
  "a plan over the plan that it extends": (low, high) => [
    { "base.yaml": low, "plan.yaml": { extends: "./base.yaml", ...high } },
    [],
  ],
  "the second plan of extends over the first": (low, high) => [
    { "a.yaml": low, "b.yaml": high, "plan.yaml": { extends: ["./a.yaml", "./b.yaml"], tools: [] } },
    [],
  ],
  "an overlay over its plan": (low, high) => [{ "plan.yaml": low, "plan.x.yaml": high }, ["x"]],
  "an overlay over what its plan extends": (low, high) => [
    { "base.yaml": low, "plan.yaml": { extends: "./base.yaml" }, "plan.x.yaml": high },
    ["x"],
  ],
  "the second overlay over the first": (low, high) => [
    { "plan.yaml": { tools: [] }, "plan.x.yaml": low, "plan.y.yaml": high },
    ["x", "y"],
  ],
};

const rule = (answer: string, tool: string) => ({ match: { tool }, answer });
const line = (tool: string) => ({ match: { tool }, control: ["to"], from: ["user"] });
const flows = (written: Json): Document => ({ policy: { flows: written } });
const entry = (more: Document): Document => ({ tools: [{ module: "files", ...more }] });

/** What guards in a plan, and what the same section of a plan over it may say without a word about it. */
const guards: Readonly<Record<string, { low: Document; high: readonly Document[] }>> = {
  "policy.deny": {
    low: { policy: { deny: ["pay"] } },
    high: [{ policy: { deny: ["other"] } }, { policy: { deny: [] } }, { policy: { allow: ["*"] } }],
  },
  "policy.ask": {
    low: { policy: { ask: ["pay"] } },
    high: [{ policy: { ask: ["other"] } }, { policy: { ask: [] } }, { policy: { deny: ["x"] } }],
  },
  "policy.rules that deny and ask": {
    low: { policy: { rules: [rule("deny", "pay"), rule("ask", "send")] } },
    high: [{ policy: { rules: [rule("allow", "*")] } }, { policy: { rules: [] } }],
  },
  "policy.budgets": {
    low: { policy: { budgets: { calls: 3 } } },
    high: [{ policy: { budgets: { depth: 1 } } }],
  },
  "policy.budgets.repeats": {
    low: { policy: { budgets: { repeats: 3 } } },
    high: [{ policy: { budgets: { calls: 9 } } }],
  },
  "policy.approver": {
    low: {
      policy: {
        approver: { url: "https://a.example", secret: "whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh" },
      },
    },
    high: [{ policy: { approver: {} } }],
  },
  "policy.level": { low: { policy: { level: "paranoid" } }, high: [{ policy: {} }] },
  "policy.limits": {
    low: { policy: { limits: { timeout: 5 } } },
    high: [{ policy: { limits: { concurrent: 2 } } }],
  },
  "policy.flows": {
    low: flows({ into: [line("pay")], results: [{ match: { tool: "m" }, audience: "user" }] }),
    high: [
      flows("on"),
      flows({}),
      flows({ identity: ["me"] }),
      flows({ into: [line("send")], results: [] }),
      flows({ into: [], results: [{ match: { tool: "*" }, trust: "trusted" }] }),
      flows({ into: [{ match: { tool: "*" }, else: "allow" }] }),
    ],
  },
  "a command in hooks": {
    low: { hooks: [{ command: "guard" }] },
    high: [{ hooks: [{ command: "other" }] }, { hooks: [] }, { hooks: [{ module: "m" }] }],
  },
  "a module in hooks": {
    low: { hooks: [{ module: "guard" }] },
    high: [{ hooks: [{ command: "other" }] }, { hooks: [] }, { hooks: [{ id: "guard", config: { a: 1 } }] }],
  },
  "tools that an entry leaves out": {
    low: entry({ tools: { exclude: ["write_file"] } }),
    high: [
      entry({ tools: { exclude: ["delete_file"] } }),
      entry({ tools: { exclude: [] } }),
      entry({ tools: { include: ["*"] } }),
      { tools: [] },
    ],
  },
  "the limits, the place and the config of an entry": {
    low: entry({ limits: { timeout: 5 }, run: { in: "process" }, config: { root: "./a" } }),
    high: [entry({ limits: { concurrent: 1 } }), entry({ config: { deep: 1 } })],
  },
  audit: { low: { audit: "durable" }, high: [{ tools: [] }] },
};

describe.each(Object.entries(pairs))("%s", (_, pair) => {
  test.each(Object.entries(guards))("keeps %s", async (_name, { low, high }) => {
    for (const above of high) {
      const { value, problems } = await load(...pair(low, above));
      expect(problems.filter(({ code }) => code !== "SOURCE_NOT_FOUND")).toEqual([]);
      expect(missing(low, value), JSON.stringify(above)).toEqual([]);
    }
  });

  test.each(Object.entries(guards))("refuses an empty key over %s", async (_name, { low }) => {
    for (const above of emptied(low)) {
      const { problems } = await load(...pair(low, above));
      const messages = problems.map(({ message }) => message);
      expect(messages, JSON.stringify(above)).toContainEqual(
        expect.stringContaining("a plan below has a value"),
      );
    }
  });

  test("drops what guards where a line of replace says so, and warns with its place", async () => {
    const low: Document = {
      policy: {
        ask: ["pay"],
        deny: ["send"],
        rules: [rule("ask", "a")],
        flows: { into: [line("pay")] },
      },
    };
    const above: Document = {
      policy: { replace: ["ask", "rules", "flows.into"], ask: ["x"], flows: { into: [line("y")] } },
    };
    const { value, problems, warnings } = await load(...pair(low, above));

    expect(problems).toEqual([]);
    expect(value).toMatchObject({ policy: { ask: ["x"], deny: ["send"], flows: { into: [line("y")] } } });
    for (const gone of ["rules", "replace"]) expect(value["policy"]).not.toHaveProperty(gone);
    expect(warnings).toEqual([
      expect.stringMatching(/\.yaml:\d+ drops the lines of policy\.ask that plans below it have/),
      expect.stringContaining("policy.rules"),
      expect.stringContaining("flows.into"),
    ]);
  });

  test("replaces what only allows", async () => {
    const low: Document = { policy: { allow: ["a"], rules: [rule("allow", "b"), rule("ask", "c")] } };
    const { value } = await load(...pair(low, { policy: { allow: ["x"], rules: [rule("allow", "y")] } }));

    expect(value["policy"]).toEqual({ allow: ["x"], rules: [rule("ask", "c"), rule("allow", "y")] });
  });
});

test.each([
  [{ policy: { replace: ["ask"] } }, "no plan below has policy.ask; remove this line"],
  [{ policy: { replace: ["level"] } }, "replace names lists that plans keep: deny"],
  [{ replace: ["ask"] }, "unknown key"],
  [{ policy: { replace: "ask" } }, "replace is a list of deny"],
])("a plan that replaces nothing says so: %j", async (plan, problem) => {
  const { problems } = await load({ "plan.yaml": { version: 1, ...plan } }, []);

  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(problem)]);
});

/** Parts of a value that another does not have, with the items of lists in any place. */
function missing(low: Json, whole: Json | undefined, path = ""): string[] {
  if (typeof low !== "object" || low === null) return low === whole ? [] : [path];
  if (Array.isArray(low)) {
    const items: readonly Json[] = Array.isArray(whole) ? whole : [];
    return low.flatMap((item: Json, index) =>
      items.some((one) => missing(item, one).length === 0) ? [] : [`${path}[${index}]`],
    );
  }
  const members = whole as Document | undefined;
  return Object.entries(low).flatMap(([key, inner]) => missing(inner, members?.[key], `${path}.${key}`));
}

/** The document with one key after another emptied. */
function emptied(document: Document): Document[] {
  return Object.entries(document).flatMap(([key, value]) => [
    { [key]: null },
    ...(typeof value === "object" && value !== null && !Array.isArray(value)
      ? emptied(value as Document).map((inner) => ({ [key]: inner }))
      : []),
  ]);
}
