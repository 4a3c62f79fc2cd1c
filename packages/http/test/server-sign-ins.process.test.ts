import { ToolmountError } from "@toolmount/core";
import { createToken, createTokenCheck, hashToken } from "@toolmount/http";
import { describe, expect, test } from "vitest";
import { createWorld, serve, type Tokens } from "./support/world.ts";

const path = "/api/v1/hosts/default/servers";
const state = "abcdefghijklmnop-state";

/** How one mounted server is signed in to; what it is asked is noted. */
function signInOf(name: string, more: object = {}) {
  const asked: unknown[][] = [];
  const note =
    (method: string, answer: unknown) =>
    async (...words: unknown[]) => {
      asked.push([method, ...words]);
      return answer;
    };
  const signIn = {
    name,
    isOfUser: true,
    isUsedBy: () => true,
    state: note("state", "needed"),
    begin: note("begin", { address: `https://id.example/${name}`, state }),
    finish: note("finish", { server: name }),
    ...more,
  };
  return { signIn, asked };
}

async function world(...signIns: { signIn: object }[]) {
  const mounted = {
    name: "files",
    state: "down",
    cause: "it ended",
    protocol: "2026-07-28",
    server: "files 1",
    users: [{ user: "ana", state: "connected", cause: "secret" }],
    refused: [{ tool: "a", problem: "b", more: 1 }],
  };
  const { host } = createWorld();
  const served = {
    host,
    servers: async () => [mounted],
    signIns: async () => signIns.map(({ signIn }) => signIn),
  };
  return serve({ default: served as never });
}

test("the servers are listed as they stand, and each sign-in that a token sees", async () => {
  const own = signInOf("own");
  const shared = signInOf("shared", { isOfUser: false, state: async () => "signed_in" });
  const given = signInOf("given", { isUsedBy: () => false });
  const { ask } = await world(own, shared, given);
  const listed = async (as: keyof Tokens) => (await ask("GET", path, { as })).body;
  const { cause: _, ...user } = { user: "ana", state: "connected", cause: "secret" };
  expect(await listed("operator")).toEqual({
    mounted: [
      {
        name: "files",
        state: "down",
        cause: "it ended",
        protocol: "2026-07-28",
        server: "files 1",
        users: [user],
        refused: [{ tool: "a", problem: "b" }],
      },
    ],
    servers: [
      { name: "own", whose: "host", state: "needed", maySignIn: true },
      { name: "shared", whose: "host", state: "signed_in", maySignIn: true },
      { name: "given", whose: "host", state: "needed", maySignIn: true },
    ],
  });
  expect(await listed("ana")).toEqual({
    mounted: [],
    servers: [
      { name: "own", whose: "user", state: "needed", maySignIn: true },
      { name: "shared", whose: "host", state: "signed_in", maySignIn: false },
    ],
  });
  expect(own.asked).toEqual([
    ["state", undefined],
    ["state", "ana"],
  ]);
  expect((await listed("caller"))["servers"]).toMatchObject([{ maySignIn: false }, {}, {}]);
});

test("a person with the role admin signs in for herself and for the host, each with its own credentials", async () => {
  const own = signInOf("own");
  const { host } = createWorld();
  const token = createToken();
  const olga = {
    name: "olga",
    user: "olga",
    sha256: hashToken(token),
    roles: ["call" as const, "admin" as const],
  };
  const signIns = async () => [own.signIn];
  const authenticate = createTokenCheck([olga]);
  const { server } = await serve({ default: { host, signIns } as never }, { authenticate });
  const headers = { authorization: `Bearer ${token}` };
  const { servers } = (await (await fetch(`${server.url}${path}`, { headers })).json()) as {
    servers: object[];
  };
  expect(servers).toEqual(
    ["user", "host"].map((whose) => ({ name: "own", whose, state: "needed", maySignIn: true })),
  );
  for (const whose of ["user", "host"])
    await fetch(`${server.url}${path}/own/sign-in?whose=${whose}`, { method: "POST", headers });
  expect(own.asked.map(([method, user]) => [method, user])).toEqual([
    ["state", "olga"],
    ["state", undefined],
    ["begin", "olga"],
    ["begin", undefined],
  ]);
});

describe("a sign-in begins", () => {
  const begin = async (
    made: ReturnType<typeof signInOf>,
    as: keyof Tokens,
    whose: string,
    server = "own",
  ) => {
    const { server: http, tokens } = await world(made);
    const response = await fetch(`${http.url}${path}/${server}/sign-in?whose=${whose}`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens[as]}` },
    });
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, body, cookie: response.headers.get("set-cookie"), url: http.url };
  };

  test("with the address of the provider, and a cookie for this browser", async () => {
    const own = signInOf("own");
    const { status, body, cookie, url } = await begin(own, "ana", "user");
    expect([status, body]).toEqual([200, { address: "https://id.example/own" }]);
    expect(own.asked).toEqual([["begin", "ana", `${url}/signin/server`]]);
    const [named, ...flags] = cookie!.split("; ");
    const kept = named!.split("=").at(-1)!;
    expect(named).toContain("server-abcdefghijklmnop");
    expect(JSON.parse(Buffer.from(kept, "base64url").toString())).toEqual({
      host: "default",
      server: "own",
      user: "ana",
      state,
    });
    expect(flags).toEqual(expect.arrayContaining(["Max-Age=600", "SameSite=Lax", "HttpOnly"]));
  });

  test("for the host by an admin", async () => {
    const own = signInOf("own");
    expect((await begin(own, "operator", "host")).status).toBe(200);
    expect(own.asked[0]!.slice(0, 2)).toEqual(["begin", undefined]);
  });

  test("without an address where none is needed", async () => {
    const { body, cookie } = await begin(signInOf("own", { begin: async () => null }), "ana", "user");
    expect([body, cookie]).toEqual([{ address: null }, null]);
  });

  test.each<[string, object, keyof Tokens, string, number, string]>([
    [
      "of users who share credentials",
      { isOfUser: false },
      "ana",
      "user",
      400,
      "the users of own share credentials",
    ],
    [
      "of a user with credentials of the plan",
      { isUsedBy: () => false },
      "ana",
      "user",
      400,
      "the plan gives this user credentials of own",
    ],
    [
      "of a token without a user",
      {},
      "caller",
      "user",
      403,
      "each user signs in with a token that has a user and the role call",
    ],
    ["of the host by a user", {}, "ana", "host", 403, "the credentials of the host need the role admin"],
  ])("not %s", async (_, more, as, whose, status, problem) => {
    const answer = await begin(signInOf("own", more), as, whose);
    const sentence = status === 400 ? "the request is not valid" : "this token may not do that";
    expect([answer.status, answer.body["detail"]]).toEqual([status, `${sentence}: ${problem}`]);
  });

  test("not for a server that has none", async () => {
    const { status, body } = await begin(signInOf("own"), "ana", "user", "other");
    expect([status, body["detail"]]).toEqual([
      404,
      'there is no server "other" to which people sign in; GET /api/v1/openapi.json lists the paths',
    ]);
  });
});

describe("a browser that comes back", () => {
  const back = async (
    made: ReturnType<typeof signInOf>,
    more: { query?: string; cookie?: string; method?: string } = {},
  ) => {
    const { server: http, tokens } = await world(made);
    const begun = await fetch(`${http.url}${path}/own/sign-in?whose=user`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.ana}` },
    });
    const [cookie] = begun.headers.get("set-cookie")!.split("; ");
    const answer = await fetch(`${http.url}/signin/server${more.query ?? `?state=${state}&code=c`}`, {
      redirect: "manual",
      method: more.method ?? "GET",
      headers: { cookie: more.cookie ?? cookie! },
    });
    return {
      status: answer.status,
      to: answer.headers.get("location"),
      cookie: answer.headers.get("set-cookie"),
    };
  };

  test("ends its sign-in, loses its cookie, and gets to the page", async () => {
    const own = signInOf("own");
    const { status, to, cookie } = await back(own);
    expect([status, to]).toEqual([302, "/#/servers/own?host=default&signed=in"]);
    expect(cookie).toContain("Max-Age=0");
    const [method, user, parameters] = own.asked.at(-1)!;
    expect([method, user, String(parameters as URLSearchParams)]).toEqual([
      "finish",
      "ana",
      `state=${state}&code=c`,
    ]);
  });

  test.each([
    ["SIGN_IN_REFUSED", new ToolmountError("SIGN_IN_REFUSED", { server: "own", problem: "late" })],
    ["SERVER_FAILED", new Error("secret")],
  ])("reads on the page why its sign-in failed: %s", async (code, error) => {
    const finish = async () => {
      throw error;
    };
    const { to } = await back(signInOf("own", { finish }));
    expect(to).toBe(`/#/servers/own?host=default&refused=${code}`);
  });

  test.each([
    ["another state", { query: "?state=another-state-of-16" }],
    ["no state", { query: "" }],
    ["no cookie", { cookie: "" }],
  ])("with %s is refused", async (_, more) => {
    const own = signInOf("own");
    expect((await back(own, more)).to).toBe("/#/servers?refused=SIGN_IN_REFUSED");
    expect(own.asked.map(([method]) => method)).toEqual(["begin"]);
  });

  test("may only read", async () => {
    expect((await back(signInOf("own"), { method: "POST" })).status).toBe(405);
  });
});
