import { silentLogger, ToolmountError, type Coordinator, type JsonObject } from "@toolmount/core";
import { expect, test } from "vitest";
import { openHost } from "../../src/index.ts";
import { installed, workspace } from "../workspace.ts";

/** A module that starts something first, and what it did. */
function connecting(seen: string[], name: string, start: () => unknown = () => `${name}'s server`) {
  return {
    connect(_: Coordinator, config: JsonObject) {
      seen.push(`connect ${name} ${JSON.stringify(config)}`);
      return start();
    },
    mount(coordinator: Coordinator, _: JsonObject, connection: unknown) {
      seen.push(`mount ${name} with ${String(connection)}`);
      coordinator.registerCapability(name, connection);
    },
  };
}

test("servers start side by side before the first module is mounted, and each mount gets its own", async () => {
  const seen: string[] = [];
  const plain = { mount: () => void seen.push("mount plain") };
  await using host = await openHost(
    { tools: [{ module: "a", config: { x: 1 } }, { module: "plain" }, { module: "b" }] },
    {
      logger: silentLogger,
      extensions: { a: connecting(seen, "a"), plain, b: connecting(seen, "b") },
    },
  );

  expect(seen).toEqual([
    'connect a {"x":1}',
    "connect b {}",
    "mount a with a's server",
    "mount plain",
    "mount b with b's server",
  ]);
  expect(host.coordinator.getCapability("b")).toBe("b's server");
});

test("a reload starts the server of a changed module only", async () => {
  const seen: string[] = [];
  const { path, write } = await workspace({ "plan.yaml": "tools: [{ module: a }, { module: b }]" });
  await using host = await openHost(path("plan.yaml"), {
    logger: silentLogger,
    extensions: { a: connecting(seen, "a"), b: connecting(seen, "b") },
  });
  seen.length = 0;
  await write({ "plan.yaml": "tools: [{ module: a }, { module: b, config: { x: 1 } }]" });

  expect(await host.reload()).toMatchObject({ kept: ["a"], mounted: ["b"] });
  expect(seen).toEqual(['connect b {"x":1}', "mount b with b's server"]);
});

test("a server that cannot be started leaves it to the mount to say why", async () => {
  const seen: string[] = [];
  const a = connecting(seen, "a", () => {
    throw new Error("no such program");
  });
  await using host = await openHost(
    { tools: [{ module: "a" }] },
    { logger: silentLogger, extensions: { a } },
  );

  expect(seen).toEqual(["connect a {}", "mount a with undefined"]);
  expect(host.status().entries).toMatchObject([{ id: "a", state: "mounted" }]);
});

test("a module that a server needs and that cannot be mounted is a problem of the server's entry alone", async () => {
  const seen: string[] = [];
  const lacks = () => {
    throw new ToolmountError("EXTENSION_MISSING", { what: "x", module: "ext", install: "npm install ext" });
  };
  const a = { ...connecting(seen, "a", lacks), mount: lacks };
  const ext = {
    mount() {
      throw new Error("no licence");
    },
  };
  await using host = await openHost(
    { tools: [{ module: "a", required: false }, { module: "b" }] },
    { logger: silentLogger, extensions: { a, ext, b: connecting(seen, "b") } },
  );

  expect(host.status().entries).toMatchObject([
    { id: "b", state: "mounted" },
    { id: "a", state: "failed" },
  ]);
});

test("a server that needs another module starts after that module is mounted", async () => {
  const source = `
globalThis.connectOrder = [];
export function connect() { globalThis.connectOrder.push("connect"); }
export function mount(coordinator) { globalThis.connectOrder.push("mount " + coordinator.getCapability("db")); }`;
  const { path } = await workspace({
    ...installed("@acme/server", source, { toolmount: { mounts: [], needs: ["db"] } }),
    ...installed("@acme/db", 'export const mount = (c) => void c.registerCapability("db", 1)', {
      toolmount: { mounts: [], provides: ["db"] },
    }),
    "plan.yaml": 'tools: [{ module: "@acme/server" }, { module: "@acme/db" }]',
  });
  await using host = await openHost(path("plan.yaml"), { logger: silentLogger });

  expect(host.status().entries.map(({ id }) => id)).toEqual(["@acme/db", "@acme/server"]);
  expect((globalThis as { connectOrder?: string[] }).connectOrder).toEqual(["mount 1"]);
});
