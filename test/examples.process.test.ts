import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedPostgres } from "../packages/store/test/postgres.ts";
import { checkTypes, followOnce, tryPage } from "./support/doc-blocks.ts";

const root = join(import.meta.dirname, "..");

let base: string;
let postgres: Awaited<ReturnType<typeof sharedPostgres>>;

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "toolmount examples ")));
  postgres = await sharedPostgres();
});
afterAll(async () => {
  await postgres.stop();
  await rm(base, { recursive: true });
});

const examples = (await readdir(join(root, "examples"), { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const withPostgres = new Set(["fleet-of-two", "dbos-step"]);

const follow = followOnce(async (name) => {
  const files = join(root, "examples", name);
  const env = withPostgres.has(name) ? { DATABASE_URL: await postgres.database(name) } : {};
  return tryPage(root, `examples/${name}/README.md`, base, { files, env });
});

test.each(examples)("the steps of examples/%s work as its README says", async (name) => {
  expect(await follow.one(name)).toBeGreaterThan(0);
});

test("the examples have the types that the packages declare", async () => {
  await follow.all(examples);

  await expect(checkTypes(root, base)).resolves.toBeUndefined();
});
