import { ToolmountError } from "@toolmount/core";
import { expect, test } from "vitest";
import { createWorld, serve } from "./support/world.ts";

const path = "/api/v1/hosts/default";

/** A served plan that answers with what it was asked. */
async function world(more: object = {}) {
  const asked: unknown[][] = [];
  const note =
    (name: string) =>
    async (...words: unknown[]) => {
      asked.push([name, ...words]);
      return { name };
    };
  const plan = {
    status: () => ({ name: "status" }),
    effective: note("effective"),
    why: note("why"),
    digest: () => "d1",
    reload: note("reload"),
    compare: note("compare"),
    suggest: note("suggest"),
    ...more,
  };
  const { host } = createWorld();
  const served = { default: { host, plan }, bare: { host: createWorld().host } };
  return { asked, ...(await serve(served)) };
}

test("a plan is shown, explained and read again", async () => {
  const { ask, asked } = await world();
  expect(await ask("GET", `${path}/status`)).toMatchObject({
    status: 200,
    body: { name: "status", digest: "d1", replicas: [{ plan: "d1", state: "ready", problem: null }] },
  });
  expect(await ask("GET", `${path}/plan`)).toEqual({ status: 200, body: { name: "effective" } });
  expect(await ask("POST", `${path}/reload`)).toEqual({ status: 200, body: { name: "reload" } });
  const why = (body: object) => ask("POST", `${path}/why`, { body });
  expect(await why({ tool: "echo" })).toEqual({ status: 200, body: { name: "why" } });
  await why({ tool: "echo", arguments: { a: 1 }, mode: "plan" });
  expect(asked).toEqual([
    ["effective"],
    ["reload"],
    ["why", "echo", { arguments: undefined, mode: undefined }],
    ["why", "echo", { arguments: { a: 1 }, mode: "plan" }],
  ]);
});

test("policies are compared and suggested by the newest calls, 10,000 where the request names no number", async () => {
  const { ask, asked } = await world();
  const post = (route: string, body: object) => ask("POST", `${path}/plan/${route}`, { body });
  expect(await post("compare", { policy: "allow: []" })).toEqual({ status: 200, body: { name: "compare" } });
  await post("compare", { policy: "", last: 100_000 });
  expect(await post("suggest", {})).toEqual({ status: 200, body: { name: "suggest" } });
  await post("suggest", { last: 1 });
  const signal = expect.any(AbortSignal);
  expect(asked).toEqual([
    ["compare", "allow: []", { last: 10_000, signal }],
    ["compare", "", { last: 100_000, signal }],
    ["suggest", { last: 10_000, signal }],
    ["suggest", { last: 1, signal }],
  ]);
  for (const last of [0, 100_001, 1.5])
    expect((await post("suggest", { last })).body, String(last)).toMatchObject({ code: "REQUEST_INVALID" });
  expect((await post("compare", { policy: "x".repeat(50_000) })).status).toBe(200);
  expect((await post("compare", { policy: "x".repeat(50_001) })).status).toBe(400);
});

test("one comparison of a host runs at a time, and the next one after it has ended or failed", async () => {
  const ends: PromiseWithResolvers<object>[] = [];
  const compare = () => {
    ends.push(Promise.withResolvers<object>());
    return ends.at(-1)!.promise;
  };
  const { ask } = await world({ compare });
  const post = (route: string, body: object) => ask("POST", `${path}/plan/${route}`, { body });
  const first = post("compare", { policy: "" });
  await expect.poll(() => ends.length).toBe(1);
  const busy = {
    status: 429,
    body: expect.objectContaining({ code: "RATE_LIMITED", details: { seconds: 5 } }),
  };
  expect(await post("compare", { policy: "" })).toEqual(busy);
  expect(await post("suggest", {})).toEqual(busy);
  ends[0]!.reject(new ToolmountError("STORE_FAILED", {}));
  expect((await first).body).toMatchObject({ code: "STORE_FAILED" });
  expect((await post("suggest", {})).status).toBe(200);
  const second = post("compare", { policy: "" });
  await expect.poll(() => ends.length).toBe(2);
  ends[1]!.resolve({});
  expect((await second).status).toBe(200);
});

test("what a host does not have is said", async () => {
  const { ask } = await world({ compare: undefined, suggest: undefined });
  const lacks = (what: string) => ({
    status: 501,
    body: expect.objectContaining({ code: "NOT_SERVED", detail: `this host has no ${what}` }),
  });
  const post = (route: string, body: object) => ask("POST", `${path}/plan/${route}`, { body });
  expect(await post("compare", { policy: "" })).toEqual(lacks("comparison of policies"));
  expect(await post("suggest", {})).toEqual(lacks("comparison of policies"));
  const none = lacks("plan: it was created without one");
  const bare = "/api/v1/hosts/bare";
  expect(await ask("GET", `${bare}/status`)).toEqual(none);
  expect(await ask("GET", `${bare}/plan`)).toEqual(none);
  expect(await ask("POST", `${bare}/reload`)).toEqual(none);
  expect(await ask("POST", `${bare}/why`, { body: { tool: "echo" } })).toEqual(none);
});
