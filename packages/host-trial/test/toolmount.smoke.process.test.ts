import { expect, test } from "vitest";
import { adapterOf, hostsOf, hostTrial } from "./support/run.ts";

test("toolmount holds a tenth of the rows", async () => {
  const rows = "approved-once,twins-one,same-call-id,cancelled-turn,sub-agent-approved,two-processes";
  const [host] = hostsOf(await hostTrial(["--host", adapterOf("toolmount"), "--rows", rows, "--json"]));

  expect(host!.results.map(({ verdict }) => verdict)).toEqual(Array(6).fill("held"));
});
