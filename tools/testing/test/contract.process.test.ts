import * as module from "@toolmount/tool-testing";
import { readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-testing"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  valid: {
    testing_ping_pong: [{}, { message: "hi", count: 1 }],
    testing_calculator: [{ operation: "add", left: 1, right: 2 }],
    testing_delay: [{ milliseconds: 1 }],
    testing_failure_injection: [{}, { payload: "x" }],
  },
  partial: {
    testing_ping_pong: [],
    testing_calculator: [],
    testing_delay: [],
    testing_failure_injection: [],
  },
  invalid: {
    testing_ping_pong: [{ count: "1" }],
    testing_calculator: [{}, { operation: "power", left: 1, right: 2 }],
    testing_delay: [{ milliseconds: "1" }],
    testing_failure_injection: [{ shouldFail: true }, { shouldFail: "yes" }],
  },
  usage: {
    testing_calculator: [/the same arguments give the same result, so one call is enough/],
    testing_delay: [/sparingly|again|longer/],
    testing_failure_injection: [/do not repeat it/],
    testing_ping_pong: [/changes nothing/, /again|often|once/],
  },
});
