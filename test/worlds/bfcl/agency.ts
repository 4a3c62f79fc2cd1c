import { z } from "zod";
import type { Random } from "./random.ts";
import type { Entry } from "./service.ts";

/** A travel agency's state. */
export interface Agency {
  readonly cards: Record<string, Entry>;
  readonly bookings: Record<string, Entry>;
  readonly random: Random;
  token: string | null;
  tokenType: string | null;
  expiresIn: number | null;
  scope: string | null;
  firstName: string | null;
  lastName: string | null;
  budget: number | null;
}

export const accessToken = z.string().describe("The token of the login");

/** Why a token is refused; undefined when it is right. */
export function refusedToken({ expiresIn, token }: Agency, given: string): string | undefined {
  if (expiresIn === 0) return "Token expired";
  return given === token ? undefined : "Invalid access token";
}
