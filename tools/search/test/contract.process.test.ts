import * as module from "@toolmount/tool-search";
import { createWorkspace, readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";
import { afterAll } from "vitest";

const workspace = await createWorkspace({
  "a.txt": "one\ntwo\n",
  "b.md": "one",
  "c.bin": "one\0",
  "node_modules/d.md": "one",
});
afterAll(() => workspace.remove());

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-search"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  config: { working_dir: workspace.folder },
  valid: { grep: [{ pattern: "one" }], glob: [{ pattern: "*.md" }] },
  partial: {
    grep: [
      { pattern: "one" },
      { pattern: "none" },
      { pattern: "one", output_mode: "content", head_limit: 1 },
    ],
    glob: [{ pattern: "**/*.md" }],
  },
  invalid: { grep: [{}, { pattern: 7 }], glob: [{}] },
  usage: {
    glob: [/changes nothing/, /results_capped/],
    grep: [/changes nothing/, /next_offset/, /in the order of their paths/],
  },
});
