/** Values of the members that decide how careful people are with a tool, the mildest first. */
const orders: Readonly<Record<string, readonly unknown[]>> = {
  category: ["read", "write", "side_effect", "delete", undefined],
  consequenceLevel: ["low", "medium", "high", undefined],
  requiresConfirmation: [false, "dynamic", true],
  irreversible: [undefined, true],
};

/** Whether a tool says of itself now that it needs less care: it asks no longer, or its category is milder. */
export function isMilder(path: string, before: unknown, now: unknown): boolean {
  const order = orders[path];
  if (order === undefined) return false;
  const [was, is] = [order.indexOf(before), order.indexOf(now)];
  return is !== -1 && is < (was === -1 ? order.length : was);
}
