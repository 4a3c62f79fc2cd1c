import { defineTool, type Json } from "@toolmount/core";
import { z } from "zod";
import { accessToken, refusedToken, type Agency } from "./agency.ts";
import { createRandom } from "./random.ts";
import { answer, error, read, write, type Entry, type Service } from "./service.ts";
import { createBookingTools } from "./travel-booking.ts";
import { createTravelFacts } from "./travel-facts.ts";

/** A travel agency: flights, bookings and credit cards. */
export function createTravel(configuration: Entry): Service {
  const agency: Agency = {
    cards: configuration["credit_card_list"] as Record<string, Entry>,
    bookings: configuration["booking_record"] as Record<string, Entry>,
    random: createRandom(Number(configuration["random_seed"] ?? 141_053)),
    token: configuration["access_token"] as string | null,
    tokenType: configuration["token_type"] as string | null,
    expiresIn: configuration["token_expires_in"] as number | null,
    scope: configuration["token_scope"] as string | null,
    firstName: configuration["user_first_name"] as string | null,
    lastName: configuration["user_last_name"] as string | null,
    budget: configuration["budget_limit"] as number | null,
  };
  return {
    tools: [
      ...loginTools(agency),
      ...cardTools(agency),
      ...createBookingTools(agency),
      ...createTravelFacts(agency),
    ],
    state: () => ({
      credit_card_list: agency.cards,
      booking_record: agency.bookings,
      access_token: agency.token,
      token_type: agency.tokenType,
      token_expires_in: agency.expiresIn,
      token_scope: agency.scope,
      user_first_name: agency.firstName,
      user_last_name: agency.lastName,
      budget_limit: agency.budget,
    }),
  };
}

function loginTools(agency: Agency) {
  return [
    defineTool({
      ...write,
      name: "authenticate_travel",
      description: "Logs a traveller in and gives an access token.",
      schema: z.strictObject({
        client_id: z.string(),
        client_secret: z.string(),
        refresh_token: z.string(),
        grant_type: z.string(),
        user_first_name: z.string(),
        user_last_name: z.string(),
      }),
      execute: ({ grant_type, user_first_name, user_last_name }) => {
        const token = String(agency.random.integer(100_000, 999_999));
        agency.token = token;
        agency.tokenType = "Bearer";
        agency.expiresIn = 2;
        agency.scope = grant_type;
        agency.firstName = user_first_name;
        agency.lastName = user_last_name;
        return answer({ expires_in: 2, access_token: token, token_type: "Bearer", scope: grant_type });
      },
    }),
    defineTool({
      ...read,
      name: "travel_get_login_status",
      description: "Says whether a traveller is logged in.",
      schema: z.strictObject({}),
      execute: () => answer({ status: agency.expiresIn !== null && agency.expiresIn !== 0 }),
    }),
    defineTool({
      ...write,
      name: "set_budget_limit",
      description: "Sets how much the traveller may spend.",
      schema: z.strictObject({ access_token: accessToken, budget_limit: z.number() }),
      execute: ({ access_token, budget_limit }) => {
        const refused = refusedToken(agency, access_token);
        if (refused !== undefined) return error(refused);
        agency.budget = budget_limit;
        return answer({ budget_limit });
      },
    }),
  ];
}

function cardTools(agency: Agency) {
  return [
    defineTool({
      ...write,
      name: "register_credit_card",
      description: "Registers a credit card.",
      schema: z.strictObject({
        access_token: accessToken,
        card_number: z.string(),
        expiration_date: z.string(),
        cardholder_name: z.string(),
        card_verification_number: z.int(),
      }),
      execute: ({ access_token, ...card }) => {
        if (agency.expiresIn === null) return error("Token not initialized");
        const refused = refusedToken(agency, access_token);
        if (refused !== undefined) return error(refused);
        if (Object.hasOwn(agency.cards, card.card_number)) return error("Card already registered");
        const id = String(agency.random.integer(100_000_000_000, 999_999_999_999));
        agency.cards[id] = { ...card, balance: agency.random.integer(10_000, 99_999) };
        return answer({ card_id: id });
      },
    }),
    defineTool({
      ...read,
      name: "get_all_credit_cards",
      description: "Lists the registered credit cards.",
      schema: z.strictObject({}),
      execute: () => answer({ credit_card_list: structuredClone(agency.cards) as Json }),
    }),
  ];
}
