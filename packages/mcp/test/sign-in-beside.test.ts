import { expect, test } from "vitest";
import { createSignInFetch } from "../src/auth/sign-in-fetch.ts";
import { https, network } from "./sign-in-world.ts";

const local = "http://127.0.0.1:4000/mcp";

const beside = "http://127.0.0.1:5000";
const metadata = {
  issuer: beside,
  authorization_endpoint: `${beside}/authorize`,
  token_endpoint: `${beside}/token`,
};

test.each([
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration/realm",
  "/realm/.well-known/openid-configuration",
  "/.well-known/oauth-protected-resource",
])("beside a server of this machine, %s of another port may say that it signs people in", async (path) => {
  network({ [beside + path]: () => Response.json(metadata) });
  const { fetch, origins } = createSignInFetch(new URL(local), {});

  expect(await (await fetch(beside + path)).json()).toEqual(metadata);
  expect(origins()).toEqual(["http://127.0.0.1:4000", beside]);
  expect(await (await fetch(`${beside}/token`, { method: "POST" })).text()).toBe("fine");
});

test.each([
  ["no JSON", () => new Response("hm")],
  ["nothing", () => Response.json(null)],
  ["a failure", () => Response.json(metadata, { status: 404 })],
  ["another issuer", () => Response.json({ ...metadata, issuer: "http://127.0.0.1:6000" })],
  ["no endpoint for tokens", () => Response.json({ ...metadata, token_endpoint: undefined })],
  [
    "an endpoint that is no address",
    () => Response.json({ ...metadata, authorization_endpoint: "authorize" }),
  ],
  ["an endpoint that is a number", () => Response.json({ ...metadata, token_endpoint: 7 })],
])("one that answers with %s gets no more requests", async (_, answer) => {
  const path = `${beside}/.well-known/oauth-authorization-server`;
  network({ [path]: answer });
  const { fetch, origins } = createSignInFetch(new URL(local), {});

  await fetch(path);
  expect(origins()).toEqual(["http://127.0.0.1:4000"]);
  await expect(fetch(`${beside}/token`)).rejects.toThrow(https(`${beside}/token`));
});

test.each([
  ["another path", local, `${beside}/.well-known/other`, undefined],
  ["a path that only begins so", local, `${beside}/.well-known/openid-configurations`, undefined],
  ["a request that sends something", local, `${beside}/.well-known/openid-configuration`, "POST"],
  [
    "another name of this machine",
    local,
    "http://localhost:5000/.well-known/openid-configuration",
    undefined,
  ],
  [
    "a server elsewhere",
    "http://files.example.com/mcp",
    "http://files.example.com:5000/.well-known/openid-configuration",
    undefined,
  ],
])("%s is not asked", async (_, url, address, method) => {
  const asked = network();
  const { fetch } = createSignInFetch(new URL(url), {});
  await expect(fetch(address, method === undefined ? {} : { method })).rejects.toThrow(https(address));
  expect(asked).toEqual([]);
});
