import * as module from "@toolmount/tool-delegate";
import { readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-delegate"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  valid: {},
  partial: { delegate: [] },
  invalid: { delegate: [{}, { instruction: 7 }, { instruction: "x", agent: "gone" }] },
  usage: {
    delegate: [
      /run at the same time/,
      /shares the session's budget/,
      /Do not delegate work that one tool call does/,
    ],
  },
});
