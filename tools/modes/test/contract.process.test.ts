import * as module from "@toolmount/tool-modes";
import { readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-modes"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  partial: { agent_change_mode: [], agent_list_modes: [] },
  invalid: { agent_change_mode: [{}, { mode: "x", branch: "no", reason: "y" }] },
  usage: {
    agent_change_mode: [/changes nothing, so do not repeat it/],
    agent_list_modes: [/changes neither the mode nor the session/, /one call is enough/],
  },
});
