import { z } from "zod";

/** What the shop's policy in prose demands of every action that changes a record. */
export const changes = { category: "write", consequenceLevel: "high", requiresConfirmation: true } as const;

export const orderId = z.string().describe("The order's id, with its '#': '#W0000000'");

export const paymentMethodId = z
  .string()
  .describe("One of the user's payment methods, such as 'gift_card_0000000' or 'credit_card_0000000'");

export const itemIds = z
  .array(z.string())
  .describe("Ids of items of the order; an id as often as the order has it");

export const newItemIds = z
  .array(z.string())
  .describe("Ids of the variants that take their place, in the same order");

export const addressFields = {
  address1: z.string().describe("Street and number"),
  address2: z.string().describe("Suite or flat; empty when there is none"),
  city: z.string(),
  state: z.string().describe("The state's short form, such as 'CA'"),
  country: z.string(),
  zip: z.string(),
};
