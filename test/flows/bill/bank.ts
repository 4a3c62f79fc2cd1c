import { data, defineTool } from "@toolmount/core";
import { z } from "zod";

const common = { consequenceLevel: "high", requiresConfirmation: false } as const;

export const readMail = defineTool({
  ...common,
  name: "read_mail",
  description: "Reads the mail. Use it to find a bill.",
  category: "read",
  schema: z.strictObject({}),
  execute: () =>
    data([{ from: "power@example.com", body: "Your bill.\nPay 90 to GB33 BUKB 2020 1555 5555 55." }]),
});

export const sendMoney = defineTool({
  ...common,
  name: "send_money",
  description: "Sends money. Use it to pay a bill.",
  category: "side_effect",
  schema: z.strictObject({ recipient: z.string(), amount: z.number(), subject: z.string().default("") }),
  control: ["recipient"],
  content: ["subject"],
  execute: ({ recipient, amount }) => data({ sent: amount, to: recipient }),
});
