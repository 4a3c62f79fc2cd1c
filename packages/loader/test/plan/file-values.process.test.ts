import { mkdir, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { silentLogger, type Coordinator } from "@toolmount/core";
import { expect, test } from "vitest";
import { openHost } from "../../src/index.ts";
import { workspace } from "../workspace.ts";

async function configOf(files: Record<string, string>, value: string) {
  const seen: unknown[] = [];
  const { path } = await workspace({
    ...files,
    "plan.yaml": `tools: [{ module: m, config: { key: '${value}' } }]`,
  });
  await mkdir(path("folder"));
  await writeFile(path("bytes.txt"), Buffer.from([0xff, 0xfe]));
  execFileSync("mkfifo", [path("pipe")]);
  const m = { mount: (_: Coordinator, { key }: { key: string }) => void seen.push(key) };
  await using host = await openHost(path("plan.yaml"), { logger: silentLogger, env: {}, extensions: { m } });
  expect(host.status().state).toBe("open");
  return seen[0];
}

test.each([
  ["a line end at its end", "word\r\n", "word"],
  ["several line ends", "word\n\n", "word\n"],
  ["none", "word", "word"],
  ["65,536 bytes", "x".repeat(65_536), "x".repeat(65_536)],
])("a value from a file with %s is its text", async (_, text, value) => {
  expect(await configOf({ "key.txt": text }, "${file:key.txt}")).toBe(value);
});

test("a value from a file may stand inside a text, and an escaped one is written as it is", async () => {
  expect(await configOf({ "a.txt": "1", "b.txt": "2" }, "${file:a.txt}-${file:./b.txt}-$${file:c.txt}")).toBe(
    "1-2-${file:c.txt}",
  );
});

test.each([
  ["gone.txt", "the file does not exist"],
  ["folder", "it is not a file"],
  ["pipe", "it is not a file"],
  ["long.txt", "it has more than 65536 bytes"],
  ["bytes.txt", "it is not UTF-8"],
  ["key.txt/inner", "it cannot be read (ENOTDIR)"],
])("the file %s has no value: %s", async (name, problem) => {
  await expect(
    configOf({ "key.txt": "x", "long.txt": "x".repeat(65_537) }, `\${file:${name}}`),
  ).rejects.toMatchObject({
    details: {
      problems: [
        {
          code: "PLAN_VALUE_INVALID",
          path: "tools[0].config.key",
          message: expect.stringContaining(
            `the file "${name}" cannot be used as a value: ${problem}`,
          ) as string,
        },
      ],
    },
  });
});
