import { silentLogger } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { EraVerdict } from "../src/mount/client.ts";
import { config } from "../src/mount/config.ts";
import { Connection } from "../src/mount/connection.ts";
import { KeptConnections } from "../src/mount/own-connections.ts";

test("of more users than are kept, the quietest without a running call loses the connection", async () => {
  const settings = config.parse({ name: "server", command: process.execPath, instance: "user" });
  const connect = () =>
    new Connection({
      settings,
      folder: undefined,
      toolFor: () => "",
      logger: silentLogger,
      verdict: new EraVerdict(),
    });
  const kept = new KeptConnections(2);
  onTestFinished(() => kept.close());
  const ana = kept.of("ana", connect);
  const release = kept.hold(ana);
  const ben = kept.of("ben", connect);
  const eva = kept.of("eva", connect);

  expect([ana, ben, eva].map(({ status }) => status.state)).toEqual(["asleep", "closed", "asleep"]);
  expect(kept.of("ana", connect)).toBe(ana);
  release();
  kept.of("ben", connect);
  expect([ana, eva].map(({ status }) => status.state)).toEqual(["asleep", "closed"]);
  kept.of("eva", connect);
  expect(ana.status.state).toBe("closed");
});
