import { once } from "node:events";
import { createServer } from "node:http";

/** Starts a Chat Completions server on loopback, and returns its address. Each answer is for one request: a text, or calls as `[tool, arguments]`. */
export async function model(...answers) {
  const server = createServer(
    (request, response) => void reply(request, response, answers.shift() ?? "Done."),
  );
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return `http://127.0.0.1:${server.address().port}/v1`;
}

async function reply(request, response, answer) {
  const { stream } = JSON.parse(Buffer.concat(await request.toArray()));
  const message = { role: "assistant", content: typeof answer === "string" ? answer : null };
  const calls = typeof answer === "string" ? [] : answer.map(callOf);
  if (stream === true) return sendStream(response, message, calls);
  const whole = calls.length > 0 ? { ...message, tool_calls: calls } : message;
  const choices = [{ index: 0, message: whole, finish_reason: reasonOf(calls) }];
  response.setHeader("content-type", "application/json");
  return response.end(JSON.stringify({ ...head(), choices, usage }));
}

function sendStream(response, message, calls) {
  const facts = { ...head(), object: "chat.completion.chunk" };
  const send = (delta, finish_reason = null) =>
    response.write(
      `data: ${JSON.stringify({ ...facts, choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
    );
  response.setHeader("content-type", "text/event-stream");
  send(message);
  for (const [index, call] of calls.entries()) send({ tool_calls: [{ index, ...call }] });
  send({}, reasonOf(calls));
  response.end("data: [DONE]\n\n");
}

let next = 1;
let requests = 0;
const head = () => ({ id: `answer_${++requests}`, object: "chat.completion", created: 1, model: "m" });
const reasonOf = (calls) => (calls.length > 0 ? "tool_calls" : "stop");
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function callOf([name, given]) {
  return { id: `call_${next++}`, type: "function", function: { name, arguments: given } };
}
