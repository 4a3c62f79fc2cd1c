import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createHost } from "@toolmount/core";
import { config, mount } from "@toolmount/tool-modes";
import { expect, test } from "vitest";
import { catalogOf, recordingLogger } from "./catalog.ts";

async function mounted() {
  const host = createHost();
  await mount(host.coordinator, config.parse({}));
  return host;
}

test("APTIX-106, APTIX-102, APTIX-79: with its catalog wired the module mounts, and agent_list_modes answers", async () => {
  const host = await mounted();
  host.coordinator.mount("mode-catalog", catalogOf());
  const outcome = await host.call({ name: "agent_list_modes", arguments: "" });

  expect(outcome).toMatchObject({
    status: "ok",
    result: { data: { modes: [{ key: "general" }, { key: "planning" }] } },
  });
});

test("APTIX-108: mounting needs a logger at most, and no live service", async () => {
  const logger = recordingLogger();
  const host = createHost({ logger });
  await mount(host.coordinator, config.parse({}));

  expect(host.tools().map(({ name }) => name)).toEqual(["agent_change_mode", "agent_list_modes"]);
  expect(logger.lines).toEqual([]);
});

test("APTIX-85: both tools run on the server; only the one that changes something asks a person", async () => {
  const host = await mounted();

  expect(
    host.tools().map(({ execution, requiresConfirmation }) => [execution, requiresConfirmation]),
  ).toEqual([
    ["server", true],
    ["server", false],
  ]);
});

test("APTIX-86: listing leaves the session in its mode, and its state as it was", async () => {
  const host = await mounted();
  host.coordinator.mount("mode-catalog", catalogOf());
  const session = host.session("s-1");
  await session.call({ name: "agent_list_modes" });

  expect(await session.mode()).toBe("general");
  expect(session.state.get("toolmount.mode")).toBeUndefined();
});

test("APTIX-94: the names of what is answered are pinned by its output schema, which admits no others", async () => {
  const host = await mounted();
  const { outputSchema } = host.tools().find(({ name }) => name === "agent_list_modes")!;

  expect(outputSchema).toMatchObject({
    properties: {
      modes: {
        items: {
          required: [
            "id",
            "key",
            "displayName",
            "description",
            "systemPromptSummary",
            "isDefault",
            "humanRoleHints",
            "exampleUtterances",
          ],
          additionalProperties: false,
        },
      },
    },
    required: ["modes"],
    additionalProperties: false,
  });
});

test("AMP-16: the module reports which events it emits", async () => {
  const host = await mounted();

  expect(await host.coordinator.collectContributions("observability.events")).toEqual([["mode:changed"]]);
});

test("a setting that is not known is refused", () => {
  expect(config.safeParse({ catalog: [] }).success).toBe(false);
});

test("AMP-7: the manifest lists what the module mounts", async () => {
  const text = await readFile(join(import.meta.dirname, "../package.json"), "utf8");
  const { toolmount } = JSON.parse(text) as { toolmount: { config: object; tools: { name: string }[] } };
  const offered = new Map((await mounted()).tools().map((tool) => [tool.name, tool as object]));

  expect([...offered.keys()].toSorted()).toEqual(toolmount.tools.map(({ name }) => name).toSorted());
  for (const tool of toolmount.tools) expect(offered.get(tool.name)).toMatchObject(tool);
  expect(toolmount.config).toEqual(config["~standard"].jsonSchema.input({ target: "draft-2020-12" }));
});
