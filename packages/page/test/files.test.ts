import { readPage } from "@toolmount/page";
import { expect, test } from "vitest";

test("only the page's own files run in it, each sent with its type", async () => {
  const files = await readPage();
  const policy = files.get("/")!.headers["content-security-policy"]!;
  const [script, ...rest] = policy.split("; ").toSorted((a) => (a.startsWith("script-src") ? -1 : 0));
  expect(script).toMatch(/^script-src 'self' 'sha256-[\w+/=]{44}'$/);
  expect(rest.toSorted()).toEqual([
    "base-uri 'none'",
    "connect-src 'self'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src data:",
    "require-trusted-types-for 'script'",
    "style-src 'self'",
    "trusted-types 'none'",
  ]);
  const typeOf = (path: string) => files.get(path)?.type;
  expect([typeOf("/"), typeOf("/assets/style.css"), typeOf("/assets/main.js")]).toEqual([
    "text/html; charset=utf-8",
    "text/css; charset=utf-8",
    "text/javascript; charset=utf-8",
  ]);
});

test("the document says where people sign in, and nothing that a provider's address could add runs", async () => {
  const [plain, signIn] = await Promise.all(
    [undefined, { provider: 'id.example"><script>alert(1)</script>' }].map(async (each) =>
      (await readPage(each)).get("/")!.body.toString(),
    ),
  );
  expect(plain).not.toContain("toolmount-provider");
  expect(signIn).toContain('<meta name="toolmount-provider" content="id.examplescriptalert1script">');
  expect((await readPage()).get("/")!.body.toString()).toBe(plain);
});

test("the files that a browser loads are at most 120 KB together, compressed", async () => {
  const sizes = [...(await readPage()).values()].map(({ gzipped }) => gzipped.length);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(120_000);
});
