import { stat } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type { ServerStatus } from "@toolmount/mcp";
import { openStore } from "@toolmount/store";
import { expect, onTestFinished, test } from "vitest";
import { startProtectedServer } from "./support/authorization-server.ts";
import { signInByFetch } from "./support/sign-in.ts";
import { folderOf, open, planOf } from "./support/world.ts";

const name = "fixture";
const call = { name: "greet" };

async function statusOf(host: OpenedHost): Promise<ServerStatus> {
  const [status] = await host.coordinator.collectContributions("mcp.servers");
  return status as ServerStatus;
}

function hostOf(url: string, cwd: string, source: object = {}) {
  return open(planOf({ url, ...source }), { cwd, logger: silentLogger });
}

test("a host without credentials says which command to run; after it, the same plan opens", async () => {
  const { url, grants } = await startProtectedServer();
  const folder = await folderOf();

  await expect(hostOf(url, folder)).rejects.toThrow(/needs a sign-in: .*toolmount auth fixture/);
  const signed = await signInByFetch({ url, name }, { folder });
  const host = await hostOf(url, folder);

  expect(signed).toEqual({
    state: "signed in",
    issuer: new URL(url).origin,
    scope: "tools",
    renewable: true,
  });
  expect(await host.call(call)).toMatchObject({ status: "ok", result: { data: "hello" } });
  expect(grants).toEqual(["authorization_code"]);
});

test("credentials are in a file that only this user can read, and a restart needs no sign-in", async () => {
  const { url, grants } = await startProtectedServer();
  const folder = await folderOf();
  await signInByFetch({ url, name }, { folder });

  await (await hostOf(url, folder)).close();
  const restarted = await hostOf(url, folder);

  expect((await restarted.call(call)).status).toBe("ok");
  expect((await stat(join(folder, ".toolmount/credentials.db"))).mode & 0o777).toBe(0o600);
  expect(grants).toEqual(["authorization_code"]);
});

test("a plan with state keeps its credentials there", async () => {
  const { url } = await startProtectedServer();
  const folder = await folderOf();
  const store = await openStore("sqlite:./state.db", { folder });
  onTestFinished(() => store.close());
  await signInByFetch({ url, name }, { folder, store: store.credentials });
  const plan = { ...planOf({ url }), state: "sqlite:./state.db" };

  const host = await open(plan, { cwd: folder, logger: silentLogger });

  expect((await host.call(call)).status).toBe("ok");
  expect((await stat(join(folder, "state.db"))).mode & 0o777).toBe(0o600);
  await expect(stat(join(folder, ".toolmount"))).rejects.toThrow("ENOENT");
});

test("two hosts with forty calls in flight renew an expired token once; the rotated one is kept", async () => {
  const { url, grants, resources, expire } = await startProtectedServer();
  const folder = await folderOf();
  await signInByFetch({ url, name }, { folder });
  const hosts = [await hostOf(url, folder), await hostOf(url, folder)];

  for (let round = 1; round <= 3; round++) {
    expire();
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) => hosts[index % 2]!.call(call)),
    );

    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["ok"]));
    expect(grants.filter((grant) => grant === "refresh_token")).toHaveLength(round);
  }
  // Each token is asked for this server alone (RFC 8707).
  expect(resources).toEqual([url, url, url, url]);
});

test("invalid_grant ends in the status needs_auth, and is not asked for again; after a sign-in the running host works again", async () => {
  const { url, grants, revoke, requests } = await startProtectedServer();
  const folder = await folderOf();
  await signInByFetch({ url, name }, { folder });
  const host = await hostOf(url, folder);
  revoke();

  const first = await host.call(call);
  const refused = requests();
  for (let again = 0; again < 5; again++) await host.call(call);
  expect(requests()).toBe(refused);
  const status = await statusOf(host);
  const asked = grants.length;
  await signInByFetch({ url, name }, { folder });

  expect(first).toMatchObject({ status: "failed", result: { code: "MCP_NEEDS_AUTH" } });
  expect(first.result.error).toContain("toolmount auth fixture");
  expect(status).toMatchObject({ state: "needs_auth" });
  expect(grants.slice(0, asked)).toEqual(["authorization_code", "refresh_token"]);
  expect(await host.call(call)).toMatchObject({ status: "ok" });
  expect(await statusOf(host)).toMatchObject({ state: "connected" });
});

test("an authorization server that is down for a moment costs no sign-in", async () => {
  const { url, grants, expire, breakDown } = await startProtectedServer();
  const folder = await folderOf();
  await signInByFetch({ url, name }, { folder });
  const host = await hostOf(url, folder);
  expire();
  breakDown(1);

  const first = await host.call(call);
  const second = await host.call(call);

  expect(first.status).toBe("failed");
  expect(first.result.code).not.toBe("MCP_NEEDS_AUTH");
  expect(second.status).toBe("ok");
  expect(grants).toEqual(["authorization_code", "refresh_token", "refresh_token"]);
});

test("a second sign-in uses the client that is registered already", async () => {
  const { url, registered } = await startProtectedServer();
  const folder = await folderOf();

  await signInByFetch({ url, name }, { folder });
  await signInByFetch({ url, name }, { folder });

  expect(registered()).toBe(1);
});

test("a host with a client's own secret signs in by itself, without a person", async () => {
  const { url, grants, expire } = await startProtectedServer();
  const auth = {
    grant: "client_credentials",
    clientId: "robot",
    clientSecret: "s3cret",
    issuer: new URL(url).origin,
  };
  const host = await hostOf(url, await folderOf(), { auth });

  const before = await host.call(call);
  expire();
  const after = await host.call(call);

  expect([before.status, after.status]).toEqual(["ok", "ok"]);
  expect(grants).toEqual(["client_credentials", "client_credentials"]);
});
