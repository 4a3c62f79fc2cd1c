import * as module from "@toolmount/tool-discovery";
import { readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-discovery"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  valid: { tool_search: [{ query: "find tools" }] },
  invalid: { tool_search: [{}, { query: 7 }], activate_tools: [{}, { tool_ids: [] }] },
  usage: {
    activate_tools: [/again|once/, /next/],
    tool_search: [/changes nothing/, /always ready.*not listed/],
  },
});
