import { expect, test } from "vitest";
import { response, say, tool, world } from "../support/world.ts";

test("instructions of one turn follow those of the plan, and count for that turn only", async () => {
  const { run, requests } = await world([response([say("1")]), response([say("2")])], {
    tools: [tool("add", () => 1)],
    settings: { instructions: "Be brief." },
  });
  await run("one", { instructions: "Answer in French." });
  await run("two");

  expect(requests[0]!.instructions).toMatch(/^Be brief\.\n\nAnswer in French\.\n\n<<<BEGIN/);
  expect(requests[1]!.instructions).toMatch(/^Be brief\.\n\n<<<BEGIN/);
});
