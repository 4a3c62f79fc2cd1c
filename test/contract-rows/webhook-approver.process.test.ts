import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { data, type ApprovalAnswer, type ApprovalQuestion } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { mounting, native, onePlan, opened } from "../support/decisions-world.ts";

/** A service that people answer in: a question is posted, and its answer is polled. */
async function webhook() {
  const answers = new Map<string, object>();
  const posted: ApprovalQuestion[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      if (request.method === "POST")
        posted.push(JSON.parse(Buffer.concat(chunks).toString()) as ApprovalQuestion);
      const answer = answers.get((request.url ?? "").slice(1));
      response.writeHead(request.method === "POST" ? 202 : answer === undefined ? 204 : 200);
      response.end(answer === undefined ? undefined : JSON.stringify(answer));
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers, posted };
}

test("FORGE-N62, FORGE-19: an approver may be a webhook: it posts the question, then polls for the answer", async () => {
  const { url, answers, posted } = await webhook();
  let polls = 0;
  const approver = {
    async ask(
      { approvalId, prompt }: ApprovalQuestion,
      { signal }: { signal: AbortSignal },
    ): Promise<ApprovalAnswer> {
      await fetch(url, { method: "POST", body: JSON.stringify({ approvalId, prompt }), signal });
      for (;;) {
        const response = await fetch(`${url}/${approvalId}`, { signal });
        if (response.status === 200) return (await response.json()) as ApprovalAnswer;
        // The person answers once the question was seen to wait.
        if (++polls === 2) answers.set(approvalId, { decision: "approve", by: "ada" });
      }
    },
  };
  let ran = 0;
  const tool = native(() => data(++ran), { requiresConfirmation: true });
  const { host } = await opened(onePlan, { m: mounting(tool) }, { approver });

  expect(await host.call({ name: "probe" })).toMatchObject({ status: "ok", result: { data: 1 } });
  expect(posted).toMatchObject([{ prompt: expect.stringContaining("probe") as string }]);
  expect(polls).toBe(2);
});
