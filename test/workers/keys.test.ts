import { config } from "@toolmount/workers";
import { test } from "vitest";
import { z } from "zod";
import { expectTables, without, type Schema } from "../../packages/cli/test/support/keys-table.ts";

const { runners } = (z.toJSONSchema(config, { io: "input" }) as Schema).properties!;
const [process, fleet] = (runners!.items as unknown as { oneOf: readonly Schema[] }).oneOf;

test("docs/reference/keys.md has the keys of a process as its schema says them: TOOLMOUNT_WRITE=1 writes them again", async () => {
  await expectTables("docs/reference/keys.md", { "in: process": without(process!, ["name", "in"]) });
});

test("docs/reference/keys.md has the keys of a fleet as its schema says them: TOOLMOUNT_WRITE=1 writes them again", async () => {
  const ofProcess = Object.keys(process!.properties!).filter((key) => key !== "border");
  await expectTables("docs/reference/keys.md", {
    "in: fleet": without(fleet!, ["name", "in", ...ofProcess]),
  });
});
