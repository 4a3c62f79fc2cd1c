import { createMemoryStore } from "@toolmount/core";
import { expect, test } from "vitest";
import { createWorld, serve } from "./support/world.ts";

const path = "/api/v1/hosts/default";

/** A server with one call that waits, and the ticket of its caller. */
async function waiting() {
  const store = createMemoryStore({ audit: "durable" });
  const { host, started } = createWorld({ store });
  const world = await serve(host);
  const body = { tool: "wipe", arguments: { text: "the build" }, sessionId: "s" };
  const asked = await world.ask("POST", `${path}/calls`, { as: "caller", body });
  const [question] = await host.approvals.list();
  const { id } = question!;
  const approve = () =>
    world.ask("POST", `${path}/approvals/${id}/decision`, { body: { decision: "approve" } });
  const run = (given: object = {}) => world.ask("POST", `${path}/approvals/${id}/run`, { body: given });
  return { ...world, store, host, started, approve, run, ticket: asked.body["ticket"], id };
}

test("an approved call is run without its caller, once, and its caller reads the outcome with its ticket", async () => {
  const { ask, approve, run, started, ticket, store, host } = await waiting();
  await approve();
  const body = { ticket, sessionId: "s" };

  const [first, second, third] = await Promise.all([
    run({ person: "Ana" }),
    run(),
    ask("POST", `${path}/resume`, { as: "caller", body }),
  ]);

  for (const { status } of [first, second, third]) expect(status).toBe(200);
  expect(started).toEqual(["wipe"]);
  expect((await run()).body).toMatchObject({ state: "ended", end: { status: "ok" } });
  const resumed = await ask("POST", `${path}/resume`, { as: "caller", body });
  expect(resumed.body).toMatchObject({ status: "ok", result: { data: "wiped the build" } });
  expect(started).toEqual(["wipe"]);
  await host.close();
  const entries = (await store.audit!.read()).map(({ entry }) => entry);
  expect(entries.filter(({ kind }) => kind === "start")).toHaveLength(1);
});

test("a call that no person approved is not run, and says so", async () => {
  const { run, started } = await waiting();

  expect(await run()).toMatchObject({
    status: 409,
    body: { code: "RUN_REFUSED", detail: expect.stringContaining("no person has approved it") },
  });
  expect(started).toEqual([]);
});

test("an approved call stays in the list until its effect is known, also after a restart", async () => {
  const { approve, store, id, server } = await waiting();
  await approve();
  await server.close({ graceMs: 0 });
  const { host } = createWorld({ store });
  const { ask } = await serve(host);
  const answered = async () => (await ask("GET", `${path}/approvals`)).body["answered"];

  expect(await answered()).toMatchObject([{ id, state: "approved", runnable: true }]);
  await ask("POST", `${path}/approvals/${id}/run`, { body: {} });
  expect(await answered()).toMatchObject([{ id, state: "ended", end: { status: "ok" } }]);
});
