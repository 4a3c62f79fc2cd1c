import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedPostgres, startPostgres } from "../../../store/test/postgres.ts";
import { askEarlier, askModern, connectEarlier } from "../support/mcp-wire.ts";
import { startServer } from "../support/served.ts";
import { oneTool } from "../support/workspace.ts";
import { approveAll, endServer, nextVersion, serverGroup } from "../support/server-group.ts";

let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
beforeAll(async () => void (postgres = await sharedPostgres()));
afterAll(() => postgres.stop());

const stores = ["SQLite", "Postgres"] as const;
let databases = 0;
const stateOf = async (store: (typeof stores)[number]) =>
  store === "SQLite" ? "sqlite:./state.db" : postgres.database(`server_group_${++databases}`);

describe.each(stores)("servers of one store in %s", (store) => {
  test("an approved call's result is fetched at any of them, also after restarts", async () => {
    const { start, tokens, paid } = await serverGroup(await stateOf(store));
    let [one, other] = await Promise.all([start(), start()]);
    const ask = async (cents: number) => {
      const { result } = await askModern(one.url, tokens.ana, "tools/call", {
        name: "pay",
        arguments: { cents },
      });
      expect(result).toMatchObject({ resultType: "input_required" });
      return String(result!["requestState"]);
    };
    const retry = (url: string, cents: number, requestState: string, token = tokens.ana) =>
      askModern(url, token, "tools/call", {
        name: "pay",
        arguments: { cents },
        inputResponses: { approval: { action: "accept" } },
        requestState,
      });
    const result = (cents: number) => ({ result: { structuredContent: { paid: cents } } });

    const first = await ask(1);
    expect(await approveAll(other)).toBe(1);
    expect(await retry(other.url, 1, first, tokens.call)).toMatchObject({ error: { code: -32_602 } });
    expect(await retry(other.url, 1, first)).toMatchObject(result(1));

    const [second, third] = [await ask(2), await ask(3)];
    await endServer(one, "SIGKILL");
    await endServer(other, "SIGTERM");
    one = await start();
    expect(await approveAll(one)).toBe(2);
    expect(await retry(one.url, 2, second)).toMatchObject(result(2));
    other = await start();
    expect(await retry(other.url, 3, third)).toMatchObject(result(3));
    expect(await paid()).toEqual(["1", "2", "3"]);
  });

  test("a session of 2025 is served by any of them, also after restarts, until its client ends it", async () => {
    const { start, tokens } = await serverGroup(await stateOf(store));
    let [one, other] = await Promise.all([start(), start()]);
    const session = await connectEarlier(one.url, tokens.ana);
    const look = (url: string, token = tokens.ana) =>
      askEarlier(url, { token, session }, "tools/call", { name: "look", arguments: {} });
    const seen = { status: 200, session, result: { structuredContent: { seen: 1 } } };
    for (const { url } of [one, other]) expect(await look(url)).toMatchObject(seen);
    expect(await look(other.url, tokens.call)).toMatchObject({ status: 404 });

    await endServer(one, "SIGKILL");
    await endServer(other, "SIGTERM");
    [one, other] = await Promise.all([start(), start()]);
    for (const { url } of [one, other]) expect(await look(url)).toMatchObject(seen);

    const headers = { authorization: `Bearer ${tokens.ana}`, "mcp-session-id": session };
    expect((await fetch(`${one.url}/mcp`, { method: "DELETE", headers })).status).toBe(200);
    expect(await look(one.url)).toMatchObject({ status: 404 });
    await endServer(other, "SIGTERM");
    expect(await look((await start()).url)).toMatchObject({ status: 404 });
  });
});

test("while servers of two versions serve, what one began the other ends, and the list says which is which", async () => {
  const { start, tokens, paid, place } = await serverGroup(await stateOf("Postgres"));
  const [old, next] = [await start(), await start(await nextVersion("99.0.0"))];
  const session = await connectEarlier(old.url, tokens.ana);
  const pay = { name: "pay", arguments: { cents: 1 } };
  const call = (url: string) => askEarlier(url, { token: tokens.ana, session }, "tools/call", pay);
  expect(JSON.stringify(await call(old.url))).toContain("waiting for a person");
  expect(await approveAll(next)).toBe(1);
  expect(await call(next.url)).toMatchObject({ result: { structuredContent: { paid: 1 } } });
  const { result } = await askModern(next.url, tokens.ana, "tools/call", { ...pay, arguments: { cents: 2 } });
  expect(await approveAll(old)).toBe(1);
  const retry = { requestState: result!["requestState"], inputResponses: { approval: { action: "accept" } } };
  const answer = await askModern(old.url, tokens.ana, "tools/call", {
    ...pay,
    arguments: { cents: 2 },
    ...retry,
  });
  expect(answer).toMatchObject({ result: { structuredContent: { paid: 2 } } });
  expect(await paid()).toEqual(["1", "2"]);
  const { servers } = (await place.here(["doctor", "servers", "plan.yaml", "--json"])).json();
  const versions = (servers as { url: string; version: string }[]).map(({ url, version }) => [url, version]);
  expect(new Map(versions as [string, string][]).get(next.url)).toBe("99.0.0");
  expect(new Set(versions.map(([, version]) => version)).size).toBe(2);
});

test("--approval wait keeps a call open until it is decided, in both revisions", async () => {
  const { start, tokens, paid } = await serverGroup("sqlite:./state.db", "", ["--approval", "wait"]);
  const server = await start();
  const session = await connectEarlier(server.url, tokens.ana);
  const call = (cents: number) => ({ name: "pay", arguments: { cents } });
  const calls = [
    askModern(server.url, tokens.ana, "tools/call", call(1)),
    askEarlier(server.url, { token: tokens.ana, session }, "tools/call", call(2)),
  ];
  let approved = 0;
  while (approved < 2) approved += await approveAll(server);
  const results = (await Promise.all(calls)).map(({ result }) => result?.["structuredContent"]);
  expect(results).toEqual([{ paid: 1 }, { paid: 2 }]);
  expect((await paid()).toSorted()).toEqual(["1", "2"]);
});

test("--approval elicitation lets the user decide in a form, with a token that may approve and with no other", async () => {
  const words = ["--approval", "elicitation"];
  const { start, tokens } = await serverGroup("sqlite:./state.db", "", words);
  const { url } = await start();
  const pay = { name: "pay", arguments: { cents: 1 } };
  const asked = (await askModern(url, tokens.ops, "tools/call", pay)).result!;
  expect(asked).toMatchObject({ inputRequests: { approval: { params: { mode: "form" } } } });
  const { requestState } = asked;
  const approval = { action: "accept", content: { decision: "approve" } };
  const retry = { ...pay, requestState, inputResponses: { approval } };
  expect(await askModern(url, tokens.ops, "tools/call", retry)).toMatchObject({
    result: { structuredContent: { paid: 1 } },
  });
  const { result } = await askModern(url, tokens.ana, "tools/call", pay);
  expect(result).not.toHaveProperty("inputRequests");
  expect(JSON.stringify(result)).toContain("waiting for a person");
});

test("servers of one store say which plan they have, a reload at one is one at all, and a killed one is gone", async () => {
  const { start, tokens, place } = await serverGroup("sqlite:./state.db");
  const written = await place.read("plan.yaml");
  const [one, other] = await Promise.all([start(), start()]);
  const planOf = async (url: string) => {
    const authorization = `Bearer ${tokens.ops}`;
    const answer = await fetch(`${url}/api/v1/hosts/default/tools`, { headers: { authorization } });
    return answer.headers.get("toolmount-plan");
  };
  const doctor = () => place.here(["doctor", "servers", "plan.yaml", "--json"]);
  const before = await planOf(one.url);
  expect(before).toMatch(/^[\da-f]{12}$/);
  expect(await planOf(other.url)).toBe(before);
  const equal = await doctor();
  expect(equal.code).toBe(0);
  const facts = (found: Record<string, unknown>) =>
    (found["servers"] as Record<string, unknown>[]).map(({ url, plan, state }) => [url, plan, state]);
  expect(facts(equal.json())).toEqual(
    expect.arrayContaining([one, other].map(({ url }) => [url, before, "ready"])),
  );

  await place.write("plan.yaml", written.replace("  - module: ./look.ts\n", ""));
  expect((await doctor()).code).toBe(1);
  expect((await one.ask("POST", "/reload")).status).toBe(200);
  await expect.poll(() => planOf(other.url)).not.toBe(before);
  expect(await planOf(other.url)).toBe(await planOf(one.url));
  expect((await other.ask("GET", "/tools")).body).toMatchObject({ tools: [{ name: "pay" }] });

  await place.write("plan.yaml", "version: 1\ntools: [nothing]\n");
  expect((await one.ask("POST", "/reload")).status).toBe(422);
  expect(await planOf(other.url)).toBe(await planOf(one.url));

  await place.write("plan.yaml", written);
  await endServer(one, "SIGKILL");
  await endServer(other, "SIGTERM");
  expect(facts((await doctor()).json())[0]?.[0]).toBe(one.url);
});

test("a task that runs when its server ends has its result at another", async () => {
  const { start, tokens, place, paid } = await serverGroup("sqlite:./state.db", "", ["--grace", "120000"]);
  // It runs until the test writes a file.
  const body = `const fs = await import("node:fs"); fs.appendFileSync("paid.txt", "began\\n");
    while (!fs.existsSync("over.txt")) await new Promise((resolve) => setTimeout(resolve, 50));
    return data({ slow: 1 });`;
  await place.write("look.ts", oneTool({ name: "look", body }));
  const [one, other] = [await start(), await start()];
  const of = { token: tokens.ana, session: await connectEarlier(one.url, tokens.ana) };
  const call = { name: "look", arguments: {}, task: { ttl: 600_000 } };
  const { taskId } = (await askEarlier(one.url, of, "tools/call", call)).result!["task"] as {
    taskId: string;
  };
  await expect.poll(paid).toEqual(["began"]);
  one.child.kill("SIGTERM");
  await expect.poll(() => fetch(`${one.url}/healthz`).catch(() => null)).toBe(null);
  await place.write("over.txt", "");
  expect((await one.ended).code).toBe(0);
  const { result } = await askEarlier(other.url, of, "tasks/result", { taskId });
  expect(result).toMatchObject({ structuredContent: { slow: 1 } });
});

test("a server is alive while its store does not answer, and not ready while it ends", async () => {
  const postgresOfThisTest = await startPostgres();
  const { start } = await serverGroup(await postgresOfThisTest.database("slow"));
  const { url, child, ended } = await start();
  postgresOfThisTest.signal("SIGSTOP");
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.kill("SIGTERM");
  postgresOfThisTest.signal("SIGCONT");
  expect((await ended).code).toBe(0);
  await postgresOfThisTest.stop();
});

test("tokens in the store are those of every server, and a removed one ends at each, also while it has a stream", async () => {
  const { place, tokens } = await serverGroup(await stateOf("Postgres"));
  const add = (name: keyof typeof tokens, ...roles: string[]) =>
    place.here(
      [
        "serve",
        "tokens",
        "add",
        "state",
        name,
        "--from-env",
        "TOKEN",
        "--plan",
        "plan.yaml",
        ...roles.flatMap((role) => ["--role", role]),
      ],
      { env: { TOKEN: tokens[name] } },
    );
  const without = await place.here(["serve", "plan.yaml", "--http", "127.0.0.1:0", "--tokens", "state"]);
  expect(without.stderr).toContain("create state first");
  expect((await add("ops", "call", "approve")).code).toBe(0);
  const start = () => startServer(place, { ...tokens, file: "state" }, ["plan.yaml"]);
  const servers = await Promise.all([start(), start()]);
  expect((await add("ana")).code).toBe(0);
  const statuses = () =>
    Promise.all(
      servers.map(({ ask }) => ask("GET", "/tools", undefined, { as: tokens.ana }).then((got) => got.status)),
    );
  await expect.poll(statuses).toEqual([200, 200]);
  const headers = { authorization: `Bearer ${tokens.ana}` };
  const streams = await Promise.all(
    servers.map(({ url }) => fetch(`${url}/api/v1/hosts/default/events`, { headers })),
  );
  expect((await place.here(["serve", "tokens", "remove", "state", "ana", "--plan", "plan.yaml"])).code).toBe(
    0,
  );
  await Promise.all(streams.map((stream) => stream.text().catch(() => {})));
  expect(await statuses()).toEqual([401, 401]);
});
