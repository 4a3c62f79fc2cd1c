import { config } from "@toolmount/mcp";
import { test } from "vitest";
import { z } from "zod";
import { expectTables, without, type Schema } from "../../packages/cli/test/support/keys-table.ts";

test("docs/reference/keys.md has the keys of a server as its schema says them: TOOLMOUNT_WRITE=1 writes them again", async () => {
  const schema = z.toJSONSchema(config, { io: "input" }) as Schema;
  const { auth, classify } = schema.properties!;

  await expectTables("docs/reference/keys.md", {
    "an MCP server": without(schema, ["name", "required", "prefix"]),
    "a rule of classify": classify!.additionalProperties as Schema,
    auth: auth!,
  });
});
