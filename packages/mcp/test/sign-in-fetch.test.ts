import { expect, test } from "vitest";
import { createSignInFetch, firstIssue, signInProblem } from "../src/auth/sign-in-fetch.ts";
import { https, network } from "./sign-in-world.ts";

const server = "https://files.example.com/mcp";
const local = "http://127.0.0.1:4000/mcp";

const inside = (address: string, origin: string) =>
  `${address} is not used: it is on this machine or its network, and the plan does not name it; where it is the authorization server, write auth: { issuer: "${origin}" }`;

test.each([
  "https://files.example.com/other",
  "https://1.1.1.1/a",
  "https://9.255.255.255/",
  "https://11.0.0.0/",
  "https://172.15.255.255/",
  "https://172.32.0.0/",
  "https://192.0.1.0/",
  "https://192.0.3.0/",
  "https://192.167.0.1/",
  "https://198.17.0.1/",
  "https://198.20.0.1/",
  "https://100.63.0.1/",
  "https://100.128.0.1/",
  "https://198.51.99.1/",
  "https://198.51.101.1/",
  "https://203.0.112.1/",
  "https://203.0.114.1/",
  "https://223.255.255.255/",
  "https://169.253.0.1/",
  "https://169.255.0.1/",
  "https://128.0.0.1/",
  "https://126.0.0.1/",
  "https://[2606:4700::1]/",
  "https://[3fff::1]/",
])("a sign-in uses the address %s", async (address) => {
  await expect(createSignInFetch(new URL(server), {}).requireAllowed(new URL(address))).resolves.toBe(
    undefined,
  );
});

test.each([
  "10.0.0.1",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.9.9.9",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "255.255.255.255",
  "0.0.0.0",
  "[::1]",
  "[fc00::1]",
  "[fe80::1]",
  "[::ffff:a00:1]",
  "[2001::1]",
  "[2002:a00:1::]",
  "localhost",
  "id.localhost",
])("a sign-in does not use an address on %s, which the plan does not name", async (host) => {
  const { requireAllowed } = createSignInFetch(new URL(server), {});
  await expect(requireAllowed(new URL(`https://${host}/token`))).rejects.toThrow(
    inside(`https://${host}/token`, `https://${host}`),
  );
});

test.each([
  ["http://files.example.com/mcp", server, undefined],
  ["file:///etc/passwd", server, undefined],
  ["http://example.com/", server, "http://example.com"],
  ["ftp://127.0.0.1/", local, "ftp://127.0.0.1"],
  ["http://127.0.0.1:5000/", local, undefined],
  ["http://127.0.0.1.example.com/", "http://127.0.0.1.example.com/mcp", undefined],
])("%s is no address for the sign-in at %s with issuer %s", async (address, url, issuer) => {
  const { requireAllowed } = createSignInFetch(new URL(url), { issuer });
  await expect(requireAllowed(new URL(address))).rejects.toThrow(
    https(address.replace("file:///", "file:/")),
  );
});

test.each([
  ["http://127.0.0.1:4000/register", local, undefined, []],
  ["http://localhost:4000/register", "http://localhost:4000/mcp", undefined, []],
  ["http://[::1]:4000/register", "http://[::1]:4000/mcp", undefined, []],
  ["https://10.0.0.1/token", server, "https://10.0.0.1/realm", []],
  ["https://10.0.0.1/token", server, undefined, ["https://10.0.0.1"]],
  ["http://127.0.0.1:5000/token", local, "http://127.0.0.1:5000", []],
])(
  "%s is used for the sign-in at %s, with issuer %s and what was found before: %j",
  async (address, url, issuer, found) => {
    const { requireAllowed, origins } = createSignInFetch(new URL(url), { issuer }, found);
    await requireAllowed(new URL(address));
    expect(origins()).toContain(new URL(address).origin);
  },
);

test("after one refused address the sign-in uses no other one", async () => {
  const asked = network();
  const { fetch, requireAllowed } = createSignInFetch(new URL(server), {});
  const why = inside("https://10.0.0.1/a", "https://10.0.0.1");

  await expect(fetch("https://10.0.0.1/a?secret=1")).rejects.toThrow(why);
  await expect(fetch(server)).rejects.toThrow(why);
  await expect(requireAllowed(new URL(server))).rejects.toThrow(why);
  expect(asked).toEqual([]);
});

test("a request has a deadline, or the one that it was given, and follows no redirect by itself", async () => {
  const asked = network();
  const { fetch } = createSignInFetch(new URL(server), {});
  const { signal } = new AbortController();
  await fetch(server);
  await fetch(server, { signal, method: "POST", body: "x" });
  expect(asked.map(({ init }) => init)).toEqual([
    { redirect: "manual", signal: expect.any(AbortSignal) },
    { redirect: "manual", signal, method: "POST", body: "x" },
  ]);
});

/** Redirects from /0 to /1, and so on, up to /9. */
const chain = (status = 302) =>
  Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [
      `https://files.example.com/${at}`,
      () => new Response(null, { status, headers: { location: `/${at + 1}` } }),
    ]),
  );

test.each([300, 301, 302, 307, 308, 399])(
  "five redirects of status %i are followed, and no sixth",
  async (status) => {
    const asked = network(chain(status));
    const { fetch } = createSignInFetch(new URL(server), {});

    expect(await (await fetch("https://files.example.com/4")).text()).toBe("fine");
    expect(asked.map(({ url }) => url.at(-1))).toEqual(["4", "5", "6", "7", "8", "9"]);
    await expect(fetch("https://files.example.com/3")).rejects.toThrow(
      "https://files.example.com/8 redirects the request, which is not followed",
    );
  },
);

test("a request that sends something is not redirected, and each redirect's address is checked", async () => {
  const asked = network({
    ...chain(),
    "https://files.example.com/in": () =>
      new Response(null, { status: 302, headers: { location: "https://10.0.0.1/x" } }),
    "https://files.example.com/bad": () =>
      new Response(null, { status: 302, headers: { location: "https://[" } }),
    "https://files.example.com/stay": () => new Response(null, { status: 304 }),
    "https://files.example.com/made": () =>
      new Response(null, { status: 201, headers: { location: "/elsewhere" } }),
    "https://files.example.com/none": () =>
      new Response(null, { status: 400, headers: { location: "/elsewhere" } }),
  });
  const at = (path: string) => `https://files.example.com/${path}`;
  const open = () => createSignInFetch(new URL(server), {});
  const not = (path: string) => `${at(path)} redirects the request, which is not followed`;

  await expect(open().fetch(at("1"), { method: "POST" })).rejects.toThrow(not("1"));
  await expect(open().fetch(at("bad"))).rejects.toThrow(not("bad"));
  await expect(open().fetch(at("in"))).rejects.toThrow(inside("https://10.0.0.1/x", "https://10.0.0.1"));
  expect((await open().fetch(at("8"), { method: "get" })).status).toBe(200);
  for (const [path, status] of [
    ["stay", 304],
    ["made", 201],
    ["none", 400],
  ] as const)
    expect((await open().fetch(at(path))).status).toBe(status);
  expect(asked.map(({ url }) => url)).not.toContain("https://10.0.0.1/x");
});

test("a problem shows an address on one line, without what may be secret", async () => {
  const { requireAllowed } = createSignInFetch(new URL(server), {});
  const long = `http://ana:secret@example.com/${"x".repeat(300)}?code=1#a`;
  await expect(requireAllowed(new URL(long))).rejects.toThrow(
    https(`http://example.com/${"x".repeat(300)}`.slice(0, 200)),
  );
});

test.each([
  [new Error("it  failed\nhere "), "it failed here"],
  [new Error("it failed", { cause: new Error("no route") }), "it failed: no route"],
  [new Error("it failed", { cause: "text" }), "it failed"],
  [new Error("x".repeat(600)), "x".repeat(500)],
  [
    { issues: [{ path: ["a", 0], message: "not a text" }, { message: "more" }] },
    "an answer of the authorization server is not valid: a.0: not a text",
  ],
  [{ issues: [{ message: "no object" }] }, "an answer of the authorization server is not valid: no object"],
  [{ issues: [] }, "an answer of the authorization server is not valid: "],
])("the problem %# of a sign-in is one sentence", (error, sentence) => {
  expect(signInProblem(error)).toBe(sentence);
  expect(firstIssue(new Error("x"))).toBeUndefined();
});

const jsonType = { "content-type": "application/json; charset=utf-8" };
test.each<[string, Response, number, unknown]>([
  ["null is absent", Response.json({ a: null, b: 1 }), 200, { b: 1 }],
  [
    "a status of its own is kept",
    Response.json({ client_id: "a", client_secret: "" }, { status: 201 }),
    201,
    { client_id: "a" },
  ],
  ["a secret is kept", Response.json({ client_secret: "s" }), 200, { client_secret: "s" }],
  [
    "tokens have a type",
    Response.json({ access_token: "t" }),
    200,
    { token_type: "Bearer", access_token: "t" },
  ],
  [
    "tokens keep their type",
    Response.json({ token_type: "DPoP", access_token: "t" }),
    200,
    { token_type: "DPoP", access_token: "t" },
  ],
  [
    "tokens may be a form",
    new Response("access_token=t&scope=a+b"),
    200,
    { token_type: "Bearer", access_token: "t", scope: "a b" },
  ],
  ["a text is no form", new Response("no=tokens"), 200, "no=tokens"],
  ["an error is one, whatever its status is", Response.json({ error: "denied" }), 400, { error: "denied" }],
  ["a failure is passed on as it is", Response.json({ error: null }, { status: 500 }), 500, { error: null }],
  ["a list is passed on as it is", Response.json([null]), 200, [null]],
  ["what is no JSON is passed on as it is", new Response("{", { headers: jsonType }), 200, "{"],
  ["an answer without a body is one", new Response(null, { status: 204, headers: jsonType }), 204, ""],
])("of an answer, %s", async (_, answer, status, expected) => {
  network({ "https://files.example.com/token": () => answer });
  const response = await createSignInFetch(new URL(server), {}).fetch("https://files.example.com/token");
  const text = await response.text();
  expect([response.status, typeof expected === "string" ? text : JSON.parse(text)]).toEqual([
    status,
    expected,
  ]);
});
