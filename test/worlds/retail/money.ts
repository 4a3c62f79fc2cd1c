import type { PaymentMethod } from "./database.ts";

/**
 * Rounds an amount to two decimals. A tie goes to the even digit, as in Python's `round`.
 *
 * `toFixed` looks at the exact binary value, so it differs only at a tie. A double holds a tie of two decimals exactly
 * only when it is an odd multiple of an eighth.
 */
export function roundMoney(amount: number): number {
  if (!Number.isFinite(amount) || amount === 0) return amount;
  if (Math.abs((amount * 8) % 2) !== 1) return Number(amount.toFixed(2));
  const below = Math.floor(amount * 100);
  return (below % 2 === 0 ? below : below + 1) / 100;
}

export function isGiftCard(method: PaymentMethod): method is PaymentMethod & { balance: number } {
  return method.source === "gift_card";
}

/** Whether the method can pay the amount: only a gift card can be too small. */
export function covers(method: PaymentMethod, amount: number): boolean {
  return !isGiftCard(method) || method.balance >= amount;
}

/** Adds an amount to a gift card, or takes a negative one from it. Other methods keep no balance. */
export function credit(method: PaymentMethod | undefined, amount: number): void {
  if (method !== undefined && isGiftCard(method)) method.balance = roundMoney(method.balance + amount);
}
