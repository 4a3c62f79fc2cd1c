import { createHash, randomUUID } from "node:crypto";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { silentLogger } from "@toolmount/core";
import type { ServerStatus } from "@toolmount/mcp";
import { stringify } from "yaml";
import { expect, onTestFinished, test } from "vitest";
import { startProtectedServer } from "./support/authorization-server.ts";
import { linkPackages, serveCommand } from "./support/command.ts";
import { signInByFetch } from "./support/sign-in.ts";
import { folderOf, open, planOf, serverOf } from "./support/world.ts";

const name = "fixture";
const instance = "user";
const whoAmI = { name: "who_am_i" };
const people = ["ana", "ben"] as const;

/** A protected server to which the host itself, Ana and Ben have signed in. */
async function signedIn() {
  const server = await startProtectedServer();
  const folder = await folderOf();
  const settings = { url: server.url, name, instance };
  await signInByFetch(settings, { folder });
  for (const user of people) await signInByFetch(settings, { folder, user });
  const openHost = () => open(planOf({ url: server.url, instance }), { cwd: folder, logger: silentLogger });
  return { server, folder, settings, openHost };
}

test("each user's calls reach the server with that user's sign-in, also at the same time and after a restart", async () => {
  const { openHost } = await signedIn();
  for (const host of [await openHost(), await openHost()]) {
    const users = Array.from({ length: 20 }, (_, index) => people[index % 2]!);
    const outcomes = await Promise.all(users.map((userId) => host.call(whoAmI, { userId })));

    expect(outcomes.map(({ result }) => result.data ?? result.error)).toEqual(users);
    await host.close();
  }
});

test("expired tokens of two users are renewed once each, and neither gets those of the other", async () => {
  const { server, openHost } = await signedIn();
  const hosts = [await openHost(), await openHost()];
  const renewed = () => server.grants.filter((grant) => grant === "refresh_token").length;

  for (let round = 1; round <= 3; round++) {
    server.expire();
    const before = renewed();
    const users = Array.from({ length: 40 }, (_, index) => people[(index >> 1) % 2]!);
    const outcomes = await Promise.all(
      users.map((userId, index) => hosts[index % 2]!.call(whoAmI, { userId })),
    );

    expect(outcomes.map(({ result }) => result.data ?? result.error)).toEqual(users);
    // Each of the two hosts has a connection of each user.
    expect(renewed() - before).toBe(2);
  }
});

test("a server that is killed in the middle of the calls of two users keeps both sign-ins", async () => {
  const { server, folder } = await signedIn();
  const tokens = { ana: randomUUID(), ben: randomUUID() };
  const records = people.map((user) => ({
    name: user,
    user,
    roles: ["call"],
    sha256: createHash("sha256").update(tokens[user]).digest("hex"),
  }));
  const elsewhere = await folderOf({ "tokens.json": JSON.stringify({ version: 1, tokens: records }) });
  await chmod(join(elsewhere, "tokens.json"), 0o600);
  await writeFile(join(folder, "plan.yaml"), stringify(planOf({ url: server.url, instance })));
  await linkPackages(folder);
  const words = ["plan.yaml", "--tokens", join(elsewhere, "tokens.json")];
  const connect = async (url: string, user: "ana" | "ben") => {
    const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    onTestFinished(() => client.close());
    const requestInit = { headers: { authorization: `Bearer ${tokens[user]}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    return client;
  };
  const ask = async (client: Client) => {
    const { content } = await client.callTool({ name: "who_am_i", arguments: {} });
    return content;
  };

  const first = await serveCommand(words, { cwd: folder });
  const clients = await Promise.all(people.map((user) => connect(first.url, user)));
  await Promise.all(clients.map(ask));
  const calls = Array.from({ length: 40 }, (_, index) => ask(clients[index % 2]!).catch(() => "lost"));
  await first.kill();
  const ended = await Promise.all(calls);
  server.expire();
  const second = await serveCommand(words, { cwd: folder });

  for (const [index, content] of ended.entries())
    if (content !== "lost") expect(content).toMatchObject([{ text: people[index % 2]! }]);
  for (const user of people)
    expect(await ask(await connect(second.url, user))).toMatchObject([{ type: "text", text: user }]);
  for (const token of Object.values(tokens)) expect(server.tokens).not.toContain(token);
});

test("a user whose sign-in was revoked needs another one, and the others do not notice", async () => {
  const { server, folder, settings, openHost } = await signedIn();
  const host = await openHost();
  for (const userId of people) await host.call(whoAmI, { userId });
  server.revoke("ana");

  const ana = await host.call(whoAmI, { userId: "ana" });
  const ben = await host.call(whoAmI, { userId: "ben" });
  const [status] = (await host.coordinator.collectContributions("mcp.servers")) as [ServerStatus];
  await signInByFetch(settings, { folder, user: "ana" });

  expect(ana).toMatchObject({ status: "failed", result: { code: "MCP_NEEDS_AUTH" } });
  expect(ana.result.error).toContain(`the user "ana" has to run: toolmount auth fixture --user ana`);
  expect(ben.result.data).toBe("ben");
  expect(status.users).toMatchObject([
    { user: "ana", state: "needs_auth" },
    { user: "ben", state: "connected" },
  ]);
  expect((await host.call(whoAmI, { userId: "ana" })).result.data).toBe("ana");
});

test("a call without a user, and one of a user who never signed in, gets no credentials of others", async () => {
  const { openHost } = await signedIn();
  const host = await openHost();

  const without = await host.call(whoAmI);
  const eve = await host.call(whoAmI, { userId: "eve" });
  const user = await host.call(whoAmI, { userId: "ana#user=ben" });

  expect(without).toMatchObject({ status: "failed", result: { code: "MCP_NO_USER" } });
  for (const outcome of [eve, user])
    expect(outcome).toMatchObject({ status: "failed", result: { code: "MCP_NEEDS_AUTH" } });
});

test("a program gets the variables of its user, in a process of that user; a user whom the plan does not name is refused", async () => {
  const source = {
    ...serverOf(),
    instance,
    users: { ana: { env: { ANA_TOKEN: "${ANA}" } }, ben: { env: { BEN_TOKEN: "b" } } },
  };
  const host = await open(planOf(source), { logger: silentLogger, env: { ANA: "a" } });
  const where = async (userId: string) => {
    const { result } = await host.call({ name: "where_am_I_" }, { userId });
    return result.data as { readonly pid: number; readonly env: readonly string[] };
  };

  const [ana, ben, again] = [await where("ana"), await where("ben"), await where("ana")];
  const eve = await host.call({ name: "echo", arguments: { text: "" } }, { userId: "constructor" });

  const tokensOf = ({ env }: { readonly env: readonly string[] }) =>
    env.filter((variable) => variable.endsWith("_TOKEN"));
  expect([tokensOf(ana), tokensOf(ben)]).toEqual([["ANA_TOKEN"], ["BEN_TOKEN"]]);
  expect(again.pid).toBe(ana.pid);
  expect(ben.pid).not.toBe(ana.pid);
  expect(eve).toMatchObject({ status: "failed", result: { code: "MCP_NO_USER" } });
  expect(eve.result.error).toContain("the plan names them under users");
});

test("headers of a user are sent with that user's requests only", async () => {
  const server = await startProtectedServer();
  const tokens = { ana: server.tokenOf("ana"), ben: server.tokenOf("ben") };
  const headers = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
  const users = { ana: headers("${ANA}"), ben: headers("${BEN}") };
  const folder = await folderOf();
  await signInByFetch({ url: server.url, name, instance }, { folder });
  const host = await open(planOf({ url: server.url, instance, users }), {
    cwd: folder,
    logger: silentLogger,
    env: { ANA: tokens.ana, BEN: tokens.ben },
  });

  const outcomes = await Promise.all(people.map((userId) => host.call(whoAmI, { userId })));

  expect(outcomes.map(({ result }) => result.data)).toEqual(["ana", "ben"]);
});

test.each([
  [{ users: { ana: {} } }, "users are for an entry with instance: user"],
  [{ instance, headers: { AUTHORIZATION: "Bearer x" } }, "write authorization under users"],
  [
    {
      instance,
      auth: { grant: "client_credentials", clientId: "a", clientSecret: "b", issuer: "https://a.example" },
    },
    "the grant client_credentials is for the host's own credentials",
  ],
])("an entry that would give users the credentials of others is refused: %j", async (source, problem) => {
  await expect(open(planOf({ url: "https://a.example/mcp", ...source }))).rejects.toThrow(problem);
});

test("a sign-in for a user of a server whose users share one says what to write", async () => {
  const { url } = await startProtectedServer();
  const folder = await folderOf();

  const signed = signInByFetch({ url, name }, { folder, user: "ana" });

  await expect(signed).rejects.toMatchObject({
    code: "OPTION_INVALID",
    message: expect.stringContaining("write instance: user"),
  });
});
