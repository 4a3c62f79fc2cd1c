import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "@toolmount/tool-program";
import { afterAll, expect, test } from "vitest";
import { mounted } from "./mounted.ts";

/** Programs, each with what its call answers: data, or error, code and details. */
const programs = readFileSync(join(import.meta.dirname, "programs.txt"), "utf8")
  .trim()
  .split("\n\n")
  .map((group) => {
    const [title = "", ...lines] = group.split("\n");
    const [, name = "", settings = "{}"] = /^# (.*?)(?: with (\{.*\}))?$/.exec(title)!;
    const source = lines.filter((line) => line.startsWith("|")).map((line) => line.slice(2));
    return { title: name, settings, source: source.join("\n"), answer: lines.slice(source.length) };
  });

/** A host for each plan: a program shares nothing with the one before. */
const hosts = new Map<string, ReturnType<typeof mounted>>();
afterAll(async () => {
  for (const opened of hosts.values()) await (await opened).host.close();
});

test.each(programs)("$title", async ({ settings, source, answer }) => {
  const opened = hosts.get(settings) ?? mounted(JSON.parse(settings) as Settings, {}, () => {});
  hosts.set(settings, opened);
  const { run } = await opened;

  expect(linesOf((await run(source)).result)).toEqual(answer);
});

test("types in a program that is nested too deeply for their parser are refused in words, and the next program runs", async () => {
  const { host, run } = await mounted({}, {}, () => {});
  const errorOf = async (source: string) => (await run(source)).result.error;

  expect(await errorOf(`return (1 as any) + ${"(".repeat(5000)}1${")".repeat(5000)}`)).toBe(
    "SyntaxError: the program is nested too deeply to be read. Write it in smaller parts",
  );
  expect(await errorOf("const a: number = 1; return a")).toBeUndefined();
  await host.close();
});

function linesOf(result: object): string[] {
  const { data, error, code, details } = result as Record<string, unknown>;
  const members = error === undefined ? (data as object) : { error, code, ...(details as object) };
  const shorten = (text: string) => text.replaceAll(/(\w)\1{50,}/g, (run) => `${run[0]}×${run.length}`);
  return Object.entries(members).map(([key, value]) => shorten(`${key}: ${JSON.stringify(value)}`));
}
