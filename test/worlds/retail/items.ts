import { find, type Database, type Order, type Variant } from "./database.ts";

/** An item of an order, as it was when the call began, and the variant that takes its place. */
export interface Pair {
  readonly from: { readonly item_id: string; readonly price: number };
  readonly to: Variant;
}

/** The first id that the list names more often than the order has it. */
export function firstUncounted(order: Order, itemIds: readonly string[]): string | undefined {
  const count = (ids: readonly string[], id: string) => ids.filter((other) => other === id).length;
  const owned = order.items.map(({ item_id }) => item_id);
  return itemIds.find((id) => count(itemIds, id) > count(owned, id));
}

/** Pairs items with the variants that replace them, or says why the shop refuses. */
export function pairItems(
  { products }: Database,
  order: Order,
  itemIds: readonly string[],
  newItemIds: readonly string[],
  rule: { readonly different: boolean },
): Pair[] | string {
  const pairs: Pair[] = [];
  for (const [index, itemId] of itemIds.entries()) {
    const newId = newItemIds[index]!;
    if (rule.different && newId === itemId) return "The new item id should be different from the old item id";
    const item = order.items.find(({ item_id }) => item_id === itemId)!;
    const variant = find(find(products, item.product_id)?.variants ?? {}, newId);
    if (variant === undefined) return "Variant not found";
    if (!variant.available) return `New item ${newId} not found or available`;
    pairs.push({ from: { item_id: itemId, price: item.price }, to: variant });
  }
  return pairs;
}

/** What the new items cost more than the old ones, summed in the order of the lists; not rounded. */
export function priceDifference(pairs: readonly Pair[]): number {
  return pairs.reduce((sum, { from, to }) => sum + (to.price - from.price), 0);
}
