import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, test } from "vitest";
import { referenceOf, type OpenApi } from "./support/reference.ts";
import { createWorld, serve } from "./support/world.ts";

test("the OpenAPI document has no fault that its linter knows, and each operation has an id", async () => {
  const { server } = await serve(createWorld().host);
  const config = await createConfig({ extends: ["recommended-strict"] });

  const problems = await lintFromString({ source: JSON.stringify(server.document), config });

  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
  ).toEqual([]);
});

test("docs/reference/http-api.md is what the document says: TOOLMOUNT_WRITE=1 writes it again", async () => {
  const { ask } = await serve(createWorld().host);
  const { body } = await ask("GET", "/api/v1/openapi.json");
  const page = join(import.meta.dirname, "../../../docs/reference/http-api.md");
  const [before] = (await readFile(page, "utf8")).split(/(?<=<!-- made from[^\n]*-->\n)/);
  const whole = `${before}\n${referenceOf(body as unknown as OpenApi).trimEnd()}\n`;
  if (process.env["TOOLMOUNT_WRITE"] === "1") await writeFile(page, whole);

  expect(await readFile(page, "utf8")).toBe(whole);
});
