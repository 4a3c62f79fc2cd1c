import { silentLogger } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { KnownWay } from "../src/mount/known-way.ts";
import { config } from "../src/mount/config.ts";
import { Connection } from "../src/mount/connection.ts";
import { KeptConnections, mergeListed, requireUser, settingsFor } from "../src/mount/own-connections.ts";

/** Runs a call on a connection until the returned function is called. */
function hold(kept: KeptConnections, connection: Connection): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = kept.during(connection, () => promise);
  return () => (resolve(), running);
}

test("of more users than are kept, the quietest without a running call loses the connection", async () => {
  const settings = config.parse({ name: "server", command: process.execPath, instance: "user" });
  const connect = () =>
    new Connection({
      settings,
      folder: undefined,
      toolFor: () => "",
      logger: silentLogger,
      known: new KnownWay(),
    });
  const kept = new KeptConnections(2);
  onTestFinished(() => kept.close());
  const ana = kept.of("ana", connect);
  const release = hold(kept, ana);
  const ben = kept.of("ben", connect);
  const eva = kept.of("eva", connect);

  expect([ana, ben, eva].map(({ status }) => status.state)).toEqual(["asleep", "closed", "asleep"]);
  expect(kept.of("ana", connect)).toBe(ana);
  await release();
  kept.of("ben", connect);
  expect([ana, eva].map(({ status }) => status.state)).toEqual(["asleep", "closed"]);
  kept.of("eva", connect);
  expect(ana.status.state).toBe("closed");
});

test("where each connection runs a call, another user gets none, and the error says when to try again", async () => {
  let made = 0;
  const connect = () => ({ close: async () => {}, number: (made += 1) }) as unknown as Connection;
  const kept = new KeptConnections(2);
  const [ana, ben] = [kept.of("ana", connect), kept.of("ben", connect)];
  const releases = [ana, ben, ben].map((one) => hold(kept, one));

  for (let at = 0; at < 60; at++)
    expect(() => kept.of(`user${at}`, connect)).toThrow(
      "the MCP server of this tool runs calls on all of its 2 connections; try again when one has ended",
    );
  expect(made).toBe(2);
  expect(kept.of("ben", connect)).toBe(ben);
  await releases[1]!();
  expect(() => kept.of("eva", connect)).toThrow("2 connections");
  await releases[2]!();
  expect(kept.of("eva", connect)).not.toBe(ben);
  expect(() => kept.of("eva", connect)).not.toThrow();
});

test("a user's own headers and variables come after those of the entry", () => {
  const settings = config.parse({
    name: "files",
    url: "https://files.example.com/mcp",
    instance: "user",
    headers: { a: "1", b: "1" },
    users: { ana: { headers: { b: "2" }, env: { c: "3" } }, bo: {} },
  });
  const of = (user: string) => {
    const { headers, env } = settingsFor(settings, user);
    return { headers, env };
  };
  expect(of("ana")).toEqual({ headers: { a: "1", b: "2" }, env: { c: "3" } });
  for (const user of ["bo", "eva", "constructor"])
    expect(of(user)).toEqual({ headers: { a: "1", b: "1" }, env: {} });
});

test("a call of a server of users needs a user, whom the plan of a program names", () => {
  const users = { ana: {} };
  const here = { name: "files", command: "files-server" };
  const there = { name: "files", command: undefined };
  expect(requireUser({ ...here, users }, "ana")).toBe("ana");
  expect(requireUser({ ...here, users: {} }, "bo")).toBe("bo");
  expect(requireUser({ ...there, users }, "bo")).toBe("bo");
  const thrown = (entry: Parameters<typeof requireUser>[0], user?: string) => () => requireUser(entry, user);
  const none = "used with the credentials of each user, and this call has no user";
  expect(thrown({ ...there, users })).toThrow(
    expect.objectContaining({ code: "MCP_NO_USER", message: `the MCP server "files" is ${none}` }),
  );
  expect(thrown({ ...here, users }, "bo")).toThrow(
    expect.objectContaining({
      code: "MCP_NO_USER",
      message: 'the MCP server "files" has no credentials of the user "bo"; the plan names them under users',
    }),
  );
});

test("what one user has changes the tools of all, and adds none", () => {
  const tool = (name: string, description?: string) => ({
    name,
    description,
    inputSchema: { type: "object" as const },
  });
  const ofUser = [tool("b", "other"), tool("c")];
  expect(mergeListed([], ofUser)).toBe(ofUser);
  expect(mergeListed([tool("a"), tool("b")], ofUser)).toEqual([tool("a"), tool("b", "other")]);
});
