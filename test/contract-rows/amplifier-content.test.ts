import { createTestCoordinator, type TestCoordinator } from "@toolmount/testing";
import { describe, expect, test } from "vitest";

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };

/** A coordinator with one tool of Amplifier that returns this. */
function withTool(returned: object): TestCoordinator {
  const coordinator = createTestCoordinator();
  coordinator.mount("tools", {
    name: "probe",
    description: "Returns. Use in tests.",
    input_schema: { type: "object" },
    execute: async () => returned,
  });
  return coordinator;
}

async function call(coordinator: TestCoordinator) {
  const outcome = await coordinator.host.call({ name: "probe", arguments: {} });
  await coordinator.host.close();
  return outcome;
}

describe("AMP-N72: the content of a tool's result reaches the caller", () => {
  test("texts and images, in their order, of a success and of a failure", async () => {
    const content = [{ type: "text", text: "rich" }, image];
    const shown = [
      { type: "text", text: "rich" },
      { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
    ];

    expect((await call(withTool({ success: true, output: "x", content }))).result).toMatchObject({
      data: "x",
      content: shown,
    });
    expect(
      (await call(withTool({ success: false, error: { message: "no" }, content }))).result,
    ).toMatchObject({ error: "no", content: shown });
    expect(
      (await call(withTool({ success: true, output: "x", content: null }))).result.content,
    ).toBeUndefined();
  });

  test.each([
    [
      "an image by its address",
      [{ type: "image", source: { type: "url", url: "https://example.org/a.png" } }],
    ],
    ["a block of another kind", [{ type: "tool_use", id: "1" }]],
    ["an empty list", []],
    ["a text", "rich"],
  ])("%s is refused, not dropped", async (_, content) => {
    const { status, result } = await call(withTool({ success: true, output: "x", content }));

    expect([status, result.code]).toEqual(["unknown", "CONTRACT_VIOLATION"]);
  });
});

describe("AMP-N72: context_injections of a hook are the list of what it injects", () => {
  const notes = [
    { content: "one", role: "system" },
    { content: "two", role: "user", ephemeral: true, append_to_last_tool_result: true },
  ];

  test.each(["tool:pre", "tool:post"])(
    "on %s, each with its role and place; the single text does not count",
    async (event) => {
      const coordinator = withTool({ success: true, output: "x" });
      coordinator.hooks.register(
        event,
        async () => ({ action: "inject_context", context_injection: "scalar", context_injections: notes }),
        { priority: 10, name: "notes" },
      );
      const { status, injections } = await call(coordinator);

      expect(status).toBe("ok");
      expect(injections).toMatchObject([
        { text: "one", role: "system", ephemeral: false, appendToLastToolResult: false },
        { text: "two", role: "user", ephemeral: true, appendToLastToolResult: true },
      ]);
    },
  );

  test("an empty list is the default, so the single text counts", async () => {
    const coordinator = withTool({ success: true, output: "x" });
    coordinator.hooks.register("tool:post", async () => ({
      action: "inject_context",
      context_injection: "scalar",
      context_injections: [],
    }));

    expect((await call(coordinator)).injections).toMatchObject([{ text: "scalar" }]);
  });

  test("a list without texts withholds the result, and the sentence says that the tool ran", async () => {
    const coordinator = withTool({ success: true, output: "x" });
    coordinator.hooks.register("tool:post", async () => ({
      action: "inject_context",
      context_injections: [{ text: "one" }],
    }));
    const { status, result } = await call(coordinator);

    expect([status, result.code]).toEqual(["denied", "DENIED"]);
    expect(result.error).toMatch(/^"probe" ran, and its result is withheld: .*contextInjections/);
  });

  test("process_hook_result stores the lasting ones in their order, and returns the others", async () => {
    const coordinator = createTestCoordinator();
    const stored: unknown[] = [];
    coordinator.mount("context", {
      add_message: async (message: object) => void stored.push(message),
    });
    const process = (context_injections: object[]) =>
      coordinator.process_hook_result(
        { action: "inject_context", context_injections: context_injections as never },
        "tool:post",
        "notes",
      );

    expect(await process(notes)).toMatchObject({ action: "inject_context", context_injections: [notes[1]] });
    expect(await process([{ content: "three" }])).toMatchObject({
      action: "continue",
      context_injections: [],
    });
    expect(stored).toMatchObject([
      { role: "system", content: "one" },
      { role: "system", content: "three" },
    ]);
    coordinator.injection_size_limit = 4;
    await expect(process([{ content: "four" }, { content: "fifth" }])).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
    expect(stored).toHaveLength(2);
    await coordinator.host.close();
  });
});
