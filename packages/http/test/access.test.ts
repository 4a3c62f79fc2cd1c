import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { silentLogger, ToolmountError } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import * as principals from "../src/access/principal.ts";
import { answerComesBack, startedCookie } from "../src/access/server-sign-in.ts";
import { createToken, createTokenCheck, hashToken } from "../src/access/tokens.ts";
import { cookieText, readCookie, setCookie, visitOf } from "../src/access/visit.ts";
import { HttpError } from "../src/fault/http-error.ts";

const principal = (more: Partial<principals.Principal> = {}): principals.Principal => ({
  name: "ana",
  user: null,
  roles: new Set(),
  hosts: null,
  ...more,
});
const having = (...roles: principals.Role[]) => principal({ user: "ana", roles: new Set(roles) });

describe("what a token may do", () => {
  test("needs a role", () => {
    expect(() => principals.requireAnyRole(principal())).toThrow(
      "ana has no role here; give the user one of view, call, approve, admin at the provider",
    );
    expect(() => principals.requireAnyRole(having("view"))).not.toThrow();
    expect(() => principals.requireRole(having("view"), "approve", "admin")).toThrow(
      "it needs the role approve or admin, which ana lacks",
    );
    expect(() => principals.requireRole(having("admin"), "approve", "admin")).not.toThrow();
  });

  test.each([
    ["view", true, null],
    ["call", false, "ana"],
    ["approve", true, null],
    ["admin", false, null],
  ] as const)("with the role %s sees questions: %s, and the calls of %j", (role, sees, user) => {
    expect(principals.maySeeQuestions(having(role))).toBe(sees);
    expect(principals.visibleUser(having(role))).toBe(user);
  });

  test("is on behalf of its own user, or of the one that a request names", () => {
    expect(principals.userOfCall(principal(), "bob")).toBe("bob");
    expect(principals.userOfCall(principal(), undefined)).toBeUndefined();
    expect(principals.userOfCall(having("call"), undefined)).toBe("ana");
    expect(principals.userOfCall(having("call"), "ana")).toBe("ana");
    expect(() => principals.userOfCall(having("call"), "bob")).toThrow(
      expect.objectContaining({ message: "this token may not do that: ana acts for the user ana only" }),
    );
  });
});

test("a stored token is recognised by its hash, with what its line says", () => {
  const [one, two] = [createToken(), createToken()];
  expect(one).toMatch(/^tm_[\w-]{43}$/);
  expect(hashToken("a")).toBe("ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
  const check = createTokenCheck([
    { name: "ana", sha256: hashToken(one), roles: ["call"] },
    { name: "ops", sha256: hashToken(two), roles: ["admin", "view"], user: "u", hosts: ["a"] },
  ]);
  expect(check(one)).toEqual(principal({ roles: new Set(["call"]) }));
  expect(check(two)).toEqual({
    name: "ops",
    user: "u",
    roles: new Set(["admin", "view"]),
    hosts: new Set(["a"]),
  });
  expect(check(createToken())).toBeNull();
});

/** A request of a browser to `base`, with its cookies, and the answer that it gets. */
function visit(
  url: string,
  {
    cookie,
    base = "https://tools.example.com",
    method = "GET",
  }: { cookie?: string; base?: string; method?: string } = {},
) {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { url, method });
  if (cookie !== undefined) request.headers.cookie = cookie;
  const response = new ServerResponse(request);
  // Only where a header is set before, the response keeps those of `writeHead` for its reader.
  response.setHeader("cache-control", "no-store");
  return { visit: visitOf(base, request, response), response };
}

describe("cookies of a sign-in", () => {
  const way = { seconds: 60, sameSite: "Lax" } as const;

  test("go to /signin only, no script reads them, and a server with TLS marks them as secure", () => {
    expect(cookieText({ base: "https://a.example" }, "start", "a b", way)).toBe(
      "toolmount-start-0=a%20b; Path=/signin; HttpOnly; SameSite=Lax; Max-Age=60; Secure",
    );
    expect(cookieText({ base: "http://127.0.0.1:80" }, "start", "", way)).toMatch(
      /^toolmount-start-0=; .*Max-Age=60$/,
    );
    expect(cookieText({ base: "http://127.0.0.1:4680" }, "start", "", { ...way, sameSite: "Strict" })).toBe(
      "toolmount-start-4680=; Path=/signin; HttpOnly; SameSite=Strict; Max-Age=60",
    );
  });

  test("come back by their name and the server's port", () => {
    const cookie = "toolmount-start-1=no; a; toolmount-start-0=a%20b; toolmount-bad-0=%; toolmount-eq-0=a=b";
    const { visit: back, response } = visit("/signin?x=1", { cookie });
    expect(["start", "bad", "eq", "gone"].map((use) => readCookie(back, use))).toEqual(["a b", "", "a", ""]);
    expect(back.query.get("x")).toBe("1");
    expect(readCookie(visit("/").visit, "start")).toBe("");
    setCookie(back, "a", "1", way);
    setCookie(back, "b", "2", way);
    expect(response.getHeader("set-cookie")).toHaveLength(2);
  });
});

describe("a person who comes back from the provider of a mounted server", () => {
  const started = { host: "default", server: "a b", user: null, state: "0123456789abcdef-_" };
  const base = "https://tools.example.com";

  async function comeBack(cookie: string, state: string, fails?: unknown) {
    const seen: unknown[] = [];
    const { visit: back, response } = visit(`/signin/server?state=${state}&code=1`, { cookie });
    await answerComesBack(
      back,
      async (query, known) => {
        seen.push(query.get("code"), known);
        if (fails !== undefined) throw fails;
      },
      silentLogger,
    );
    return {
      seen,
      status: response.statusCode,
      location: response.getHeader("location"),
      cookie: response.getHeader("set-cookie"),
    };
  }
  const cookieOf = (one: object) => startedCookie(base, one as never).split(";")[0]!;

  test("ends the sign-in that this browser began, and gets to the page", async () => {
    expect(startedCookie(base, started)).toMatch(
      /^toolmount-server-0123456789abcdef-0=[\w%-]+; Path=\/signin; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/,
    );
    expect(await comeBack(cookieOf(started), started.state)).toEqual({
      seen: ["1", started],
      status: 302,
      location: "/#/servers/a%20b?host=default&signed=in",
      cookie: "toolmount-server-0123456789abcdef-0=; Path=/signin; HttpOnly; SameSite=Lax; Max-Age=0; Secure",
    });
    expect((await comeBack(cookieOf({ ...started, user: "ana" }), started.state)).seen).toHaveLength(2);
  });

  test.each([
    ["without a cookie", "", started.state],
    ["with another state", cookieOf(started), "0123456789abcdef-x"],
    ["without a state", cookieOf(started), ""],
    ["without its host", cookieOf({ ...started, host: undefined }), started.state],
    ["without its server", cookieOf({ ...started, server: 1 }), started.state],
    ["without its user", cookieOf({ ...started, user: undefined }), started.state],
    ["with a cookie of another kind", "toolmount-server-0123456789abcdef-0=bnVsbA", started.state],
  ])("%s is not signed in", async (_, cookie, state) => {
    expect(await comeBack(cookie, state)).toMatchObject({
      seen: [],
      status: 302,
      location: "/#/servers?refused=SIGN_IN_REFUSED",
      cookie: undefined,
    });
  });

  test.each([
    [new HttpError("NOT_FOUND", { what: "x" }), "NOT_FOUND"],
    [new ToolmountError("OPTION_INVALID", { option: "a", problem: "b" }), "OPTION_INVALID"],
    [new Error("secret"), "SERVER_FAILED"],
  ])("and fails with %s reads the code on the page", async (fails, code) => {
    expect((await comeBack(cookieOf(started), started.state, fails)).location).toBe(
      `/#/servers/a%20b?host=default&refused=${code}`,
    );
  });

  test("may only come by a link", async () => {
    const { visit: back } = visit("/signin/server", { method: "POST" });
    await expect(answerComesBack(back, async () => {}, silentLogger)).rejects.toMatchObject({
      code: "METHOD_REFUSED",
      details: { method: "POST" },
    });
  });
});
