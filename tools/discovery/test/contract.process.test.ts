import * as module from "@toolmount/tool-discovery";
import { readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";
import type { Coordinator } from "@toolmount/core";
import { toolNamed } from "./mounted.ts";

/** Tools to find. */
const others = {
  mount: (coordinator: Coordinator) => {
    for (const name of ["send_mail", "read_mail"])
      coordinator.mount("tools", toolNamed(name, `Uses mail: ${name}.`));
  },
};

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-discovery"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  valid: { tool_search: [{ query: "find tools" }] },
  extensions: [others],
  partial: { tool_search: [{ query: "mail", limit: 1 }], activate_tools: [] },
  invalid: { tool_search: [{}, { query: 7 }], activate_tools: [{}, { tool_ids: [] }] },
  usage: {
    activate_tools: [/again|once/, /next/],
    tool_search: [/changes nothing/, /always ready.*not listed/],
  },
});
