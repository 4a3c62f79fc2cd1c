import { expect, test } from "vitest";
import { createWorld, serve } from "./support/world.ts";

const path = "/api/v1/hosts/default";

/** A server whose text for a model is the word for who denied a call. */
async function served() {
  const { host } = createWorld();
  return { host, ...(await serve({ default: { host, modelText: (_, denier) => `by a ${denier}` } })) };
}

type Served = Awaited<ReturnType<typeof served>>;

/** Answers the question of a call once it is there. */
async function decide(
  { ask, host }: Served,
  callId: string,
  sessionId: string,
  decision: "approve" | "deny",
) {
  const questions = () => host.approvals.list({ callId, sessionId, states: ["pending"] });
  await expect.poll(async () => (await questions()).length, { timeout: 600_000 }).toBe(1);
  const [question] = await questions();
  const { status } = await ask("POST", `${path}/approvals/${question!.id}/decision`, { body: { decision } });
  expect(status).toBe(200);
}

test("the text for a model says whether a person or a hook denied the call", async () => {
  const world = await served();
  const body = { tool: "wipe", id: "c1", sessionId: "s", waitMs: 600_000, modelText: true };
  const asked = world.ask("POST", `${path}/calls`, { as: "caller", body });
  await decide(world, "c1", "s", "deny");
  expect((await asked).body).toMatchObject({ status: "denied", modelText: "by a person" });

  world.host.coordinator.hooks.gate("tool:pre", () => ({ action: "deny", reason: "never" }));
  const denied = await world.ask("POST", `${path}/calls`, { as: "caller", body: { ...body, id: "c2" } });
  expect(denied.body).toMatchObject({ status: "denied", modelText: "by a hook" });
});

test("a call waits for its own question, not for those of other calls and sessions", async () => {
  const world = await served();
  const call = (id: string, sessionId: string) =>
    world.ask("POST", `${path}/calls`, {
      as: "caller",
      body: { tool: "wipe", id, sessionId, waitMs: 600_000 },
    });
  const first = call("c1", "a");
  const others = [call("c2", "a"), call("c1", "b")];
  await decide(world, "c1", "a", "approve");
  expect((await first).body).toMatchObject({ status: "ok", sessionId: "a", callId: "c1" });

  await decide(world, "c2", "a", "deny");
  await decide(world, "c1", "b", "deny");
  for (const other of others) expect((await other).body).toMatchObject({ status: "denied" });
});
