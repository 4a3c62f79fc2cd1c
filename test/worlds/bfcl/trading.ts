import type { Json } from "@toolmount/core";
import type { Broker } from "./broker.ts";
import { createRandom } from "./random.ts";
import type { Entry, Service } from "./service.ts";
import { createAccountTools } from "./trading-account.ts";
import { createMarketTools } from "./trading-market.ts";

/** A broker: orders, an account, a market and a watch list. */
export function createTrading(configuration: Entry): Service {
  const orders = Object.entries(configuration["orders"] as Record<string, Json>);
  const broker: Broker = {
    orders: new Map(orders.map(([id, order]) => [/^\d+$/.test(id) ? Number(id) : id, order])),
    account: configuration["account_info"] as Entry,
    stocks: configuration["stocks"] as Record<string, Entry>,
    watchList: configuration["watch_list"] as string[],
    transactions: configuration["transaction_history"] as Entry[],
    marketStatus: configuration["market_status"] as string,
    random: createRandom(Number(configuration["random_seed"] ?? 1_053_520)),
    authenticated: configuration["authenticated"] as boolean,
    orderCounter: configuration["order_counter"] as number,
  };
  return {
    tools: [...createAccountTools(broker), ...createMarketTools(broker)],
    state: () => ({
      orders: Object.fromEntries(broker.orders),
      account_info: broker.account,
      authenticated: broker.authenticated,
      market_status: broker.marketStatus,
      order_counter: broker.orderCounter,
      stocks: broker.stocks,
      watch_list: broker.watchList,
      transaction_history: broker.transactions,
    }),
  };
}
