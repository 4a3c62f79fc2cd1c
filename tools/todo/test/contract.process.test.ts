import * as module from "@toolmount/tool-todo";
import { readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-todo"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  partial: { todo: [] },
  invalid: { todo: [{}, { action: "explode" }] },
  usage: {
    todo: [/replace the whole list/, /at most one item in_progress/],
  },
});
