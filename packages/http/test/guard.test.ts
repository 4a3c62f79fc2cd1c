import { describe, expect, test } from "vitest";
import { parseAuthority, parseListenAddress, reachedAt } from "../src/guard/authority.ts";
import { admit, type GuardRules } from "../src/guard/guard.ts";
import { ProtectedResource } from "../src/guard/protected-resource.ts";
import { RateLimit } from "../src/guard/rate-limit.ts";

test.each([
  ["localhost", { name: "localhost", port: null }],
  ["A.B-c_d:80", { name: "a.b-c_d", port: 80 }],
  ["a:1", { name: "a", port: 1 }],
  ["a:65535", { name: "a", port: 65_535 }],
  ["[::1]:80", { name: "::1", port: 80 }],
  ["[0:0::1]", { name: "::1", port: null }],
  [`a${"b".repeat(252)}`, { name: `a${"b".repeat(252)}`, port: null }],
  [`a${"b".repeat(253)}`, null],
  ["a:0", null],
  ["a:65536", null],
  ["a:123456", null],
  ["a:", null],
  ["a:x", null],
  ["", null],
  ["-a", null],
  ["::1", null],
  ["[1]", null],
  ["[::g]", null],
  ["[1.2.3.4]", null],
  ["a/b", null],
  ["a@b", null],
])("the authority %j is read as %j", (text, expected) => {
  expect(parseAuthority(text)).toEqual(expected);
});

test.each([
  ["80", { host: "127.0.0.1", port: 80 }],
  [":80", { host: "127.0.0.1", port: 80 }],
  ["0", { host: "127.0.0.1", port: 0 }],
  ["65535", { host: "127.0.0.1", port: 65_535 }],
  ["65536", null],
  ["123456", null],
  ["localhost", { host: "localhost", port: 4_680 }],
  ["localhost:65535", { host: "localhost", port: 65_535 }],
  ["10.0.0.1:5", { host: "10.0.0.1", port: 5 }],
  ["::1", { host: "::1", port: 4_680 }],
  ["[::1]:5", { host: "::1", port: 5 }],
  ["my-host.example:5", { host: "my-host.example", port: 5 }],
  ["my-host-.example", null],
  ["1host", null],
  ["a.1", null],
  ["", null],
])("the address %j to listen on is read as %j", (text, expected) => {
  expect(parseListenAddress(text)).toEqual(expected);
});

test("people reach the server at its public address, or at the Host of their request", () => {
  expect(reachedAt("https://tools.example.com//", "a:1")).toBe("https://tools.example.com");
  expect(reachedAt(undefined, "127.0.0.1:80")).toBe("http://127.0.0.1:80");
});

const rules: GuardRules = {
  hosts: new Set(["localhost"]),
  origins: new Set(["https://ops.example.com"]),
  maxBodyBytes: 100,
};

describe("the head of a request", () => {
  const judge = (headers: Readonly<Record<string, string>>, method = "GET", target = "/a?b#c") => {
    const lines = Object.entries({ Host: "localhost:1", ...headers }).flat();
    try {
      return admit({ method, target, headers: lines }, rules);
    } catch (error) {
      return (error as Error).message;
    }
  };
  const invalid = (problem: string) => `the request is not valid: ${problem}`;
  const foreign = (problem: string) =>
    `the request comes from another site: ${problem}; open this server's own page`;
  const json = { "Content-Type": "application/json" };

  test.each([
    [{}, null],
    [{ Authorization: "Bearer 12345678" }, "12345678"],
    [{ authorization: "bearer a.b~c+d/e-f_==" }, "a.b~c+d/e-f_=="],
    [{ authorization: `Bearer ${"a".repeat(8_192)}` }, "a".repeat(8_192)],
    [{ authorization: `Bearer ${"a".repeat(8_193)}` }, null],
    [{ authorization: "Bearer 1234567" }, null],
    [{ authorization: "Basic 12345678" }, null],
    [{ authorization: "Bearer 1234 5678" }, null],
  ])("%# has a token, or has none", (headers, token) => {
    expect(judge(headers)).toEqual({ path: "/a", token });
  });

  test.each<[string, Readonly<Record<string, string>>, string, string, string | object]>([
    [
      "another host",
      { Host: "evil.test" },
      "GET",
      "/",
      'the Host header "evil.test" is not allowed; start the server with --allow to add a name',
    ],
    ["a whole address", {}, "GET", "http://localhost/", invalid("its target is not a path")],
    ["two slashes", {}, "GET", "//localhost/", invalid("its target is not a path")],
    ["another method", {}, "PATCH", "/", "the method PATCH is not served; use GET, POST or DELETE"],
    ["a second Host line", { host: "localhost" }, "GET", "/", invalid("it has the header host twice")],
    [
      "a second token",
      { Authorization: "a", authorization: "b" },
      "GET",
      "/",
      invalid("it has the header authorization twice"),
    ],
    ["an allowed origin", { Origin: "https://ops.example.com" }, "GET", "/", { path: "/", token: null }],
    ["the own origin", { Origin: "http://localhost:1" }, "GET", "/", { path: "/", token: null }],
    ["the own origin with TLS", { Origin: "https://localhost:1" }, "GET", "/", { path: "/", token: null }],
    ["another origin", { Origin: "http://a" }, "GET", "/", foreign('its Origin is "http://a"')],
    ["a site", { "Sec-Fetch-Site": "cross-site" }, "GET", "/", foreign('its Sec-Fetch-Site is "cross-site"')],
    [
      "a length that is no number",
      { "Content-Length": "1e2" },
      "GET",
      "/",
      invalid("its Content-Length is not a number"),
    ],
    [
      "a length of 16 digits",
      { "Content-Length": "0000000000000001" },
      "GET",
      "/",
      invalid("its Content-Length is not a number"),
    ],
    ["a length at the limit", { "Content-Length": "100", ...json }, "POST", "/", { path: "/", token: null }],
    [
      "a length beyond it",
      { "Content-Length": "101", ...json },
      "POST",
      "/",
      "the body is larger than 100 bytes; send less",
    ],
    ["no body", {}, "POST", "/", { path: "/", token: null }],
    [
      "an empty body of another type",
      { "Content-Length": "0", "Content-Type": "text/plain" },
      "POST",
      "/",
      { path: "/", token: null },
    ],
    [
      "JSON with a charset",
      { "Content-Length": "2", "Content-Type": " Application/JSON ; charset=utf-8" },
      "POST",
      "/",
      { path: "/", token: null },
    ],
    [
      "text",
      { "Content-Length": "2", "Content-Type": "text/plain" },
      "POST",
      "/",
      "the body must be JSON; send Content-Type: application/json",
    ],
    [
      "a body without a type",
      { "Content-Length": "2" },
      "POST",
      "/",
      "the body must be JSON; send Content-Type: application/json",
    ],
    ["text that is read", { "Content-Type": "text/plain" }, "GET", "/", { path: "/", token: null }],
  ])("with %s", (_, headers, method, target, expected) => {
    expect(judge(headers, method, target)).toEqual(expected);
  });

  const tab = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  test.each([
    ["/", true],
    ["/?a", true],
    ["/signin", true],
    ["/signin/callback?code=1", true],
    ["/signin/server?code=1", true],
    ["/signin/out", false],
    ["/signins", false],
    ["/api", false],
  ])("a link of another site may open %s: %s", (target, may) => {
    expect(typeof judge(tab, "GET", target) === "object").toBe(may);
    expect(typeof judge(tab, "HEAD", target) === "object").toBe(false);
  });
});

test("a window counts from its first request, and says in whole seconds when it ends", () => {
  let now = 0;
  const limit = new RateLimit("2/10000ms", { now: () => now } as never);
  expect([limit.take("a"), limit.take("a"), limit.take("a"), limit.take("b")]).toEqual([0, 0, 10, 0]);
  now = 9_001;
  expect(limit.take("a")).toBe(1);
  now = 9_999;
  expect(limit.take("a")).toBe(1);
  now = 10_000;
  expect([limit.take("a"), limit.take("a"), limit.take("a")]).toEqual([0, 0, 10]);
});

test("ten thousand keys are remembered, and the one whose window began first makes room", () => {
  const limit = new RateLimit("1/s", { now: () => 0 } as never);
  for (let at = 0; at < 10_000; at++) limit.take(String(at));
  expect(limit.take("0")).toBe(1);
  limit.take("new");
  expect([limit.take("1"), limit.take("0")]).toEqual([1, 0]);
});

test("a client without a token finds where to sign in", () => {
  const resource = new ProtectedResource({ authorizationServers: ["https://id.example"] });
  const base = "https://tools.example.com";
  const metadata = {
    resource: "https://tools.example.com/mcp",
    authorization_servers: ["https://id.example"],
    scopes_supported: ["openid"],
    bearer_methods_supported: ["header"],
    resource_name: "toolmount",
  };
  const path = "/.well-known/oauth-protected-resource";
  expect(
    [path, `${path}/mcp`, `${path}/other`, "/mcp"].map((asked) => resource.metadata(asked, base)),
  ).toEqual([metadata, metadata, undefined, undefined]);
  expect(resource.challenge(base)).toBe(`Bearer resource_metadata="${base}${path}/mcp"`);
  const scoped = new ProtectedResource({ authorizationServers: [], scopes: ["tools"] });
  expect(scoped.metadata(path, base)).toMatchObject({ scopes_supported: ["tools"] });
});
