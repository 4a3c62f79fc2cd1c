import { silentLogger, type ModeCatalog, type ModeSummary } from "@toolmount/core";
import { expect, test } from "vitest";
import { inspectPlan } from "../../src/commands/index.ts";
import { openHost } from "../../src/index.ts";
import { installed, workspace } from "../workspace.ts";

async function modesOf(...catalog: Record<string, unknown>[]): Promise<readonly (ModeSummary | null)[]> {
  await using host = await openHost({ modes: { catalog } }, { logger: silentLogger });
  return (host.coordinator.get("mode-catalog") as ModeCatalog).listModes(new AbortController());
}

test("a mode has what the plan says of it, and what it does not say is empty", async () => {
  const plain = { key: "day", displayName: "Day" };
  const whole = {
    key: "night",
    id: "n1",
    displayName: "Night",
    description: "At night.",
    systemPromptSummary: "Whisper.",
    isDefault: true,
    humanRoleHints: ["guard"],
    exampleUtterances: ["good night"],
    tools: ["read_*"],
  };

  expect(await modesOf(plain, whole)).toEqual([
    {
      ...plain,
      id: expect.stringMatching(/^[0-9a-f]{12}8[0-9a-f]{3}8[0-9a-f]{15}$/),
      description: "",
      systemPromptSummary: "",
      isDefault: false,
      humanRoleHints: null,
      exampleUtterances: null,
      tools: ["*"],
    },
    whole,
  ]);
});

test("the id of a mode depends on its key alone", async () => {
  const [one] = await modesOf({ key: "day", displayName: "Day" });
  const [same, other] = await modesOf({ key: "day", displayName: "X" }, { key: "dawn", displayName: "Day" });

  // Sessions that a host stored name their mode by this id.
  expect(one?.id).toBe("ac8b88b997c184e68263f2584fa80f2f");
  expect(same?.id).toBe(one?.id);
  expect(other?.id).not.toBe(one?.id);
});

test("without a default the first mode is it", async () => {
  const modes = await modesOf({ key: "a", displayName: "A" }, { key: "b", displayName: "B" });

  expect(modes.map((mode) => mode?.isDefault)).toEqual([true, false]);
});

test("a class of Aptix finds the catalog under its name, with members in upper case that JSON does not show", async () => {
  await using host = await openHost(
    { modes: { catalog: [{ key: "day", displayName: "Day" }] } },
    { logger: silentLogger },
  );
  const catalog = host.coordinator.getCapability("IAgentModeCatalogService") as {
    listModes(): Promise<readonly ModeSummary[]>;
    GetAllModesAsync(signal?: AbortSignal): Promise<readonly Record<string, unknown>[]>;
  };
  const [mode] = await catalog.GetAllModesAsync();

  expect([mode?.["Key"], mode?.["DisplayName"], mode?.["IsDefault"]]).toEqual(["day", "Day", true]);
  expect(JSON.parse(JSON.stringify(mode))).toEqual((await catalog.listModes())[0]);
  await expect(catalog.GetAllModesAsync(AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
});

test("a name or glob of a mode that fits no tool is reported at its place, and * is not", async () => {
  const toolmount = {
    mounts: ["tools"],
    tools: [{ name: "read_note", description: "Reads a note." }],
  };
  const { path } = await workspace({
    ...installed("@toolmount/tool-notes", "throw new Error('this module ran')", { toolmount }),
    "plan.yaml": `tools: [{ module: notes }]
modes:
  catalog:
    - { key: a, displayName: A, tools: ["*", "read_*"] }
    - { key: b, displayName: B, tools: ["read_note", "!raed_note", "drop_*"] }
`,
    "empty.yaml": 'modes: { catalog: [{ key: a, displayName: A, tools: ["*", "!*"] }] }',
  });
  const problemsOf = async (plan: string) =>
    (await inspectPlan(path(plan), { logger: silentLogger })).problems.map(
      ({ path: at, message }) => `${at}: ${/matches "(.*)"/.exec(message)?.[1]}`,
    );

  expect(await problemsOf("plan.yaml")).toEqual([
    "modes.catalog[1].tools[1]: raed_note",
    "modes.catalog[1].tools[2]: drop_*",
  ]);
  expect(await problemsOf("empty.yaml")).toEqual([]);
});
