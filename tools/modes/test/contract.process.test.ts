import * as module from "@toolmount/tool-modes";
import { readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-modes"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  invalid: { agent_change_mode: [{}, { mode: "x", branch: "no", reason: "y" }] },
});
