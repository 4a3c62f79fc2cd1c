import { expect } from "vitest";
import {
  call,
  json,
  metadata,
  none,
  refuses,
  resource,
  signsIn,
  unchallenged,
  without,
  world,
  type SignInRow,
} from "./sign-in-world.ts";

/** The zoo of sign-ins, up to the client that signs in. It is only added to. */
export const clientRows: readonly SignInRow[] = [
  {
    thread: "microsoft/vscode#268210",
    server: "401 without `WWW-Authenticate`",
    host: "asks the well-known address",
    run: signsIn(async (request, usual) => {
      return unchallenged(await usual(request));
    }),
  },
  {
    thread: "akutishevsky/nutrition-mcp#51",
    server: "metadata of the resource at the root only",
    host: "asks there, too",
    run: signsIn(async (request, usual) => {
      const { pathname, origin } = new URL(request.url);
      if (pathname === resource) return new Response("", { status: 404 });
      const atRoot = pathname === "/.well-known/oauth-protected-resource";
      return unchallenged(await usual(atRoot ? new Request(origin + resource) : request));
    }),
  },
  {
    thread: "modelcontextprotocol/python-sdk#1919, github/copilot-cli#4606",
    server: "the issuer has a `/` at its end in one document only",
    host: "takes both for one",
    run: signsIn(json(resource, (given, origin) => ({ ...given, authorization_servers: [`${origin}/`] }))),
  },
  {
    thread: "atlassian/atlassian-mcp-server#148",
    server: "the issuer is another one than the resource names",
    host: "refuses, as RFC 8414 asks",
    run: refuses(
      json(metadata, (given, origin) => ({ ...given, issuer: `${origin}/other` })),
      /issuer/i,
    ),
  },
  {
    thread: none,
    server: "metadata of OpenID Connect only",
    host: "takes them",
    run: signsIn(async (request, usual) => {
      const { pathname, origin } = new URL(request.url);
      if (pathname === metadata) return new Response("", { status: 404 });
      if (pathname !== "/.well-known/openid-configuration") return usual(request);
      const given = (await (await usual(new Request(origin + metadata))).json()) as object;
      return Response.json({
        ...given,
        jwks_uri: `${origin}/keys`,
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      });
    }),
  },
  {
    thread: none,
    server: "no metadata, as in 2025-03-26",
    host: "`/authorize`, `/token` and `/register`",
    run: signsIn(async (request, usual) => {
      if (new URL(request.url).pathname.startsWith("/.well-known/")) return new Response("", { status: 404 });
      return unchallenged(await usual(request));
    }),
  },
  {
    thread: none,
    server: "metadata with members that are `null`",
    host: "the members are absent",
    run: signsIn(
      json(metadata, (given) => ({ ...given, scopes_supported: null, revocation_endpoint: null })),
    ),
  },
  {
    thread: "vercel/ai#10062, openclaw/openclaw#116052",
    server: "registers no clients",
    host: "says that the entry needs `auth: { clientId }`",
    run: refuses(
      json(metadata, (given) => without(given, "registration_endpoint")),
      /registers no clients; write auth: \{ clientId: … \}/,
    ),
  },
  {
    thread: "1mcp-app/agent#377",
    server: "registers no clients, and the entry names one",
    host: "uses it",
    run: signsIn(
      json(metadata, (given) => without(given, "registration_endpoint")),
      {
        auth: () => ({ clientId: "known" }),
        check: ({ registered }) => expect(registered()).toBe(0),
      },
    ),
  },
  {
    thread: none,
    server: "knows clients by documents that describe them",
    host: "its address is the id, where the entry has `metadataUrl`",
    run: async () => {
      const clients: (string | null)[] = [];
      const { server, signIn } = await world(
        async (request, usual, at) => {
          const { pathname, searchParams } = new URL(request.url);
          if (pathname === "/authorize") clients.push(searchParams.get("client_id"));
          return json(metadata, (given) => ({ ...given, client_id_metadata_document_supported: true }))(
            request,
            usual,
            at,
          );
        },
        () => ({ metadataUrl: "https://client.example.com/toolmount.json" }),
      );
      await signIn();
      expect([clients, server.registered()]).toEqual([["https://client.example.com/toolmount.json"], 0]);
    },
  },
  {
    thread: "open-orbis/open-orbis#425",
    server: "`client_secret: null` in a registration",
    host: "a client without a secret",
    run: signsIn(json("/register", (given) => ({ ...given, client_secret: null, client_uri: null }))),
  },
  {
    thread: "modelcontextprotocol/rust-sdk#443",
    server: '`client_secret: ""` in a registration',
    host: "a client without a secret",
    run: signsIn(
      json("/register", (given) => ({ ...given, client_secret: "", client_secret_expires_at: 0 })),
    ),
  },
  {
    thread: "supabase/mcp#355, anthropics/claude-code#84614, NousResearch/hermes-agent#36767",
    server: "forgets a client, and shows the browser a page of its own",
    host: "the sign-in after that registers another client",
    run: async () => {
      const known = new Set<string>();
      const gone = new Set<string>();
      const { server, signIn } = await world((request, usual) => {
        const { pathname, searchParams } = new URL(request.url);
        if (pathname !== "/authorize") return usual(request);
        const client = searchParams.get("client_id") ?? "";
        known.add(client);
        return gone.has(client) ? new Response("Unrecognized client_id", { status: 422 }) : usual(request);
      });
      await signIn();
      for (const client of known) gone.add(client);
      const stop = new AbortController();
      await expect(signIn({ signal: stop.signal, shown: () => stop.abort() })).rejects.toThrow("aborted");
      expect(await signIn()).toMatchObject({ state: "signed in" });
      expect(server.registered()).toBe(2);
    },
  },
  {
    thread: "cloudflare/workers-oauth-provider#201",
    server: "`invalid_client` to a renewal: it forgot the client",
    host: "the next sign-in registers another client",
    run: async () => {
      let isGone = false;
      const { server, signIn, host } = await world((request, usual) =>
        isGone && new URL(request.url).pathname === "/token"
          ? Response.json({ error: "invalid_client" }, { status: 401 })
          : usual(request),
      );
      await signIn();
      const opened = await host();
      server.expire();
      isGone = true;
      expect(await opened.call(call)).toMatchObject({ result: { code: "MCP_NEEDS_AUTH" } });
      isGone = false;
      await signIn();
      expect([server.registered(), (await opened.call(call)).status]).toEqual([2, "ok"]);
    },
  },
];
