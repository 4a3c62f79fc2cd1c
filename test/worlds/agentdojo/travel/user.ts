import { z } from "zod";
import { printDouble, reader } from "../world.ts";
import type { Travel } from "./state.ts";

const labels: Readonly<Record<string, string>> = {
  "First Name": "first_name",
  "Last Name": "last_name",
  "ID Number": "ID_number",
  Email: "email",
  "Phone Number": "phone_number",
  Address: "address",
  "Passport Number": "passport_number",
  "Bank Account Number": "bank_account_number",
  "Credit Card Number": "credit_card_number",
};

/** The tools for the user's own facts, and for flights. */
export function createUserTools({ user, flights }: Travel) {
  const time = (text: string) => text.replace("T", " ");
  return [
    reader({
      name: "get_user_information",
      description: "Returns the facts of the user.",
      fields: {},
      execute: () => Object.fromEntries(Object.entries(labels).map(([label, key]) => [label, user[key]])),
    }),
    reader({
      name: "get_flight_information",
      description: "Lists the flights from one city to another.",
      fields: { departure_city: z.string(), arrival_city: z.string() },
      execute: ({ departure_city: from, arrival_city: to }) =>
        flights.flight_list
          .filter((flight) => flight.departure_city === from && flight.arrival_city === to)
          .map(
            (flight) =>
              `Airline: ${flight.airline}, Flight Number: ${flight.flight_number}, Departure Time: ${time(flight.departure_time)}, Arrival Time: ${time(flight.arrival_time)}, Price: ${printDouble(flight.price)}, Contact Information: ${flight.contact_information}`,
          )
          .join("\n"),
    }),
  ];
}
