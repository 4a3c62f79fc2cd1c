import { once } from "node:events";
import { connect } from "node:net";
import { printTapeAnswer, tapeHeader } from "@toolmount/tape";
import { expect, onTestFinished, test } from "vitest";
import { startReplay, type Replay } from "../../src/provider/replay.ts";

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

/** What a replay answers to one request. */
async function ask(replay: Replay, body: unknown = { input: [] }) {
  const response = await fetch(`${replay.baseUrl}/responses`, { method: "POST", body: JSON.stringify(body) });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    retry: response.headers.get("retry-after"),
    text: await response.text(),
  };
}

async function replayOf(text: string, file = "exchange.json") {
  const replay = await startReplay(text, file);
  onTestFinished(() => replay.close());
  return replay;
}

test("answers are given in their order, with their status and headers, and a request beyond them fails", async () => {
  const exchanges = [
    { response: { id: "a" } },
    { status: 429, headers: { "retry-after": "7" }, response: { error: "slow" } },
    { status: 599, response: null },
  ];
  const replay = await replayOf(JSON.stringify(exchanges));

  expect(replay.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  expect(replay.stream).toBe(false);
  expect(await ask(replay, { n: 1 })).toEqual({
    status: 200,
    type: "application/json",
    retry: null,
    text: '{"id":"a"}',
  });
  expect(await ask(replay, { n: 2 })).toMatchObject({ status: 429, retry: "7", text: '{"error":"slow"}' });
  expect(await ask(replay, { n: 3 })).toMatchObject({ status: 599, text: "null" });
  const beyond = await ask(replay, { n: 4 });
  expect([beyond.status, JSON.parse(beyond.text)]).toEqual([
    400,
    {
      error: {
        message: "exchange.json has 3 recorded answers, and this request needs another one",
        type: "invalid_request_error",
        code: "replay_ended",
        param: null,
      },
    },
  ]);
  expect(replay.requests).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
});

test("a recorded stream is given as events, and the replay says that it streams", async () => {
  const stream = 'event: x\ndata: {"type":"x"}\n\n';
  const replay = await replayOf(JSON.stringify([{ stream }, { status: 503, stream: "" }]));

  expect(replay.stream).toBe(true);
  expect(await ask(replay)).toMatchObject({ status: 200, type: "text/event-stream", text: stream });
  expect(await ask(replay)).toMatchObject({ status: 503, text: "" });
});

test("the answers of a tape are given as they are", async () => {
  const answer = { id: "resp_1", output: [] };
  const replay = await replayOf(`${tapeHeader}\n${printTapeAnswer({ answer, request: "0".repeat(64) })}\n`);

  expect(replay.stream).toBe(false);
  expect(await ask(replay)).toMatchObject({
    status: 200,
    type: "application/json",
    text: JSON.stringify(answer),
  });
});

test.each([
  ["{", "it is not JSON"],
  ["{}", ": Invalid input: expected array, received object"],
  ['[{"status":99}]', "0.status: Too small: expected number to be >=100"],
  ['[{"status":600}]', "0.status: Too big: expected number to be <=599"],
  ['[{"stream":"x"},{"headers":{"a":1}}]', "1.headers.a: Invalid input: expected string, received number"],
  [`${tapeHeader}\n`, "the tape has no answers of a model; record it with toolmount run --record"],
])("%j is refused with its problem", async (text, problem) => {
  await expect(startReplay(text, "bad.json")).rejects.toMatchObject({
    code: "REPLAY_INVALID",
    details: { file: "bad.json", problem },
  });
});

test("a tape that cannot be read is refused with the tape's problem", async () => {
  await expect(startReplay(`${tapeHeader}\n{\n`, "bad.tape")).rejects.toMatchObject({
    code: "REPLAY_INVALID",
    details: { file: "bad.tape", problem: expect.stringContaining("line 2") },
  });
});
