import * as module from "@toolmount/tool-web";
import { readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-web"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  invalid: {
    web_fetch: [{}, { url: "file:///etc/passwd" }, { url: "http://127.0.0.1:1/" }],
    web_search: [{}],
  },
  usage: {
    web_fetch: [/next_offset/, /kept for five minutes/],
    web_search: [/When no engine answers, the call fails/, /max_results/],
  },
});
