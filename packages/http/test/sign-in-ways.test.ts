import { describe, expect, test } from "vitest";
import { clientKey } from "../src/guard/client-key.ts";
import { base, clientId, idToken, issuer, signInWorld } from "./support/sign-in.ts";

const gone = (name: string, way: string) =>
  `toolmount-${name}-0=; Path=/signin; HttpOnly; SameSite=${way}; Max-Age=0; Secure`;

test("a person is sent to the provider, and the browser keeps what began for ten minutes", async () => {
  const { signIn, begin } = await signInWorld();
  expect(signIn.provider).toBe("id.example");
  const { location, set, started } = await begin("/inbox/1?a=b");
  expect(location.origin + location.pathname).toBe(`${issuer}/authorize`);
  expect(Object.fromEntries(location.searchParams)).toEqual({
    response_type: "code",
    client_id: clientId,
    redirect_uri: `${base}/signin/callback`,
    scope: "openid",
    state: started["state"],
    nonce: started["nonce"],
    code_challenge: expect.any(String),
    code_challenge_method: "S256",
    resource: `${base}/api`,
    audience: `${base}/api`,
  });
  expect(set[0]).toMatch(/; Path=\/signin; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/);
  expect(started).toEqual({
    state: expect.any(String),
    verifier: expect.any(String),
    nonce: expect.any(String),
    view: "/inbox/1?a=b",
  });
});

describe("a person who comes back", () => {
  const granted =
    (made: Awaited<ReturnType<typeof signInWorld>>, more: object = {}) =>
    (form: URLSearchParams) =>
      made.grant({ id_token: idToken(form.get("nonce") ?? nonceOf.value), ...more })(form);
  const nonceOf = { value: "" };
  const code = (started: Record<string, string>) => {
    nonceOf.value = started["nonce"]!;
    return `state=${started["state"]}&code=abc`;
  };

  test("gets to the page with a token, at the view where the sign-in began", async () => {
    const made = await signInWorld();
    made.answers["/token"] = granted(made, { refresh_token: "r1" });
    const { status, headers, set } = await made.back(code, "/inbox/1");
    expect([status, headers["location"]]).toEqual([302, "/#token=good%20token&view=/inbox/1"]);
    expect(set).toEqual([
      gone("start", "Lax"),
      "toolmount-renewal-0=r1; Path=/signin; HttpOnly; SameSite=Strict; Max-Age=2592000; Secure",
    ]);
    expect(made.asked[0]).toEqual([
      "/token",
      expect.objectContaining({
        grant_type: "authorization_code",
        code: "abc",
        redirect_uri: `${base}/signin/callback`,
        code_verifier: expect.any(String),
        resource: `${base}/api`,
      }),
    ]);
  });

  test("to another site is only shown the page", async () => {
    const made = await signInWorld();
    made.answers["/token"] = granted(made);
    const { headers, set } = await made.back(code, "//elsewhere.test#x");
    expect(headers["location"]).toBe("/#token=good%20token");
    expect(set).toEqual([gone("start", "Lax")]);
  });

  test("without a role is refused, and the log says why", async () => {
    const made = await signInWorld({ roles: [] });
    made.answers["/token"] = granted(made);
    expect((await made.back(code)).headers["location"]).toBe("/#refused=unfit");
    expect(made.judged).toHaveLength(2);
    expect(made.logged).toEqual([
      [
        { audience: `${base}/api`, issuer },
        "a person signed in, and the provider's token has no role or another audience",
      ],
    ]);
  });

  test.each<[string, (started: Record<string, string>) => string, string]>([
    [
      "whom the provider refuses",
      ({ state }) => `state=${state}&error=access_denied&error_description=no`,
      "denied",
    ],
    ["with another state", () => "state=other&code=abc", "failed"],
  ])("%s reads that it was %s", async (_, query, refused) => {
    const made = await signInWorld();
    const { headers } = await made.back(query);
    expect([headers["location"], made.logged[0]?.[1]]).toEqual([
      `/#refused=${refused}`,
      "a person could not sign in to the page",
    ]);
  });

  test.each([
    {},
    { "toolmount-start-0": "no json" },
    { "toolmount-start-0": Buffer.from("{}").toString("base64url") },
  ])("with the cookies %j is too late", async (cookies) => {
    const { visit } = await signInWorld();
    const { headers, set } = await visit("GET", "/signin/callback?state=a&code=b", cookies);
    expect([headers["location"], set]).toEqual(["/#refused=late", [gone("start", "Lax")]]);
  });
});

describe("a page whose token ends", () => {
  const renew = { "toolmount-renewal-0": "r1" };

  test("gets the next one by its cookie", async () => {
    const { visit, answers, grant, asked } = await signInWorld();
    answers["/token"] = grant({ refresh_token: "r2" });
    const { status, headers, body, set } = await visit("POST", "/signin/renew", renew);
    expect([status, headers["content-type"], JSON.parse(body!)]).toEqual([
      200,
      "application/json",
      { token: "good token" },
    ]);
    expect(set[0]).toContain("toolmount-renewal-0=r2; ");
    expect(asked[0]![1]).toMatchObject({ grant_type: "refresh_token", refresh_token: "r1" });
  });

  test("has to sign in again without a cookie, with one that is refused, and without a role", async () => {
    const { visit, answers, grant } = await signInWorld({ roles: [] });
    await expect(visit("POST", "/signin/renew")).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    answers["/token"] = () => Response.json({ error: "invalid_grant" }, { status: 400 });
    await expect(visit("POST", "/signin/renew", renew)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    answers["/token"] = grant();
    await expect(visit("POST", "/signin/renew", renew)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  });

  test("reads that the provider failed", async () => {
    const { visit, answers } = await signInWorld();
    answers["/token"] = () => new Response("busy", { status: 503 });
    await expect(visit("POST", "/signin/renew", renew)).rejects.toMatchObject({
      code: "SIGN_IN_FAILED",
      details: { issuer },
    });
  });

  test("signs out here and at the provider, also where that fails", async () => {
    const { visit, answers, asked, logged } = await signInWorld();
    answers["/revoke"] = () => new Response(null, { status: 200 });
    const { body, set } = await visit("POST", "/signin/out", renew);
    expect([JSON.parse(body!), set, asked[0]![0], asked[0]![1]["token"]]).toEqual([
      { signedOut: true },
      [gone("renewal", "Strict")],
      "/revoke",
      "r1",
    ]);
    await visit("POST", "/signin/out");
    expect(asked).toHaveLength(1);
    answers["/revoke"] = () => {
      throw new Error("it is away");
    };
    expect((await visit("POST", "/signin/out", renew)).body).toBe('{"signedOut":true}');
    expect(logged[0]![1]).toBe("the provider did not end a renewal");
  });
});

describe("strangers behind the address of a person", () => {
  const cookies = (renewal: string) => ({ "toolmount-renewal-0": renewal });

  test("cannot stop a person who has signed in here, and are stopped themselves", async () => {
    const { visit, answers, grant } = await signInWorld();
    answers["/token"] = grant({ refresh_token: "anas" });
    await visit("POST", "/signin/renew", cookies("first"));
    answers["/token"] = () => Response.json({ error: "invalid_grant" }, { status: 400 });
    const strange = (at: number) =>
      visit("POST", "/signin/renew", cookies(`guess ${at}`)).catch(({ code }: { code: string }) => code);
    const codes = await Promise.all(Array.from({ length: 302 }, (_, at) => strange(at)));
    expect(codes.slice(-3)).toEqual(["UNAUTHENTICATED", "RATE_LIMITED", "RATE_LIMITED"]);

    answers["/token"] = grant({ refresh_token: "next" });
    expect((await visit("POST", "/signin/renew", cookies("anas"))).status).toBe(200);
    expect((await visit("GET", "/signin")).status).toBe(302);
    expect(await strange(0)).toBe("RATE_LIMITED");
  });
});

test.each([
  ["a client of a proxy on this machine", "127.0.0.1", "6.6.6.6, 203.0.113.7", "127.0.0.1 203.0.113.7"],
  ["a client of a proxy inside", "::ffff:10.1.2.3", "203.0.113.7", "10.1.2.3 203.0.113.7"],
  ["a client that says so itself", "203.0.113.9", "1.2.3.4", "203.0.113.9"],
  ["a client without a proxy", "::1", undefined, "::1"],
])("%s is counted by its address", (_, remoteAddress, forwarded, key) => {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  expect(clientKey({ socket: { remoteAddress }, headers } as never)).toBe(key);
});

test("other addresses are no way to sign in", async () => {
  const { visit } = await signInWorld();
  for (const [method, path] of [
    ["POST", "/signin"],
    ["GET", "/signin/renew"],
    ["GET", "/signin/other"],
  ] as const)
    await expect(visit(method, path)).rejects.toMatchObject({ code: "NOT_FOUND" });
});
