import { readFile } from "node:fs/promises";
import { failure } from "@toolmount/core";
import { z } from "zod";

const address = z.strictObject({
  address1: z.string(),
  address2: z.string(),
  city: z.string(),
  country: z.string(),
  state: z.string(),
  zip: z.string(),
});

const variant = z.looseObject({
  item_id: z.string(),
  options: z.record(z.string(), z.string()),
  available: z.boolean(),
  price: z.number(),
});

const product = z.looseObject({
  name: z.string(),
  product_id: z.string(),
  variants: z.record(z.string(), variant),
});

const paymentMethod = z.looseObject({ source: z.string(), id: z.string(), balance: z.number().optional() });

const user = z.looseObject({
  user_id: z.string(),
  name: z.strictObject({ first_name: z.string(), last_name: z.string() }),
  address,
  email: z.string(),
  payment_methods: z.record(z.string(), paymentMethod),
});

const item = z.looseObject({
  product_id: z.string(),
  item_id: z.string(),
  price: z.number(),
  options: z.record(z.string(), z.string()),
});

const payment = z.strictObject({
  transaction_type: z.enum(["payment", "refund"]),
  amount: z.number(),
  payment_method_id: z.string(),
});

const order = z.looseObject({
  order_id: z.string(),
  user_id: z.string(),
  address,
  items: z.array(item),
  status: z.string(),
  payment_history: z.array(payment),
});

const database = z.strictObject({
  products: z.record(z.string(), product),
  users: z.record(z.string(), user),
  orders: z.record(z.string(), order),
});

export type Address = z.output<typeof address>;
export type Variant = z.output<typeof variant>;
export type Product = z.output<typeof product>;
export type PaymentMethod = z.output<typeof paymentMethod>;
export type User = z.output<typeof user>;
export type Payment = z.output<typeof payment>;

/** What an action on an order sets; `null` until then. */
export interface OrderChanges {
  cancel_reason: string | null;
  exchange_items: string[] | null;
  exchange_new_items: string[] | null;
  exchange_payment_method_id: string | null;
  exchange_price_difference: number | null;
  return_items: string[] | null;
  return_payment_method_id: string | null;
}

export type Order = z.output<typeof order> & OrderChanges;

/** The shop's three tables, by id. */
export interface Database {
  readonly products: Record<string, Product>;
  readonly users: Record<string, User>;
  readonly orders: Record<string, Order>;
}

/**
 * Reads the file of a database. The file is never written, and a process reads it once: the records are frozen, and
 * each host has tables of its own, in which {@link change} replaces what it changes by a copy.
 */
export async function readDatabase(path: string): Promise<Database> {
  if (parsed?.path !== path) parsed = { path, database: freeze(parseDatabase(await readFile(path, "utf8"))) };
  const { products, users, orders } = parsed.database;
  return { products: { ...products }, users: { ...users }, orders: { ...orders } };
}

/** The database that was read last. */
let parsed: { readonly path: string; readonly database: Database } | undefined;

function parseDatabase(text: string): Database {
  const { products, users, orders } = database.parse(JSON.parse(text));
  const unchanged: OrderChanges = {
    cancel_reason: null,
    exchange_items: null,
    exchange_new_items: null,
    exchange_payment_method_id: null,
    exchange_price_difference: null,
    return_items: null,
    return_payment_method_id: null,
  };
  const entries = Object.entries(orders).map(([id, found]) => [id, { ...unchanged, ...found }] as const);
  return { products, users, orders: Object.fromEntries(entries) };
}

/** Freezes a JSON value and all that it contains. */
function freeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

/** The record of an id. Names that every object has, such as `constructor`, are no ids. */
export function find<Item>(table: Readonly<Record<string, Item>>, id: string): Item | undefined {
  return Object.hasOwn(table, id) ? table[id] : undefined;
}

/** The record of an id, to be changed: the host's own copy of it. */
export function change<Item>(table: Record<string, Item>, id: string): Item | undefined {
  const found = find(table, id);
  if (found === undefined || !Object.isFrozen(found)) return found;
  return (table[id] = structuredClone(found));
}

/** The shop refuses an action; nothing has changed. */
export const refuse = (words: string) => failure(words, { code: "REFUSED" });
