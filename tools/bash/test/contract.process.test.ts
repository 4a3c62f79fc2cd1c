import * as module from "@toolmount/tool-bash";
import { createWorkspace, readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";
import { afterAll } from "vitest";

const workspace = await createWorkspace();
afterAll(() => workspace.remove());

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-bash"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  config: { working_dir: workspace.folder, require_approval: false },
  valid: { bash: [{ command: "echo hi" }], bash_list: [{}] },
  invalid: { bash: [{}, { command: " " }, { command: "sudo true" }], bash_output: [{ id: "gone" }] },
});
