import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { KnownModule } from "../../src/schema/compose.ts";
import { composeOurs } from "../../src/schema/ours.ts";
import { root } from "../support/workspace.ts";

const file = join(root, "packages/cli/schema/mount-plan.schema.json");

/** The tool packages of this repository whose manifest has a config. */
async function ourTools(): Promise<KnownModule[]> {
  const folders = await readdir(join(root, "tools"));
  const texts = await Promise.all(
    folders.map((name) => readFile(join(root, "tools", name, "package.json"), "utf8").catch(() => "{}")),
  );
  return texts
    .map((text) => JSON.parse(text) as PackageFile)
    .flatMap(({ name, toolmount }) =>
      toolmount?.config === undefined ? [] : [{ name, config: toolmount.config }],
    );
}

interface PackageFile {
  readonly name: string;
  readonly toolmount?: { readonly config?: KnownModule["config"] };
}

test("the schema of plans is what the packages say: TOOLMOUNT_WRITE=1 writes it again", async () => {
  const composed = `${JSON.stringify(await composeOurs(await ourTools()), null, 2)}\n`;
  if (process.env["TOOLMOUNT_WRITE"] === "1") await writeFile(file, composed);

  expect(JSON.parse(await readFile(file, "utf8"))).toEqual(JSON.parse(composed));
});
