import { data, defineTool } from "@toolmount/core";
import { z } from "zod";
import { change, find, refuse, type Database, type Order, type User } from "./database.ts";
import { covers, credit, isGiftCard } from "./money.ts";
import { addressFields, changes, itemIds, newItemIds, orderId, paymentMethodId } from "./fields.ts";
import { firstUncounted, pairItems, priceDifference, type Pair } from "./items.ts";
import { snapshot } from "./read-tools.ts";

/** The tools that change an order before it is shipped, and a user's address. */
export function createOrderTools(shop: Database) {
  return [
    cancelOrder(shop),
    modifyOrderAddress(shop),
    modifyOrderPayment(shop),
    modifyOrderItems(shop),
    modifyUserAddress(shop),
  ];
}

const cancelReasons: readonly string[] = ["no longer needed", "ordered by mistake"];

function cancelOrder({ orders, users }: Database) {
  return defineTool({
    ...changes,
    name: "cancel_pending_order",
    description: "Cancels a pending order and refunds it. Ask the customer to confirm first.",
    schema: z.strictObject({
      order_id: orderId,
      reason: z.string().describe("'no longer needed' or 'ordered by mistake'"),
    }),
    execute: ({ order_id, reason }) => {
      const order = change(orders, order_id);
      if (order === undefined) return refuse("Order not found");
      if (order.status !== "pending") return refuse("Non-pending order cannot be cancelled");
      if (!cancelReasons.includes(reason)) return refuse("Invalid reason");
      refundAll(order, change(users, order.user_id)!);
      order.status = "cancelled";
      order.cancel_reason = reason;
      return data(snapshot(order));
    },
  });
}

/** Refunds each entry of the history, refunds among them: that is what the shop does. */
function refundAll(order: Order, owner: User): void {
  const refunds = order.payment_history.map(({ amount, payment_method_id }) => {
    credit(find(owner.payment_methods, payment_method_id), amount);
    return { transaction_type: "refund" as const, amount, payment_method_id };
  });
  order.payment_history.push(...refunds);
}

function modifyOrderAddress({ orders }: Database) {
  return defineTool({
    ...changes,
    name: "modify_pending_order_address",
    description: "Changes the shipping address of a pending order. Ask the customer to confirm first.",
    schema: z.strictObject({ order_id: orderId, ...addressFields }),
    execute: ({ order_id, ...address }) => {
      const order = change(orders, order_id);
      if (order === undefined) return refuse("Order not found");
      if (!order.status.includes("pending")) return refuse("Non-pending order cannot be modified");
      order.address = address;
      return data(snapshot(order));
    },
  });
}

function modifyUserAddress({ users }: Database) {
  return defineTool({
    ...changes,
    name: "modify_user_address",
    description: "Changes a user's default address; orders keep theirs. Ask the customer to confirm first.",
    schema: z.strictObject({ user_id: z.string().describe("The user's id"), ...addressFields }),
    execute: ({ user_id, ...address }) => {
      const user = change(users, user_id);
      if (user === undefined) return refuse("User not found");
      user.address = address;
      return data(snapshot(user));
    },
  });
}

function modifyOrderPayment({ orders, users }: Database) {
  return defineTool({
    ...changes,
    name: "modify_pending_order_payment",
    description: "Moves a pending order to another payment method. Ask the customer to confirm first.",
    schema: z.strictObject({ order_id: orderId, payment_method_id: paymentMethodId }),
    execute: ({ order_id, payment_method_id }) => {
      const order = change(orders, order_id);
      if (order === undefined) return refuse("Order not found");
      if (!order.status.includes("pending")) return refuse("Non-pending order cannot be modified");
      const methods = change(users, order.user_id)!.payment_methods;
      const method = find(methods, payment_method_id);
      if (method === undefined) return refuse("Payment method not found");
      const [paid, ...more] = order.payment_history;
      if (paid === undefined || more.length > 0 || paid.transaction_type !== "payment")
        return refuse("There should be exactly one payment for a pending order");
      if (paid.payment_method_id === payment_method_id)
        return refuse("The new payment method should be different from the current one");
      const { amount } = paid;
      if (!covers(method, amount)) return refuse("Insufficient gift card balance to pay for the order");
      order.payment_history.push(
        { transaction_type: "payment", amount, payment_method_id },
        { transaction_type: "refund", amount, payment_method_id: paid.payment_method_id },
      );
      credit(method, -amount);
      credit(find(methods, paid.payment_method_id), amount);
      return data(snapshot(order));
    },
  });
}

function modifyOrderItems(shop: Database) {
  return defineTool({
    ...changes,
    name: "modify_pending_order_items",
    description:
      "Exchanges items of a pending order for variants of the same products; once for an order. Ask the customer to confirm first.",
    schema: z.strictObject({
      order_id: orderId,
      item_ids: itemIds,
      new_item_ids: newItemIds,
      payment_method_id: paymentMethodId,
    }),
    execute: ({ order_id, item_ids, new_item_ids, payment_method_id }) => {
      const order = change(shop.orders, order_id);
      if (order === undefined) return refuse("Order not found");
      if (order.status !== "pending") return refuse("Non-pending order cannot be modified");
      const missing = firstUncounted(order, item_ids);
      if (missing !== undefined) return refuse(`${missing} not found`);
      if (item_ids.length !== new_item_ids.length)
        return refuse("The number of items to be exchanged should match");
      const pairs = pairItems(shop, order, item_ids, new_item_ids, { different: true });
      if (typeof pairs === "string") return refuse(pairs);
      const method = find(change(shop.users, order.user_id)!.payment_methods, payment_method_id);
      if (method === undefined) return refuse("Payment method not found");
      const difference = priceDifference(pairs);
      if (isGiftCard(method) && method.balance < difference)
        return refuse("Insufficient gift card balance to pay for the new item");
      order.payment_history.push({
        transaction_type: difference > 0 ? "payment" : "refund",
        amount: Math.abs(difference),
        payment_method_id,
      });
      credit(method, -difference);
      replaceItems(order, pairs);
      order.status = "pending (item modified)";
      return data(snapshot(order));
    },
  });
}

/** Every replaced item gets price and options of the last pair's variant: that is what the shop does. */
function replaceItems(order: Order, pairs: readonly Pair[]): void {
  const last = pairs.at(-1)?.to;
  for (const { from, to } of pairs) {
    const item = order.items.find(({ item_id }) => item_id === from.item_id)!;
    item.item_id = to.item_id;
    item.price = last!.price;
    item.options = structuredClone(last!.options);
  }
}
