import { createHost } from "@toolmount/core";
import { expect, test } from "vitest";
import { config } from "../src/mount/config.ts";
import { settingsIn } from "../src/mount/mount.ts";

function settingsOf(given: object, { isInside = false, layer = "/p" } = {}) {
  const { coordinator } = createHost();
  if (layer !== "") coordinator.registerCapability("session.layer", layer);
  if (isInside) coordinator.registerCapability("session.in_layer", true);
  return settingsIn(coordinator, config.parse({ name: "own", command: "node", ...given }));
}

test("a server outside of layers is as its entry says", () => {
  const given = { env: { A: "1" }, classify: { "a*": { confirm: true } } };
  expect(settingsOf(given, { layer: "" })).toEqual(config.parse({ name: "own", command: "node", ...given }));
});

test("a server in a layer is behind a border, and changes only what waits there", () => {
  const walled = { border: "bubblewrap", network: "none" };
  const given = { border: "bubblewrap", read: ["/data"], env: { A: "1" } };

  expect(settingsOf(given)).toMatchObject({ ...walled, read: ["/data", "/p"], write: [], env: { A: "1" } });
  expect(settingsOf(given, { isInside: true })).toMatchObject({
    ...walled,
    write: ["/p"],
    env: { A: "1", TOOLMOUNT_LAYER_RESIDENT: "1" },
  });
});

test("its tools ask nothing, but where the entry says so", () => {
  const classify = { "*": { category: "write" }, send: { confirm: true }, note: { category: "write" } };

  expect(settingsOf({}).classify).toEqual({ "*": { confirm: false } });
  expect(settingsOf({ classify }).classify).toEqual({
    "*": { confirm: false, category: "write" },
    send: { confirm: true },
    note: { confirm: false, category: "write" },
  });
  expect(Object.keys(settingsOf({ classify }).classify)).toEqual(Object.keys(classify));
});

test.each([
  ["a url", { command: undefined, url: "https://example.com" }, "cannot run in the layer"],
  ["the network", { border: "bubblewrap", network: "any" }, "has no network"],
  ["other folders to change", { border: "bubblewrap", write: ["../other"] }, "and nothing else"],
  ["questions", { ask: ["elicitation"] }, "remove ask and expose"],
  ["resources", { expose: ["resources"] }, "remove ask and expose"],
])("with %s it is refused", (_, given, problem) => {
  const refused = { code: "CONFIG_INVALID", message: expect.stringContaining(problem) as string };
  expect(() => settingsOf(given)).toThrow(expect.objectContaining(refused));
});
