import * as module from "@toolmount/tool-hello-world";
import { readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-hello-world"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  valid: { agent_hello_world: [{ name: "Ada" }] },
  partial: { agent_hello_world: [] },
  invalid: { agent_hello_world: [{}, { name: " " }, { name: 7 }] },
  usage: {
    agent_hello_world: [/may be called again; the same name gives the same greeting/],
  },
});
