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
  partial: {
    bash: [{ command: "seq 1 30000" }, { command: "sleep 60 & echo started" }],
    bash_output: [],
    bash_list: [],
    bash_stop: [],
  },
  invalid: { bash: [{}, { command: " " }, { command: "sudo true" }], bash_output: [{ id: "gone" }] },
  usage: {
    bash: [/Each call is a new shell/, /Long output is cut/, /Use run_in_background for servers/],
    bash_list: [/changes nothing/],
    bash_output: [/next_offset/, /kept until others need the space/, /only the start and the end are kept/],
    bash_stop: [/For a command that has ended, nothing happens/],
  },
});
