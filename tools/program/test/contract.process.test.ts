import * as module from "@toolmount/tool-program";
import { readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-program"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  valid: { run_program: [{ source: "return 1" }], describe_tools: [{}] },
  partial: { run_program: [], describe_tools: [] },
  invalid: {
    run_program: [{}, { source: 7 }, { source: " " }],
    describe_tools: [{ names: [] }, { query: 7 }],
  },
  usage: {
    describe_tools: [/It calls nothing/, /lists all tools by name/],
    run_program: [/makes its calls again/, /side by side/, /too many calls/],
  },
});
