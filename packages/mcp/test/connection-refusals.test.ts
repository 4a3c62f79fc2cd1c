import { ToolmountError } from "@toolmount/core";
import { describe, expect, test, vi } from "vitest";
import { connectionWorld, network, status, sum } from "./connection-world.ts";

describe("a server that refuses the credentials", () => {
  const signIn = (cause: string) => ({
    code: "MCP_NEEDS_AUTH",
    message: `the MCP server "files" needs a sign-in: ${cause}; a person has to run: toolmount auth files`,
  });

  test("of a connection needs a sign-in, which the status shows", async () => {
    const { call, failing, connection } = connectionWorld();
    failing["server/discover"] = [status(401)];
    await expect(call()).rejects.toMatchObject({ code: "MCP_NEEDS_AUTH" });
    expect(connection.status).toMatchObject({ state: "needs_auth", connections: 0 });
    expect(await call()).toMatchObject(sum);
  });

  test("in a header of its entry does not ask for a sign-in", async () => {
    const { call, failing } = connectionWorld({ headers: { Authorization: "Bearer old" } });
    failing["server/discover"] = [() => new Response("Invalid API key", { status: 401 })];
    await expect(call()).rejects.toMatchObject({
      code: "MCP_KEY_REFUSED",
      message: expect.stringMatching(
        /^the MCP server "files" refuses the authorization header of its entry: .*Invalid API key/,
      ),
    });
  });

  test("of a call is not asked again before a sign-in", async () => {
    let mayTry = false;
    const authProvider = { token: async () => undefined, mayTry: async () => mayTry } as never;
    const { call, failing, connection, count } = connectionWorld({}, { authProvider });
    await call();
    failing["tools/call"] = [status(401)];
    const thrown = (await call().catch((error: unknown) => error)) as Error;
    expect(thrown).toMatchObject({ code: "MCP_NEEDS_AUTH" });
    const { cause } = connection.status;
    expect(thrown).toMatchObject(signIn(cause!));
    expect(connection.status).toMatchObject({ state: "needs_auth", connections: 1 });
    const before = count("tools/list");
    await expect(call()).rejects.toMatchObject(signIn(cause!));
    expect(count("tools/list")).toBe(before);
    mayTry = true;
    expect(await call()).toMatchObject(sum);
    expect(connection.status).toMatchObject({ state: "connected", connections: 2 });
  });

  const narrow = status(403, {
    "www-authenticate": 'Bearer error="insufficient_scope", scope="write"',
  });

  test.each([
    [true, 3],
    [false, 2],
  ])("for its scope asks the store: with another token there %s", async (hasOther, calls) => {
    const wanted: unknown[] = [];
    const needsScope = async ({ requiredScope }: { requiredScope?: string }) => (
      wanted.push(requiredScope),
      hasOther
    );
    const authProvider = { token: async () => "t", mayTry: async () => true, needsScope } as never;
    const { call, failing, count } = connectionWorld({}, { authProvider });
    await call();
    failing["tools/call"] = [narrow];
    const again = call();
    if (hasOther) expect(await again).toMatchObject(sum);
    else await expect(again).rejects.toMatchObject(signIn('it wants the scope "write"'));
    expect([wanted, count("tools/call")]).toEqual([["write"], calls]);
  });

  test("waits for the provider to be ready", async () => {
    const ready = Promise.withResolvers<void>();
    const authProvider = { token: async () => "t", ready: () => ready.promise } as never;
    const { call, asked } = connectionWorld({}, { authProvider });
    const running = call();
    await new Promise(setImmediate);
    expect(asked).toEqual([]);
    ready.resolve();
    expect(await running).toMatchObject(sum);
  });
});

test("a server that answers with an HTTP status is away for this status and its text", async () => {
  const { call, failing } = connectionWorld({ transport: "http", era: "legacy" });
  const away = (cause: string) => ({ message: `the MCP server "files" cannot be reached: ${cause}` });
  failing["initialize"] = [status(404), () => new Response("", { status: 502 })];
  await expect(call()).rejects.toMatchObject(away("it answered with HTTP status 404: no"));
  await expect(call()).rejects.toMatchObject(away("it answered with HTTP status 502"));
  expect(await call()).toMatchObject(sum);
});

describe("a server that leads back to its host", () => {
  const refusal = new ToolmountError("PLAN_SERVES_ITSELF", { server: "files", plan: "/plan.yaml" } as never);
  const onHosts = () => {
    throw refusal;
  };

  test("is refused, and not asked again", async () => {
    const { connection, call, asked, warnings } = connectionWorld({}, { onHosts });
    await expect(call()).rejects.toBe(refusal);
    const before = asked.length;
    await expect(call()).rejects.toBe(refusal);
    expect(await connection.persist()).toBe(refusal);
    expect(asked).toHaveLength(before);
    expect(warnings()).toEqual([["warn", { server: "files", code: "PLAN_SERVES_ITSELF" }, refusal.message]]);
    expect(connection.status).toEqual({ state: "down", connections: 0, cause: refusal.message });
  });

  test("by now loses its tools", async () => {
    let leadsBack = false;
    const seen: unknown[] = [];
    const { call, host, listed, connection, warnings } = connectionWorld(
      { era: "legacy" },
      { onHosts: () => leadsBack && onHosts(), onServedToItself: (error) => void seen.push(error) },
    );
    await call();
    leadsBack = true;
    host.coordinator.unmount("tools", "wait");
    await host.coordinator.hooks.emit("mcp:changed", {});
    await vi.waitUntil(() => seen.length > 0, 60_000);
    expect([listed.at(-1), seen]).toEqual([[], [refusal]]);
    expect(connection.status).toMatchObject({ state: "down", cause: refusal.message });
    expect(warnings()[0]).toEqual(["warn", { server: "files", code: "PLAN_SERVES_ITSELF" }, refusal.message]);
    await expect(call()).rejects.toBe(refusal);
  });
});

describe("a server that is asked until it answers", () => {
  test("is left alone when it has", async () => {
    const { connection, failing, count } = connectionWorld();
    failing["server/discover"] = [network("ECONNREFUSED"), network("ECONNREFUSED")];
    expect(await connection.persist()).toBeUndefined();
    expect(connection.status).toMatchObject({ state: "connected", connections: 1 });
    expect(count("server/discover")).toBe(3);
  });

  test("is not asked after the end of its host", async () => {
    const { connection, failing } = connectionWorld();
    failing["server/discover"] = Array.from({ length: 9 }, () => network("ECONNREFUSED"));
    const asking = connection.persist();
    await vi.waitUntil(() => connection.status.state === "down", 60_000);
    await connection.close();
    expect(await asking).toBeUndefined();
    expect(connection.status).toMatchObject({ state: "closed", connections: 0 });
  });
});
