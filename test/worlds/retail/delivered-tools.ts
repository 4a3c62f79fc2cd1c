import { data, defineTool } from "@toolmount/core";
import { z } from "zod";
import { change, find, refuse, type Database } from "./database.ts";
import { changes, itemIds, newItemIds, orderId, paymentMethodId } from "./fields.ts";
import { firstUncounted, pairItems, priceDifference } from "./items.ts";
import { covers, isGiftCard, roundMoney } from "./money.ts";
import { snapshot } from "./read-tools.ts";

/** The tools for orders that have arrived. They only note a request: no money moves. */
export function createDeliveredTools(shop: Database) {
  return [exchangeItems(shop), returnItems(shop)];
}

function exchangeItems(shop: Database) {
  return defineTool({
    ...changes,
    name: "exchange_delivered_order_items",
    description:
      "Requests an exchange of delivered items for variants of the same products; once for an order. Ask the customer to confirm first.",
    schema: z.strictObject({
      order_id: orderId,
      item_ids: itemIds,
      new_item_ids: newItemIds,
      payment_method_id: paymentMethodId,
    }),
    execute: ({ order_id, item_ids, new_item_ids, payment_method_id }) => {
      const order = change(shop.orders, order_id);
      if (order === undefined) return refuse("Order not found");
      if (order.status !== "delivered") return refuse("Non-delivered order cannot be exchanged");
      const missing = firstUncounted(order, item_ids);
      if (missing !== undefined) return refuse(`Number of ${missing} not found.`);
      if (item_ids.length !== new_item_ids.length)
        return refuse("The number of items to be exchanged should match.");
      const pairs = pairItems(shop, order, item_ids, new_item_ids, { different: false });
      if (typeof pairs === "string") return refuse(pairs);
      const method = find(change(shop.users, order.user_id)!.payment_methods, payment_method_id);
      if (method === undefined) return refuse("Payment method not found");
      const difference = roundMoney(priceDifference(pairs));
      if (!covers(method, difference))
        return refuse("Insufficient gift card balance to pay for the price difference");
      order.status = "exchange requested";
      order.exchange_items = item_ids.toSorted();
      order.exchange_new_items = new_item_ids.toSorted();
      order.exchange_payment_method_id = payment_method_id;
      order.exchange_price_difference = difference;
      return data(snapshot(order));
    },
  });
}

function returnItems({ orders, users }: Database) {
  return defineTool({
    ...changes,
    name: "return_delivered_order_items",
    description:
      "Requests a return of delivered items, refunded to the original payment method or a gift card. Ask the customer to confirm first.",
    schema: z.strictObject({ order_id: orderId, item_ids: itemIds, payment_method_id: paymentMethodId }),
    execute: ({ order_id, item_ids, payment_method_id }) => {
      const order = change(orders, order_id);
      if (order === undefined) return refuse("Order not found");
      if (order.status !== "delivered") return refuse("Non-delivered order cannot be returned");
      const method = find(change(users, order.user_id)!.payment_methods, payment_method_id);
      if (method === undefined) return refuse("Payment method not found");
      if (!isGiftCard(method) && payment_method_id !== order.payment_history[0]?.payment_method_id)
        return refuse("Payment method should be the original payment method");
      if (firstUncounted(order, item_ids) !== undefined) return refuse("Some item not found");
      order.status = "return requested";
      order.return_items = item_ids.toSorted();
      order.return_payment_method_id = payment_method_id;
      return data(snapshot(order));
    },
  });
}
