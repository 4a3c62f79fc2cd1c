import { existsSync, readFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { join } from "node:path";
import { createWebFetch } from "@toolmount/tool-web";
import fc from "fast-check";
import { expect, test } from "vitest";
import { names, urlCases } from "./url-cases.ts";
import { deadTransport, resolver, serve, transport } from "./world.ts";

test("the table has more than ten times as many cases as the sample", () => {
  expect(urlCases.length).toBeGreaterThan(300);
});

test.each(urlCases.map(([verdict, url]) => ({ verdict, url, shown: JSON.stringify(url.slice(0, 70)) })))(
  "$shown: $verdict",
  async ({ verdict, url }) => {
    const connect = deadTransport();
    const { code } = await createWebFetch({}, { resolve: resolver(names), connect }).execute({ url });

    expect({
      asked: connect.asked.length > 0,
      code: code === "URL_BLOCKED" || code === "FETCH_FAILED",
    }).toEqual({
      asked: verdict === "allow",
      code: true,
    });
  },
);

const sample = join(import.meta.dirname, "../../../../shared/fixtures/security/ssrf-urls.json");

interface Sample {
  readonly header: { readonly dns: Record<string, string[]> };
  readonly items: readonly {
    id: string;
    url: string;
    verdict: "allow" | "deny" | "allow-or-deny" | "pinned";
    redirects?: string[];
    dns_sequence?: Record<string, string[][]>;
    connect_only?: string[];
  }[];
}

test.skipIf(!existsSync(sample))("the cases of the shared sample hold (needs ../shared)", async () => {
  // The table above has cases like each; the sample itself is beside the repository, not in it.
  const { header, items } = JSON.parse(readFileSync(sample, "utf8")) as Sample;
  const wrong: string[] = [];
  for (const item of items) {
    const redirects = [...(item.redirects ?? [])];
    const { port } = await serve((_request, response) => {
      const location = redirects.shift();
      if (location === undefined) response.writeHead(200, { "content-type": "text/plain" }).end("ok");
      else response.writeHead(302, { location }).end();
    });
    const connect = transport(port);
    const resolve = resolver({ ...header.dns, ...item.dns_sequence });
    const result = await createWebFetch({}, { resolve, connect }).execute({ url: item.url });
    const asked = connect.asked.map(({ address }) => address);
    const ok =
      item.verdict === "allow"
        ? result.error === undefined
        : item.verdict === "deny"
          ? result.error !== undefined && asked.every(isPublic)
          : asked.every((address) => (item.connect_only ?? asked).includes(address));
    if (!ok) wrong.push(`${item.id}: ${JSON.stringify({ result, asked })}`);
  }
  expect(wrong).toEqual([]);
});

test("rebinding: a name is looked up once, and what was judged is what is connected to", async () => {
  const { port } = await serve((_request, response) => response.end("ok"));
  const connect = transport(port);
  const resolve = resolver({ "rebind.test": [["93.184.216.34"], ["127.0.0.1"]] });
  const result = await createWebFetch({}, { resolve, connect }).execute({ url: "http://rebind.test/" });

  expect(result.data).toMatchObject({ content: "ok" });
  expect(resolve.asked).toEqual(["rebind.test"]);
  expect(connect.asked.map(({ address }) => address)).toEqual(["93.184.216.34"]);
});

test("rebinding by a redirect to the same name: each hop is checked again, and the second is refused", async () => {
  const { port } = await serve((_request, response) => response.writeHead(302, { location: "/again" }).end());
  const connect = transport(port);
  const resolve = resolver({ "rebind.test": [["93.184.216.34"], ["127.0.0.1"]] });
  const result = await createWebFetch({}, { resolve, connect }).execute({ url: "http://rebind.test/" });

  expect(result).toMatchObject({ code: "URL_BLOCKED" });
  expect(connect.asked.map(({ address }) => address)).toEqual(["93.184.216.34"]);
});

test("when one address does not answer, the next is asked, and only those that were judged", async () => {
  const connect = deadTransport();
  await createWebFetch({}, { resolve: resolver(names), connect }).execute({
    url: "http://both.public.test/",
  });

  expect(connect.asked.map(({ address, port, host }) => ({ address, port, host }))).toEqual([
    { address: "93.184.216.34", port: 80, host: "both.public.test" },
    { address: "2606:2800:220:1:248:1893:25c8:1946", port: 80, host: "both.public.test" },
  ]);
});

test.each([
  ["example.com", { allowed_domains: ["example.com"] }, true],
  ["www.example.com", { allowed_domains: ["example.com"] }, true],
  ["WWW.Example.COM.", { allowed_domains: ["example.com"] }, true],
  ["example.com", { allowed_domains: ["*.Example.com."] }, true],
  ["badexample.com", { allowed_domains: ["example.com"] }, false],
  ["example.com.attacker.test", { allowed_domains: ["example.com"] }, false],
  ["attacker.test", { allowed_domains: ["example.com"] }, false],
  ["bücher.test", { allowed_domains: ["xn--bcher-kva.test"] }, true],
  ["xn--bcher-kva.test", { allowed_domains: ["bücher.test"] }, true],
  ["example.com", { blocked_domains: ["example.com"] }, false],
  ["a.b.example.com", { blocked_domains: ["example.com"] }, false],
  ["badexample.com", { blocked_domains: ["example.com"] }, true],
  ["example.com", { allowed_domains: ["com"], blocked_domains: ["example.com"] }, false],
] as const)("%s with %j: asked is %s", async (host, settings, asked) => {
  const connect = deadTransport();
  const fetch = createWebFetch(structuredClone(settings) as object, {
    resolve: async () => ["93.184.216.34"],
    connect,
  });
  await fetch.execute({ url: `http://${host}/` });

  expect(connect.asked.length > 0).toBe(asked);
});

test("allow_private opens this machine and private networks, and neither metadata nor anything else", async () => {
  const asked = async (url: string) => {
    const connect = deadTransport();
    await createWebFetch({ allow_private: true }, { connect }).execute({ url });
    return connect.asked.length > 0;
  };

  for (const url of ["http://127.0.0.1/", "http://[::1]/", "http://10.0.0.1/", "http://[fd00::1]/"])
    expect({ url, asked: await asked(url) }).toEqual({ url, asked: true });
  for (const url of [
    "http://169.254.169.254/",
    "http://[fe80::1]/",
    "http://0.0.0.0/",
    "http://[::ffff:127.0.0.1]/",
    "http://224.0.0.1/",
  ])
    expect({ url, asked: await asked(url) }).toEqual({ url, asked: false });
});

// The registries of special-purpose addresses once more, in other words than the guard's, and judged by Node itself.
const [special4, special6] = [new BlockList(), new BlockList()];
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  special4.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 3],
  ["4000::", 2],
  ["8000::", 1],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
] as const)
  special6.addSubnet(network, prefix, "ipv6");

function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  return family === 4 ? !special4.check(address, "ipv4") : !special6.check(address, "ipv6");
}

test("whatever host is asked for, the transport is asked for public addresses only, and for all that are public", async () => {
  const long = process.env["TOOLMOUNT_LONG"] === "1";
  const byte = fc.oneof(
    fc.nat(255),
    fc.constantFrom(0, 1, 10, 100, 127, 169, 172, 192, 198, 224, 254, 255, 168, 64, 16, 31),
  );
  const v4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join("."));
  const group = fc.oneof(
    fc.nat(0xffff),
    fc.constantFrom(0, 0, 0, 1, 0xffff, 0x64, 0xff9b, 0x2001, 0x2002, 0xfe80, 0xfc00, 0x7f00),
  );
  const v6 = fc
    .array(group, { minLength: 8, maxLength: 8 })
    .map((groups) => groups.map((each) => each.toString(16)).join(":"));
  const written = v4.chain((address) => {
    const bytes = address.split(".").map(Number);
    const number = bytes.reduce((sum, each) => sum * 256 + each, 0);
    return fc.constantFrom(
      address,
      String(number),
      `0x${number.toString(16)}`,
      `0${number.toString(8)}`,
      bytes.map((each) => `0x${each.toString(16)}`).join("."),
      bytes.map((each) => `0${each.toString(8)}`).join("."),
      `${bytes[0]}.${number % 2 ** 24}`,
      `[::ffff:${address}]`,
      `[::${address}]`,
      `[64:ff9b::${address}]`,
    );
  });
  const literal = fc.oneof(
    written,
    v6.map((address) => `[${address}]`),
  );
  const answers = fc.array(fc.oneof({ weight: 3, arbitrary: v4 }, v6), { maxLength: 4 });
  const host = fc.oneof(
    literal.map((text) => ({ text, answers: null })),
    answers.map((given) => ({ text: "name.test", answers: given })),
  );

  let asked = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(host, async ({ text, answers: given }) => {
      const connect = deadTransport();
      const fetch = createWebFetch({}, { connect, resolve: async () => given ?? [] });
      const url = `http://${text}/`;
      await fetch.execute({ url });
      const addresses = connect.asked.map(({ address }) => address);
      const expected = given ?? [new URL(url).hostname.replace(/^\[|\]$/g, "")];
      const mayAsk = expected.length > 0 && expected.every(isPublic);

      expect({ url, given, addresses }).toEqual({ url, given, addresses: mayAsk ? expected : [] });
      if (mayAsk) asked++;
      else refused++;
    }),
    { numRuns: long ? 100_000 : 20_000 },
  );
  // A differential that only ever sees one side says nothing.
  expect(Math.min(asked, refused)).toBeGreaterThan(1000);
});

test.each([
  ["169.254.169.254", true],
  ["100.100.100.200", true],
  ["[fd00:ec2::254]", true],
  ["[FD00:0EC2:0:0::254]", true],
  ["[fd20:ce::254]", true],
  ["168.63.129.16", true],
  ["168.63.129.16", false],
])("%s, a cloud's metadata service, is refused with allow_private %s", async (host, allow_private) => {
  const connect = deadTransport();

  const { code } = await createWebFetch({ allow_private }, { connect }).execute({ url: `http://${host}/` });

  expect({ code, asked: connect.asked }).toEqual({ code: "URL_BLOCKED", asked: [] });
});

test("a name that resolves to a metadata service is refused with allow_private", async () => {
  const connect = deadTransport();
  const resolve = resolver({ "meta.test": ["10.0.0.8", "100.100.100.200"] });

  const { code } = await createWebFetch({ allow_private: true }, { connect, resolve }).execute({
    url: "http://meta.test/",
  });

  expect({ code, asked: connect.asked }).toEqual({ code: "URL_BLOCKED", asked: [] });
});
