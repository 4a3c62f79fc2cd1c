import { createMemoryStore } from "@toolmount/core";
import { expect, test } from "vitest";
import { modelWorld } from "../support/model-world.ts";
import { tool, world } from "../support/world.ts";
import { responses, serveWire } from "../support/wires.ts";

test("encrypted reasoning goes back to the server that wrote it, and never to another one of the same API", async () => {
  const store = createMemoryStore();
  const look = tool("look", () => "seen");
  const calls = [{ id: "c1", name: "look", arguments: "{}" }];
  const first = await modelWorld(responses, false, [{ reasoning: "c2VhbGVk", calls }, { text: "one" }], {
    store,
    tools: [look],
  });
  expect(await first.run("go")).toMatchObject({ status: "done", text: "one" });
  expect(first.texts[1]).toContain("c2VhbGVk");
  expect(first.texts[1]).not.toContain("provider_metadata");

  const other = await serveWire(responses, [{ text: "two" }]);
  const baseUrl = other.baseUrl.replace("127.0.0.1", "localhost"); // a server with another name
  const second = await world([], { store, tools: [look], settings: { baseUrl } });
  expect(await second.run("go on")).toMatchObject({ status: "done", text: "two" });
  expect(other.texts[0]).not.toContain("c2VhbGVk");
  expect(other.texts[0]).not.toContain('"type":"reasoning"');
  expect(responses.outputs(other.requests[0]!).map(([id]) => id)).toEqual(["c1"]);
});
