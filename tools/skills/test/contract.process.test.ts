import { join } from "node:path";
import * as module from "@toolmount/tool-skills";
import { readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";

// Which tools there are is for its config to say, so that the manifest lists none.
const { tools: _, ...manifest } = readManifest(new URL("../package.json", import.meta.url)) ?? {};

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-skills"),
  manifest,
  config: { folders: [join(import.meta.dirname, "fixtures")] },
  capabilities: { "session.working_dir": import.meta.dirname },
  partial: { skill_pdf_forms: [], skill_release_notes: [] },
  invalid: { skill_pdf_forms: [{ file: 1 }, { files: "x" }], skill_release_notes: [{ file: "" }] },
});
