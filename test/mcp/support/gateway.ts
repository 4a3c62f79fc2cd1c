import { createHash, randomUUID } from "node:crypto";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport, type ClientOptions } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { folderOf } from "./world.ts";

/** People who use a gateway over HTTP, each with a token; `olga` runs the server, and her token has no user. */
const people = ["ana", "ben", "olga"] as const;
export type Person = (typeof people)[number];

/** Tokens of these people, in a file outside of the plan's folder. */
export async function tokensOfPeople(): Promise<{
  readonly tokens: Readonly<Record<Person, string>>;
  readonly file: string;
}> {
  const tokens = { ana: randomUUID(), ben: randomUUID(), olga: randomUUID() };
  const records = people.map((name) => ({
    name,
    ...(name !== "olga" && { user: name }),
    roles: name === "olga" ? ["call", "approve", "admin"] : ["call"],
    sha256: createHash("sha256").update(tokens[name]).digest("hex"),
  }));
  const folder = await folderOf({ "tokens.json": JSON.stringify({ version: 1, tokens: records }) });
  const file = join(folder, "tokens.json");
  await chmod(file, 0o600);
  return { tokens, file };
}

/** A client of the SDK with the token of a person. */
export async function connectWith(url: string, token: string, options: ClientOptions): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" }, options);
  onTestFinished(() => client.close());
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return client;
}

/** What a browser has of one server: its cookies. */
export type Cookies = Map<string, string>;

/** Asks the API of a server as its page does, with a person's token. */
export async function askApi(
  url: string,
  token: string,
  [method, path]: readonly [string, string],
  cookies: Cookies = new Map(),
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/v1/hosts/default${path}`, { method, headers });
  for (const text of response.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
    cookies.set(name, value);
  }
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** A person agrees at the authorization server. Returns the parameters with which the browser is sent back. */
export async function agree(address: unknown, login: string): Promise<URLSearchParams> {
  const there = new URL(String(address));
  there.searchParams.set("login", login);
  const response = await fetch(there, { redirect: "manual" });
  return new URL(response.headers.get("location")!).searchParams;
}

/** A browser comes back. Returns where the server sends it: the fragment of the page. */
export async function comeBack(url: string, parameters: URLSearchParams, cookies: Cookies): Promise<string> {
  const response = await fetch(`${url}/signin/server?${parameters.toString()}`, {
    redirect: "manual",
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
  });
  return response.headers.get("location") ?? String(response.status);
}

/** A person signs in to a mounted server, from the button of the page to the end. */
export async function signInOnPage(
  url: string,
  token: string,
  { server = "fixture", login }: { readonly server?: string; readonly login: string },
): Promise<string> {
  const cookies: Cookies = new Map();
  const path = `/servers/${server}/sign-in?whose=user`;
  const { body } = await askApi(url, token, ["POST", path], cookies);
  return comeBack(url, await agree(body["address"], login), cookies);
}
