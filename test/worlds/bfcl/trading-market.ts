import { defineTool } from "@toolmount/core";
import { z } from "zod";
import { answer, error, member, read, write } from "./service.ts";
import { lookUp, stocksOfSector, symbolOfCompany } from "./tables.ts";
import { needsLogin, type Broker } from "./broker.ts";

const symbol = z.string().describe("The stock's symbol");

/** The tools of the market and the watch list. */
export function createMarketTools(broker: Broker) {
  return [
    ...stockTools(broker),
    ...watchTools(broker),
    defineTool({
      ...read,
      name: "get_current_time",
      description: "Says what time it is at the exchange.",
      schema: z.strictObject({}),
      execute: () => answer({ current_time: "10:30 AM" }),
    }),
    defineTool({
      ...read,
      name: "get_symbol_by_name",
      description: "Finds the symbol of a company.",
      schema: z.strictObject({ name: z.string() }),
      execute: ({ name }) => answer({ symbol: lookUp(symbolOfCompany, name) ?? "Stock not found" }),
    }),
    defineTool({
      ...read,
      name: "get_available_stocks",
      description: "Lists the stocks of a sector.",
      schema: z.strictObject({ sector: z.string() }),
      execute: ({ sector }) => answer({ stock_list: [...(lookUp(stocksOfSector, sector) ?? [])] }),
    }),
  ];
}

function stockTools({ stocks }: Broker) {
  return [
    defineTool({
      ...read,
      name: "get_stock_info",
      description: "Shows price and volume of a stock.",
      schema: z.strictObject({ symbol }),
      execute: ({ symbol: name }) => {
        const stock = lookUp(stocks, name);
        return stock === undefined
          ? error(`Stock with symbol '${name}' not found.`)
          : answer(structuredClone(stock));
      },
    }),
    defineTool({
      ...read,
      name: "filter_stocks_by_price",
      description: "Keeps the stocks of a list whose price is in a range.",
      schema: z.strictObject({ stocks: z.array(symbol), min_price: z.number(), max_price: z.number() }),
      execute: ({ stocks: names, min_price, max_price }) => {
        const priceOf = (name: string) => {
          const stock = lookUp(stocks, name);
          return stock === undefined ? 0 : (member(stock, "price") as number);
        };
        const fitting = names.filter((name) => min_price <= priceOf(name) && priceOf(name) <= max_price);
        return answer({ filtered_stocks: fitting });
      },
    }),
    defineTool({
      ...read,
      name: "notify_price_change",
      description: "Names the stocks of a list whose price changed by a threshold or more.",
      schema: z.strictObject({ stocks: z.array(symbol), threshold: z.number() }),
      execute: ({ stocks: names, threshold }) => {
        const changed = names.filter((name) => {
          const stock = lookUp(stocks, name);
          return stock !== undefined && Math.abs(member(stock, "percent_change") as number) >= threshold;
        });
        return answer({
          notification:
            changed.length === 0
              ? "No significant price changes in the selected stocks."
              : `Stocks ${changed.join(", ")} have significant price changes.`,
        });
      },
    }),
  ];
}

function watchTools(broker: Broker) {
  const { watchList } = broker;
  return [
    defineTool({
      ...write,
      name: "add_to_watchlist",
      description: "Adds a stock to the watch list.",
      schema: z.strictObject({ stock: symbol }),
      execute: ({ stock }) => {
        if (Object.hasOwn(broker.stocks, stock) && !watchList.includes(stock)) watchList.push(stock);
        return answer({ watchlist: [...watchList] });
      },
    }),
    defineTool({
      ...write,
      name: "remove_stock_from_watchlist",
      description: "Removes a stock from the watch list.",
      schema: z.strictObject({ symbol }),
      execute: ({ symbol: name }) => {
        if (!broker.authenticated) return needsLogin("modify the watchlist.");
        if (!watchList.includes(name)) return error(`Stock ${name} not found in watchlist.`);
        watchList.splice(watchList.indexOf(name), 1);
        return answer({ status: `Stock ${name} removed from watchlist successfully.` });
      },
    }),
    defineTool({
      ...read,
      name: "get_watchlist",
      description: "Shows the watch list.",
      schema: z.strictObject({}),
      execute: () =>
        broker.authenticated
          ? answer({ watchlist: [...watchList] })
          : answer(["Error: User not authenticated. Please log in to view the watchlist."]),
    }),
  ];
}
