import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { expect, test } from "vitest";
import { tokenFile } from "../packages/http/src/access/tokens.ts";
import { planSchema } from "../packages/loader/src/plan/schema.ts";
import { settingsSchema } from "../packages/reasoner/src/config/settings.ts";
import { boundsOf, type Bound, type Needs, type Schema } from "./support/bounds.ts";

const root = join(import.meta.dirname, "..");

/** Rules between keys, which no schema says. */
const needs: Readonly<Record<string, Needs>> = {
  policy: { ".flows|1.results[].": { trust: "trusted" } },
  mcp: {
    ".": { command: "x", border: "bubblewrap" },
    ".url": { command: undefined, border: undefined },
    ".users": { instance: "user" },
    ".auth": { command: undefined, border: undefined, url: "https://a.example", instance: "user" },
    ".auth.": { clientId: "x", issuer: "https://a.example", grant: "token_exchange" },
    ".auth.grant": { clientSecret: "x" },
  },
  store: { ".audit": { state: "sqlite:a" } },
  reasoner: { ".session.providers[].": { module: "provider-openai" } },
};

/** A value that needs another plan than its neighbours; its own package tries it. */
const elsewhere = ['mcp.auth.grant: "client_credentials"'];

const configs: [string, z.ZodType][] = [
  ["plan", planSchema],
  ["model", settingsSchema],
  ["tokens", tokenFile],
];
for (const index of globSync("{packages,tools}/*/src/index.ts", { cwd: root }).toSorted()) {
  const { config } = (await import(join(root, index))) as { config?: unknown };
  if (config instanceof z.ZodType) configs.push([index.split("/")[1]!, config]);
}

const all = configs.map(([name, config]) => {
  const schema = z.toJSONSchema(config, { io: "input", unrepresentable: "any" }) as Schema;
  const bounds = boundsOf(schema, needs[name] ?? {}).filter(
    ({ path, says }) => !elsewhere.includes(`${name}${path}: ${says}`),
  );
  return { name, config, bounds };
});

test.each(all)(
  "every bound of $name takes what is inside and refuses what is outside",
  ({ config, bounds }) => {
    const takes = (value: unknown) => config.safeParse(value).success;
    const wrong = bounds.filter(({ fits, exceeds }) => !takes(fits) || takes(exceeds));

    expect(wrong.map((bound) => JSON.stringify(bound).slice(0, 500))).toEqual([]);
  },
);

test("the bounds and defaults are those that were agreed", () => {
  const path = join(import.meta.dirname, "config-bounds.txt");
  const text = all.flatMap(({ name, bounds }) => linesOf(name, bounds)).join("");
  if (process.env["TOOLMOUNT_WRITE"] === "1") writeFileSync(path, text);

  expect(text, "TOOLMOUNT_WRITE=1 writes it").toBe(readFileSync(path, "utf8"));
});

/** A line for each key: where it is, what it takes, and what it is when a plan leaves it out. */
function linesOf(name: string, bounds: readonly Bound[]): string[] {
  const keys = Map.groupBy(bounds, ({ path }) => path);
  return [...keys].map(([path, own]) => `${name}${path}: ${own.map(({ says }) => says).join(", ")}\n`);
}
