import { data, defineTool } from "@toolmount/core";
import { z } from "zod";
import { calculate } from "./calculate.ts";
import {
  find,
  refuse,
  type Database,
  type Order,
  type Product,
  type User,
  type Variant,
} from "./database.ts";

const reads = { category: "read", consequenceLevel: "low", requiresConfirmation: false } as const;

/** The tools that change nothing. */
export function createReadTools(shop: Database) {
  return [
    findUserByEmail(shop),
    findUserByName(shop),
    listProductTypes(shop),
    getOrder(shop),
    getProduct(shop),
    getItem(shop),
    getUser(shop),
    createCalculate(),
    createTransfer(),
  ];
}

function findUserByEmail({ users }: Database) {
  return defineTool({
    ...reads,
    name: "find_user_id_by_email",
    description: "Finds a user's id by e-mail address. Use first, to authenticate a customer.",
    schema: z.strictObject({ email: z.string().describe("The customer's e-mail address") }),
    execute: ({ email }) =>
      idOf(Object.values(users).find((user) => user.email.toLowerCase() === email.toLowerCase())),
  });
}

function findUserByName({ users }: Database) {
  return defineTool({
    ...reads,
    name: "find_user_id_by_name_zip",
    description:
      "Finds a user's id by name and zip code. Use when the customer does not remember the e-mail address.",
    schema: z.strictObject({
      first_name: z.string().describe("The customer's first name"),
      last_name: z.string().describe("The customer's last name"),
      zip: z.string().describe("The zip code of the customer's address"),
    }),
    execute: ({ first_name, last_name, zip }) =>
      idOf(
        Object.values(users).find(
          ({ name, address }) =>
            name.first_name.toLowerCase() === first_name.toLowerCase() &&
            name.last_name.toLowerCase() === last_name.toLowerCase() &&
            address.zip === zip,
        ),
      ),
  });
}

function idOf(user: User | undefined) {
  return user === undefined ? refuse("User not found") : data(user.user_id);
}

function listProductTypes({ products }: Database) {
  return defineTool({
    ...reads,
    name: "list_all_product_types",
    description: "Lists the shop's product types: a JSON text from each name to its product id.",
    schema: z.strictObject({}),
    execute: () => {
      const names = Object.values(products).toSorted((one, other) => compareText(one.name, other.name));
      const members = names.map(
        ({ name, product_id }) => `${JSON.stringify(name)}: ${JSON.stringify(product_id)}`,
      );
      return data(`{${members.join(", ")}}`);
    },
  });
}

/** By code unit: the order must not depend on the machine's language. */
function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function getOrder({ orders }: Database) {
  return defineTool({
    ...reads,
    name: "get_order_details",
    description: "Gets an order with its items, status and payments. Use when the order id is known.",
    schema: z.strictObject({ order_id: z.string().describe("The order's id, with its '#': '#W0000000'") }),
    execute: ({ order_id }) => recordOf<Order>(find(orders, order_id), "Order not found"),
  });
}

function getProduct({ products }: Database) {
  return defineTool({
    ...reads,
    name: "get_product_details",
    description: "Gets a product with all its variants. Use to find a variant by its options.",
    schema: z.strictObject({ product_id: z.string().describe("The product's id; not an item's id") }),
    execute: ({ product_id }) => recordOf<Product>(find(products, product_id), "Product not found"),
  });
}

function getItem({ products }: Database) {
  return defineTool({
    ...reads,
    name: "get_item_details",
    description: "Gets one variant of a product. Use when only the item id is known.",
    schema: z.strictObject({ item_id: z.string().describe("The item's id; not a product's id") }),
    execute: ({ item_id }) => {
      const found = Object.values(products).map(({ variants }) => find(variants, item_id));
      return recordOf<Variant>(
        found.find((variant) => variant !== undefined),
        "Item not found",
      );
    },
  });
}

function getUser({ users }: Database) {
  return defineTool({
    ...reads,
    name: "get_user_details",
    description: "Gets a user with address, payment methods and order ids.",
    schema: z.strictObject({ user_id: z.string().describe("The user's id, such as 'sara_doe_496'") }),
    execute: ({ user_id }) => recordOf<User>(find(users, user_id), "User not found"),
  });
}

function createCalculate() {
  return defineTool({
    ...reads,
    name: "calculate",
    description: "Calculates an arithmetic expression, such as '2 + 2', to two decimals.",
    schema: z.strictObject({
      expression: z.string().describe("Numbers, + - * / and brackets"),
    }),
    execute: ({ expression }) => calculate(expression),
  });
}

function createTransfer() {
  return defineTool({
    ...reads,
    name: "transfer_to_human_agents",
    description: "Hands the customer over to a person. Use when no other tool can do what is asked.",
    schema: z.strictObject({ summary: z.string().describe("What the customer wants, for the person") }),
    execute: () => data("Transfer successful"),
  });
}

function recordOf<Item>(record: Item | undefined, missing: string) {
  return record === undefined ? refuse(missing) : data(snapshot(record));
}

/** An answer is a copy: later changes of the record must not show in it. */
export function snapshot<Item>(record: Item): Item {
  return structuredClone(record);
}
