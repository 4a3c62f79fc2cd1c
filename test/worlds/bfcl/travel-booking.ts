import { defineTool, failure, type Json } from "@toolmount/core";
import { z } from "zod";
import { answer, error, member, printList, read, textMember, write, type Entry } from "./service.ts";
import { airports, economyFares, lookUp } from "./tables.ts";
import { isDate } from "./dates.ts";
import { accessToken, refusedToken, type Agency } from "./agency.ts";

const multipliers: Readonly<Record<string, number>> = { economy: 1, business: 2, first: 5 };
const cardId = z.string().describe("The card's id");
const bookingId = z.string().describe("The booking's id");
const flight = {
  travel_from: z.string().describe("The code of an airport"),
  travel_to: z.string().describe("The code of an airport"),
  travel_date: z.string().describe("YYYY-MM-DD"),
  travel_class: z.string().describe("economy, business or first"),
};

/** The tools that look at, make and end bookings. */
export function createBookingTools(agency: Agency) {
  return [
    flightCost(),
    book(agency),
    cancel(agency),
    insure(agency),
    balance(agency),
    invoice(agency),
    history(agency),
    support(agency),
  ];
}

/** What a flight costs; a text says why there is none. Dates whose digits add up to an even number cost double. */
function costOf(from: string, to: string, date: string, travelClass: string): number | string {
  const fare = lookUp(economyFares, `${from}-${to}`);
  if (fare === undefined) return "No available route for the given airports.";
  const multiplier = lookUp(multipliers, travelClass);
  if (multiplier === undefined) return "Invalid travel class. Options are: economy, business, first.";
  const digits = Array.from(date.replaceAll(/\D/g, "")).reduce((sum, digit) => sum + Number(digit), 0);
  return fare * multiplier * (digits % 2 === 0 ? 2 : 1);
}

function flightCost() {
  return defineTool({
    ...read,
    name: "get_flight_cost",
    description: "Says what a flight costs.",
    schema: z.strictObject(flight),
    execute: ({ travel_from, travel_to, travel_date, travel_class }) => {
      const cost = costOf(travel_from, travel_to, travel_date, travel_class);
      return typeof cost === "string"
        ? failure(cost, { code: "NO_FLIGHT" })
        : answer({ travel_cost_list: [cost] });
    },
  });
}

function book(agency: Agency) {
  const refuse = (words: string) => answer({ booking_status: false, error: words });
  return defineTool({
    ...write,
    name: "book_flight",
    description: "Books a flight and pays it with a card.",
    schema: z.strictObject({ access_token: accessToken, card_id: cardId, ...flight }),
    execute: ({ access_token, card_id, travel_date, travel_from, travel_to, travel_class }) => {
      const refused = refusedToken(agency, access_token);
      if (refused !== undefined) return refuse(refused);
      const card = lookUp(agency.cards, card_id);
      if (card === undefined) return refuse("Card not registered");
      if (!Object.hasOwn(card, "balance")) return refuse("Balance not found");
      if (!airports.includes(travel_from)) return refuse(`Invalid departure airport code: ${travel_from}`);
      if (!airports.includes(travel_to)) return refuse(`Invalid destination airport code: ${travel_to}`);
      if (!isDate(travel_date)) return refuse("Invalid date format. Use YYYY-MM-DD.");
      const cost = costOf(travel_from, travel_to, travel_date, travel_class);
      if (typeof cost === "string") return refuse(cost);
      const held = card["balance"] as number;
      if (held < cost) return refuse("Insufficient funds");
      if (agency.budget !== null && held < agency.budget) return refuse("Balance is less than budget limit");
      card["balance"] = held - cost;
      const booking_id = String(agency.random.integer(1_000_000, 9_999_999));
      const transaction_id = String(agency.random.integer(10_000_000, 99_999_999));
      agency.bookings[booking_id] = {
        card_id,
        travel_date,
        travel_from,
        travel_to,
        travel_class,
        travel_cost: cost,
        transaction_id,
      };
      return answer({ booking_id, transaction_id, booking_status: true, booking_history: {} });
    },
  });
}

function cancel(agency: Agency) {
  const refuse = (words: string) => answer({ cancel_status: false, error: words });
  return defineTool({
    ...write,
    name: "cancel_booking",
    description: "Cancels a booking; its cost goes back to the card.",
    schema: z.strictObject({ access_token: accessToken, booking_id: bookingId }),
    execute: ({ access_token, booking_id }) => {
      const refused = refusedToken(agency, access_token);
      if (refused !== undefined) return refuse(refused);
      const booking = lookUp(agency.bookings, booking_id);
      if (booking === undefined) return refuse("Booking not found");
      const cost = member(booking, "travel_cost") as number;
      const card = member(agency.cards, textMember(booking, "card_id")) as Entry;
      card["balance"] = (member(card, "balance") as number) + cost;
      delete agency.bookings[booking_id];
      return answer({ cancel_status: true });
    },
  });
}

function insure(agency: Agency) {
  const refuse = (words: string) => answer({ insurance_status: false, error: words });
  return defineTool({
    ...write,
    name: "purchase_insurance",
    description: "Buys insurance for a booking.",
    schema: z.strictObject({
      access_token: accessToken,
      insurance_type: z.string(),
      insurance_cost: z.number(),
      booking_id: bookingId,
      card_id: cardId,
    }),
    execute: ({ access_token, insurance_cost, booking_id, card_id }) => {
      const refused = refusedToken(agency, access_token);
      if (refused !== undefined) return refuse(refused);
      if (agency.budget !== null && agency.budget < insurance_cost) return refuse("Exceeded budget limit");
      if (!Object.hasOwn(agency.bookings, booking_id)) return refuse("Booking not found");
      const card = lookUp(agency.cards, card_id);
      if (card === undefined) return refuse("Credit card not registered");
      card["balance"] = (member(card, "balance") as number) - insurance_cost;
      const insurance_id = String(agency.random.integer(100_000_000, 999_999_999));
      return answer({ insurance_id, insurance_status: true });
    },
  });
}

function balance(agency: Agency) {
  return defineTool({
    ...read,
    name: "get_credit_card_balance",
    description: "Shows the balance of a card.",
    schema: z.strictObject({ access_token: accessToken, card_id: cardId }),
    execute: ({ access_token, card_id }) => {
      const refused = refusedToken(agency, access_token);
      if (refused !== undefined) return error(refused);
      const card = lookUp(agency.cards, card_id);
      const known = printList(Object.keys(agency.cards));
      return card === undefined
        ? error(`Card not registered. Here are a list of card_id's: ${known}`)
        : answer({ card_balance: member(card, "balance") });
    },
  });
}

const invoiceMembers = [
  "travel_date",
  "travel_from",
  "travel_to",
  "travel_class",
  "travel_cost",
  "transaction_id",
];

function invoice(agency: Agency) {
  return defineTool({
    ...read,
    name: "retrieve_invoice",
    description: "Shows the invoice of a booking.",
    schema: z.strictObject({
      access_token: accessToken,
      booking_id: bookingId.optional(),
      insurance_id: z.string().optional(),
    }),
    execute: ({ access_token, booking_id }) => {
      const refused = refusedToken(agency, access_token);
      if (refused !== undefined) return error(refused);
      const booking = booking_id === undefined ? undefined : lookUp(agency.bookings, booking_id);
      if (booking_id === undefined || booking === undefined) return error("Booking not found");
      const members = invoiceMembers.map((name) => [name, member(booking, name)] as const);
      return answer({ invoice: { booking_id, ...Object.fromEntries(members) } });
    },
  });
}

function history(agency: Agency) {
  return defineTool({
    ...read,
    name: "get_booking_history",
    description: "Lists all bookings.",
    schema: z.strictObject({ access_token: accessToken }),
    execute: ({ access_token }) => {
      const refused = refusedToken(agency, access_token);
      if (refused !== undefined) return error(refused);
      return answer({ booking_history: structuredClone(agency.bookings) as Json });
    },
  });
}

function support(agency: Agency) {
  return defineTool({
    ...read,
    name: "contact_customer_support",
    description: "Sends a message about a booking to a person.",
    schema: z.strictObject({ booking_id: bookingId, message: z.string() }),
    execute: ({ booking_id }) =>
      Object.hasOwn(agency.bookings, booking_id)
        ? answer({
            customer_support_message:
              "Thank you for contacting customer support. Your message has been received and we will get back to you shortly.",
          })
        : error("Booking not found"),
  });
}
