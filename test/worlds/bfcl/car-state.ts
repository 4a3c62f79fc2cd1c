import type { Entry } from "./service.ts";

/** A car. Its members are those of its state. */
export type Car = Entry & { doorStatus: Record<string, string>; remainingUnlockedDoors: number };
