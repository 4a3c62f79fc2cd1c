import { defineTool, failure, type Json } from "@toolmount/core";
import { z } from "zod";
import { isDate } from "./dates.ts";
import { printFixed } from "./rounding.ts";
import { answer, error, member, printList, read, textMember, write, type Entry } from "./service.ts";
import { listedError, needsLogin, type Broker } from "./broker.ts";

/** The tools of the account: login, orders and money. */
export function createAccountTools(broker: Broker) {
  return [
    ...loginTools(broker),
    getAccount(broker),
    getOrder(broker),
    cancelOrder(broker),
    placeOrder(broker),
    getOrderHistory(broker),
    withdraw(broker),
    fund(broker),
    getTransactions(broker),
  ];
}

function loginTools(broker: Broker) {
  return [
    defineTool({
      ...write,
      name: "trading_login",
      description: "Logs the user in to the broker.",
      schema: z.strictObject({ username: z.string(), password: z.string() }),
      execute: () => {
        if (broker.authenticated) return answer({ status: "Already logged in" });
        broker.authenticated = true;
        return answer({ status: "Logged in successfully" });
      },
    }),
    defineTool({
      ...read,
      name: "trading_get_login_status",
      description: "Says whether the user is logged in.",
      schema: z.strictObject({}),
      execute: () => answer({ status: broker.authenticated }),
    }),
    defineTool({
      ...write,
      name: "trading_logout",
      description: "Logs the user out.",
      schema: z.strictObject({}),
      execute: () => {
        if (!broker.authenticated) return answer({ status: "No user is currently logged in" });
        broker.authenticated = false;
        return answer({ status: "Logged out successfully" });
      },
    }),
  ];
}

function getAccount(broker: Broker) {
  return defineTool({
    ...read,
    name: "get_account_info",
    description: "Shows the account and its balance.",
    schema: z.strictObject({}),
    execute: () =>
      broker.authenticated
        ? answer(structuredClone(broker.account))
        : needsLogin("view account information."),
  });
}

const orderId = z.int().describe("The order's number");

function getOrder(broker: Broker) {
  return defineTool({
    ...read,
    name: "get_order_details",
    description: "Shows an order.",
    schema: z.strictObject({ order_id: orderId }),
    execute: ({ order_id }) => {
      const order = broker.orders.get(order_id);
      const known = printList([...broker.orders.keys()]);
      return order === undefined
        ? error(`Order with ID ${order_id} not found.Here is the list of orders_id: ${known}`)
        : answer(structuredClone(order));
    },
  });
}

function cancelOrder(broker: Broker) {
  return defineTool({
    ...write,
    name: "cancel_order",
    description: "Cancels an order that is not completed.",
    schema: z.strictObject({ order_id: orderId }),
    execute: ({ order_id }) => {
      const order = broker.orders.get(order_id) as Entry | undefined;
      if (order === undefined) return error(`Order with ID ${order_id} not found.`);
      if (member(order, "status") === "Completed")
        return error(`Can't cancel order ${order_id}. Order is already completed.`);
      order["status"] = "Cancelled";
      return answer({ order_id, status: "Cancelled" });
    },
  });
}

function placeOrder(broker: Broker) {
  return defineTool({
    ...write,
    name: "place_order",
    description: "Places an order to buy or sell a stock.",
    schema: z.strictObject({
      order_type: z.string().describe("'Buy' or 'Sell'"),
      symbol: z.string(),
      price: z.number(),
      amount: z.int(),
    }),
    execute: ({ order_type, symbol, price, amount }) => {
      if (!broker.authenticated) return needsLogin("place an order.");
      if (!Object.hasOwn(broker.stocks, symbol)) return error(`Invalid stock symbol: ${symbol}`);
      if (price <= 0 || amount <= 0) return error("Price and amount must be positive values.");
      const [cost, balance] = [price * amount, member(broker.account, "balance") as number];
      if (order_type.toLowerCase() === "buy" && cost > balance)
        return error(
          `Insufficient funds: required $${printFixed(cost, 2)} but only $${printFixed(balance, 2)} available.`,
        );
      const id = broker.orderCounter;
      broker.orders.set(id, { id, order_type, symbol, price, amount, status: "Open" });
      broker.orderCounter += 1;
      return answer({ order_id: id, order_type, status: "Pending", price, amount });
    },
  });
}

function getOrderHistory(broker: Broker) {
  return defineTool({
    ...read,
    name: "get_order_history",
    description: "Lists the numbers of all orders.",
    schema: z.strictObject({}),
    execute: () =>
      broker.authenticated
        ? answer({ history: [...broker.orders.keys()] })
        : listedError("User not authenticated. Please log in to view order history."),
  });
}

const amountOf = z.strictObject({ amount: z.number() });

function withdraw(broker: Broker) {
  return defineTool({
    ...write,
    name: "withdraw_funds",
    description: "Withdraws money while the market is open.",
    schema: amountOf,
    execute: ({ amount }) => {
      if (!broker.authenticated) return needsLogin("make a transaction.");
      if (broker.marketStatus !== "Open") return error("Market is closed. Transactions are not allowed.");
      if (amount <= 0) return error("Transaction amount must be positive.");
      if (amount > (member(broker.account, "balance") as number))
        return error("Insufficient funds for withdrawal.");
      return answer({ status: "Withdrawal successful", new_balance: book(broker, "withdrawal", amount) });
    },
  });
}

function fund(broker: Broker) {
  return defineTool({
    ...write,
    name: "fund_account",
    description: "Adds money to the account.",
    schema: amountOf,
    execute: ({ amount }) => {
      if (!broker.authenticated) return needsLogin("fund the account.");
      if (amount <= 0) return error("Funding amount must be positive.");
      return answer({ status: "Account funded successfully", new_balance: book(broker, "deposit", amount) });
    },
  });
}

/** Changes the balance and notes the transaction; returns the new balance. */
function book(
  { account, transactions, random }: Broker,
  type: "deposit" | "withdrawal",
  amount: number,
): number {
  const balance = (member(account, "balance") as number) + (type === "deposit" ? amount : -amount);
  account["balance"] = balance;
  const seconds = Date.UTC(2024, 8, 1, 10, 30) / 1_000 + random.integer(0, 86_400);
  const timestamp = new Date(seconds * 1_000).toISOString().slice(0, 19).replace("T", " ");
  transactions.push({ type, amount, timestamp });
  return balance;
}

const date = z.string().optional().describe("YYYY-MM-DD");

function getTransactions(broker: Broker) {
  return defineTool({
    ...read,
    name: "get_transaction_history",
    description: "Lists transactions, of a time if wanted.",
    schema: z.strictObject({ start_date: date, end_date: date }),
    execute: ({ start_date, end_date }) => {
      if (!broker.authenticated)
        return listedError("User not authenticated. Please log in to view transaction history.");
      const [start, end] = [boundOf(start_date), boundOf(end_date)];
      if (start === null || end === null) return failure("a date is not YYYY-MM-DD", { code: "DATE" });
      const found = broker.transactions.filter((entry) => {
        const at = textMember(entry, "timestamp");
        return (start === undefined || start <= at) && (end === undefined || at <= end);
      });
      return answer({ transaction_history: structuredClone(found) as Json });
    },
  });
}

/** A date as the text of its midnight; `null` when it is no date. */
function boundOf(text: string | undefined): string | null | undefined {
  if (text === undefined) return undefined;
  return isDate(text) ? `${text} 00:00:00` : null;
}
