import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Pays at once, and answers a second later, so that there is a time in which the program that asked can die. */
const pay = {
  name: "pay",
  description: "Pays an order. Use it once for each order. Not for refunds.",
  schema: {
    type: "object",
    properties: { order: { type: "string" } },
    required: ["order"],
    additionalProperties: false,
  },
  category: "side_effect",
  consequenceLevel: "high",
  requiresConfirmation: false,
  execute: async ({ order }) => {
    appendFileSync("paid.txt", `${order}\n`);
    await delay(1_000);
    return { data: { order, paid: true } };
  },
};

export function mount(coordinator) {
  coordinator.mount("tools", pay);
}
