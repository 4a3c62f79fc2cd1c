import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startReplay } from "../../src/provider/replay.ts";

test("a replay that closes ends connections on which a request is not complete", async () => {
  const replay = await startReplay("[]", "none.json");
  const socket = connect(Number(new URL(replay.baseUrl).port), "127.0.0.1");
  const ended = new Promise((resolve) => socket.on("error", () => undefined).on("close", resolve));
  await once(socket, "connect");
  socket.resume();
  socket.write(
    "POST /v1/responses HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n",
  );
  // The server has read the head of the request, and waits for its body.
  await once(socket, "data");

  await replay.close();
  await ended;
  expect(replay.requests).toEqual([]);
});
