import { expect } from "vitest";
import { startProtectedServer } from "../support/authorization-server.ts";
import { open, planOf } from "../support/world.ts";
import {
  call,
  greeted,
  json,
  methodOf,
  none,
  refuses,
  resource,
  signsIn,
  withToken,
  without,
  world,
  type SignInRow,
} from "./sign-in-world.ts";

/** The zoo of sign-ins, from the tokens on. It is only added to. */
export const tokenRows: readonly SignInRow[] = [
  {
    thread: "LibreChat-AI/librechat.ai#420",
    server: "`expires_in` is a text",
    host: "takes it",
    run: signsIn(json("/token", (given) => ({ ...given, expires_in: "5250" }))),
  },
  {
    thread: "QwenLM/qwen-code#5355",
    server: "`expires_in: 0`",
    host: "renews the token when the server refuses it",
    run: signsIn(json("/token", (given) => ({ ...given, expires_in: 0 }))),
  },
  {
    thread: "dust-tt/dust#22773",
    server: "tokens without `token_type` and `expires_in`, and with `scope: null`",
    host: "takes them",
    run: signsIn(json("/token", (given) => ({ ...without(given, "token_type", "expires_in"), scope: null }))),
  },
  {
    thread: none,
    server: "a renewal without another refresh token",
    host: "keeps the one that it has",
    run: async () => {
      let first: unknown;
      const { server, signIn, host } = await world(async (request, usual) => {
        if (new URL(request.url).pathname !== "/token") return usual(request);
        const form = new URLSearchParams(await request.text());
        const isRenewal = form.get("grant_type") === "refresh_token";
        if (isRenewal) expect(form.get("refresh_token")).toBe(first);
        // The server of the tests rotates; this one gives an access token for the same person.
        if (isRenewal) return Response.json({ access_token: server.tokenOf("person"), token_type: "Bearer" });
        const { method, headers, url } = request;
        const response = await usual(new Request(url, { method, headers, body: form }));
        const given = (await response.json()) as { refresh_token: string };
        first = given.refresh_token;
        return Response.json(given);
      });
      await signIn();
      const opened = await host();
      for (let round = 0; round < 3; round++) {
        server.expire();
        expect(await opened.call(call)).toMatchObject(greeted);
      }
    },
  },
  {
    thread: "vercel/ai#10899",
    server: "tokens as a form",
    host: "takes them",
    run: signsIn(async (request, usual) => {
      const response = await usual(request);
      if (new URL(request.url).pathname !== "/token" || !response.ok) return response;
      return new Response(new URLSearchParams((await response.json()) as Record<string, string>));
    }),
  },
  {
    thread: "modelcontextprotocol/typescript-sdk#1342",
    server: "an error with the status 200 in place of tokens",
    host: "shows its words",
    run: refuses(
      json("/token", () => ({ error: "bad_verification_code", error_description: "The code has expired." })),
      /The code has expired/,
    ),
  },
  {
    thread: "anomalyco/opencode#34074, can1357/oh-my-pi#5081, anthropics/claude-code#84440",
    server: "refresh tokens for one use, and two hosts with many calls",
    host: "one of them renews, and the others wait",
    run: async () => {
      const { server, signIn, host } = await world();
      await signIn();
      const hosts = [await host(), await host()];
      server.expire();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => hosts[index % 2]!.call(call)),
      );
      expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["ok"]));
      expect(server.grants).toEqual(["authorization_code", "refresh_token"]);
    },
  },
  {
    thread: "anthropics/claude-code#44652, anthropics/claude-code#28258",
    server: "403 `insufficient_scope` to a call",
    host: "says which scope; the next sign-in asks for it, too",
    run: async () => {
      let isAsked = false;
      const scopes: (string | null)[] = [];
      const { signIn, host } = await world(async (request, usual) => {
        const { pathname, searchParams } = new URL(request.url);
        if (pathname === "/authorize") scopes.push(searchParams.get("scope"));
        if (!isAsked || (await methodOf(request)) !== "tools/call") return usual(request);
        const challenge = 'Bearer error="insufficient_scope", scope="write"';
        return new Response("", { status: 403, headers: { "www-authenticate": challenge } });
      });
      await signIn();
      const opened = await host();
      isAsked = true;
      const refused = await opened.call(call);
      expect(refused.result).toMatchObject({
        code: "MCP_NEEDS_AUTH",
        error: expect.stringContaining('it wants the scope "write"'),
      });
      isAsked = false;
      await signIn();
      expect(scopes).toEqual(["tools", "tools write"]);
      expect(await opened.call(call)).toMatchObject(greeted);
    },
  },
  {
    thread: "anthropics/claude-code#73460, danny-avila/LibreChat#15960",
    server: "refuses `resource`, which RFC 8707 and MCP ask for",
    host: "shows its words",
    run: refuses((request, usual) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== "/authorize" || !searchParams.has("resource")) return usual(request);
      const back = new URL(searchParams.get("redirect_uri")!);
      back.searchParams.set("error", "invalid_target");
      back.searchParams.set("error_description", "AADSTS9010010: the resource does not match");
      back.searchParams.set("state", searchParams.get("state")!);
      return Response.redirect(back.href);
    }, /AADSTS9010010/),
  },
  {
    thread: "anthropics/claude-code#52871",
    server: "a `resource` without a path",
    host: "asks for it as it is written, without a `/`",
    run: signsIn(
      json(resource, (given, origin) => ({ ...given, resource: origin })),
      { check: ({ url, resources }) => expect(new Set(resources)).toEqual(new Set([new URL(url).origin])) },
    ),
  },
  {
    thread: "langgenius/dify#36230, anomalyco/opencode#36946, smart-mcp-proxy/mcpproxy-go#1271",
    server: "lists without a sign-in, and asks for one when a tool is called",
    host: "signs in before or after the first call",
    run: async () => {
      for (const isFirst of [true, false]) {
        const { signIn, host } = await world(async (request, usual, { tokenOf }) => {
          const isOpen = !request.headers.has("authorization") && (await methodOf(request)) !== "tools/call";
          return usual(isOpen ? withToken(request, tokenOf("guest")) : request);
        });
        if (isFirst) expect(await signIn()).toMatchObject({ state: "signed in" });
        const opened = await host();
        if (!isFirst) {
          expect(await opened.call(call)).toMatchObject({ result: { code: "MCP_NEEDS_AUTH" } });
          expect(await signIn()).toMatchObject({ state: "signed in" });
        }
        expect(await opened.call(call)).toMatchObject(greeted);
      }
    },
  },
  {
    thread: none,
    server: "the browser comes back with another issuer (RFC 9207)",
    host: "refuses",
    run: refuses(async (request, usual) => {
      const response = await usual(request);
      if (new URL(request.url).pathname !== "/authorize") return response;
      const back = new URL(response.headers.get("location")!);
      back.searchParams.set("iss", "https://other.example.com");
      return Response.redirect(back.href);
    }, /issuer/i),
  },
  {
    thread: "mthines/lorekit#130",
    server: "refuses the key that its entry has under `headers`",
    host: "says that the key is refused, and asks for no sign-in",
    run: async () => {
      const { url, registered } = await startProtectedServer();
      const opening = open(planOf({ url, headers: { authorization: "Bearer wrong" } }));
      await expect(opening).rejects.toThrow(/refuses the authorization header of its entry/);
      expect(registered()).toBe(0);
    },
  },
];
