import { type ApprovalQuestion } from "@toolmount/core";
import { join } from "node:path";
import { openHost } from "@toolmount/loader";
import { expect, test } from "vitest";

const plan = join(import.meta.dirname, "bill/mount-plan.yaml");

const pay = (recipient: string) => ({ name: "send_money", arguments: { recipient, amount: 90 } });

async function openBank(approve: boolean) {
  const questions: ApprovalQuestion[] = [];
  const host = await openHost(plan, {
    approver: (question) => (questions.push(question), { decision: approve ? "approve" : "deny" }),
  });
  return { host, questions };
}

test("an account that only a mail names is asked about, with its origin", async () => {
  const { host, questions } = await openBank(false);
  const context = { sessionId: "s", prompts: ["Please pay the power bill that I got by mail."] };
  await host.call({ name: "read_mail" }, context);

  const outcome = await host.call(pay("GB33BUKB20201555555555"), context);

  expect(outcome).toMatchObject({ status: "denied", result: { code: "DENIED" } });
  expect(questions[0]!.reasons).toEqual([
    {
      source: "rule",
      rule: "mount-plan.yaml:11:9",
      reason:
        "recipient GB33BUKB20201555555555 · from read_mail (call 1), 0.body, line 2 · you never wrote it",
      origins: [
        {
          argument: "recipient",
          value: "GB33BUKB20201555555555",
          origin: "untrusted",
          from: { tool: "read_mail", call: 1, path: ".0.body", line: 2 },
          isAccepted: false,
        },
      ],
    },
  ]);
  await host.close();
});

test("an account that the user wrote, or that is the user's own, is not asked about", async () => {
  const { host, questions } = await openBank(false);
  const prompts = ["Pay 90 to gb33 bukb 2020 1555 5555 55"];
  const context = { sessionId: "s", prompts };
  await host.call({ name: "read_mail" }, context);

  expect((await host.call(pay("GB33BUKB20201555555555"), context)).status).toBe("ok");
  expect((await host.call(pay("DE89370400440532013000"), context)).status).toBe("ok");
  expect(questions).toEqual([]);
  await host.close();
});

test("without the user's words the question says so", async () => {
  const { host, questions } = await openBank(true);
  await host.call(pay("GB33BUKB20201555555555"), { sessionId: "s" });
  expect(questions[0]!.reasons[0]!.reason).toContain("the user's words are unknown");
  await host.close();
});
