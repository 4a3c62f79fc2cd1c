import { toolResultText, type Shown } from "./shown.ts";
import { createListModes } from "@toolmount/tool-modes";
import { expect, test } from "vitest";
import { catalogOf, failing, general, planning, recordingLogger } from "./catalog.ts";

const listed = (modes = [general, planning]) => createListModes({}, { catalog: catalogOf(modes) });

test("APTIX-85, APTIX-102, APTIX-107: agent_list_modes lists the modes of the catalog, all fields filled", async () => {
  const result = await listed().execute({});
  const { modes } = JSON.parse(toolResultText(result)) as Shown;

  expect(result).not.toHaveProperty("error");
  expect(modes).toHaveLength(2);
  for (const { id, key, displayName, description, isDefault } of modes)
    expect([id, key, displayName, description, typeof isDefault]).not.toContain("");
});

test("APTIX-93, APTIX-88: its payload is an object with modes alone, of eight fields each", async () => {
  const { data } = await listed([general]).execute({});

  expect(data).toEqual({
    modes: [
      {
        id: "0f8fad5bd9cb469fa16570867728950e",
        key: "general",
        displayName: "General",
        description: "For everything that needs no other mode.",
        systemPromptSummary: "You help with whatever is asked.",
        isDefault: true,
        humanRoleHints: ["anybody"],
        exampleUtterances: [],
      },
    ],
  });
});

test.each([
  { given: { includeExamples: true }, examples: [["Help me with this."], []] },
  { given: { includeExamples: false }, examples: [[], []] },
  { given: {}, examples: [[], []] },
  { given: undefined, examples: [[], []] },
])(
  "APTIX-91, APTIX-92, APTIX-90, APTIX-107: with $given the examples are $examples",
  async ({ given, examples }) => {
    const { data } = await listed().execute(given);

    expect(data!.modes.map(({ exampleUtterances }) => exampleUtterances)).toEqual(examples);
  },
);

test("APTIX-90: no argument is required, and includeExamples is a boolean", () => {
  const printed = listed().schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });

  expect(printed).toMatchObject({ properties: { includeExamples: { type: "boolean" } } });
  expect(printed["required"] ?? []).toEqual([]);
});

test("APTIX-88: lists that a mode does not have are empty, and so are missing texts", async () => {
  const { data } = await listed([{ key: "bare" } as never]).execute({ includeExamples: true });

  expect(data).toEqual({
    modes: [
      {
        id: "",
        key: "bare",
        displayName: "",
        description: "",
        systemPromptSummary: "",
        isDefault: false,
        humanRoleHints: [],
        exampleUtterances: [],
      },
    ],
  });
});

test("entries of the catalog that are null are left out", async () => {
  const { data } = await listed([null as never, planning]).execute({});

  expect(data!.modes.map(({ key }) => key)).toEqual(["planning"]);
});

test.each([
  { title: "throws", catalog: failing },
  {
    title: "throws at once",
    catalog: {
      listModes: () => {
        throw new Error("modes-db");
      },
    },
  },
  { title: "is missing", catalog: null },
  { title: "gives null", catalog: { listModes: async () => null as never } },
])(
  "APTIX-95, APTIX-96, APTIX-98, APTIX-102, APTIX-107: a catalog that $title is logged, and the call fails without modes",
  async ({ catalog }) => {
    const logger = recordingLogger();
    const result = await createListModes({}, { catalog }).execute({}, { logger });

    expect(result).toMatchObject({
      error: "AgentListModesTool failed to list modes.",
      code: "MODES_NOT_LISTED",
    });
    expect(result).not.toHaveProperty("data");
    expect(() => JSON.parse(JSON.stringify(result))).not.toThrow();
    expect(JSON.stringify(result)).not.toContain("modes-db");
    expect(logger.lines).toEqual([
      expect.objectContaining({
        level: "error",
        message: "[agent_list_modes_ExecuteAsync__Exception] the mode catalog could not be read",
      }),
    ]);
  },
);

test("APTIX-87: the catalog is injected, has one method, and is given the signal of the call", async () => {
  const catalog = catalogOf();
  const { signal } = new AbortController();
  await createListModes({}, { catalog }).execute({}, { abortSignal: signal });

  expect(catalog.signals).toEqual([signal]);
});

test("APTIX-87: a call that was cancelled before does not read the catalog", async () => {
  const catalog = catalogOf();
  const result = await createListModes({}, { catalog }).execute({}, { abortSignal: AbortSignal.abort() });

  expect(result).toMatchObject({ error: "Request was cancelled" });
  expect(catalog.signals).toEqual([]);
});

test("APTIX-89: any object with listModes is a catalog, wherever it keeps its modes", async () => {
  class Remote {
    readonly #modes = new Map([["planning", planning]]);
    async listModes() {
      return [...this.#modes.values()];
    }
  }
  const { data } = await createListModes({}, { catalog: new Remote() }).execute({});

  expect(data!.modes.map(({ key }) => key)).toEqual(["planning"]);
});

test("APTIX-97, APTIX-99: the same catalog gives the same list; it is read at each call, and nothing is kept", async () => {
  const catalog = catalogOf();
  const tool = createListModes({}, { catalog });
  const logger = recordingLogger();
  const [first, second] = [await tool.execute({}, { logger }), await tool.execute({}, { logger })];

  expect(first.data).toEqual(second.data);
  expect(catalog.signals).toHaveLength(2);
  expect(logger.lines).toEqual([]);
});

test("APTIX-86: the list is a copy: the caller who changes it does not change the catalog", async () => {
  const tool = listed([general]);
  const { data } = await tool.execute({ includeExamples: true });
  data!.modes[0]!.humanRoleHints.push("intruder");
  data!.modes.pop();

  expect((await tool.execute({ includeExamples: true })).data!.modes[0]!.humanRoleHints).toEqual(["anybody"]);
  expect(general.humanRoleHints).toEqual(["anybody"]);
});

test("APTIX-103: an argument of a later version is refused, not misread; the tool stays a reading one", async () => {
  const tool = listed();

  expect(await tool.execute({ filter: "planning" })).toMatchObject({ code: "INVALID_ARGUMENTS" });
  expect(tool).toMatchObject({ category: "read", requiresConfirmation: false, idempotent: true });
});

test.each([
  ["APTIX-100: when the user asks which modes exist", /user asks which modes exist/],
  ["APTIX-100: when help with choosing is wanted", /help choosing/],
  ["APTIX-100: before proposing a change", /before you propose a change/],
  ["APTIX-101: not on every message", /not use it on every message/],
  ["APTIX-101: not when the mode is known", /nor when the mode to use is already known/],
  ["APTIX-101: not instead of the tool that changes the mode", /not use it instead of agent_change_mode/],
])("%s, says its usage", (_, sentence) => {
  expect(listed().usage).toMatch(sentence);
});
