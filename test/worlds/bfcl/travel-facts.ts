import { defineTool, failure } from "@toolmount/core";
import { z } from "zod";
import { roundTo } from "./rounding.ts";
import { answer, read } from "./service.ts";
import { airportOfCity, airports, exchangeRates, lookUp } from "./tables.ts";
import { isDate } from "./dates.ts";
import type { Agency } from "./agency.ts";

/** The tools that need no login. */
export function createTravelFacts(agency: Agency) {
  return [fiscalYear(), exchange(), listAirports(), nearestAirport(), verify(agency)];
}

function fiscalYear() {
  return defineTool({
    ...read,
    name: "get_budget_fiscal_year",
    description: "Says which fiscal year the budget is of.",
    schema: z.strictObject({
      lastModifiedAfter: z.string().optional(),
      includeRemoved: z.string().optional(),
    }),
    execute: () => answer({ budget_fiscal_year: "2018" }),
  });
}

function exchange() {
  return defineTool({
    ...read,
    name: "compute_exchange_rate",
    description: "Converts an amount between two currencies.",
    schema: z.strictObject({ base_currency: z.string(), target_currency: z.string(), value: z.number() }),
    execute: ({ base_currency: base, target_currency: target, value }) => {
      const rate = lookUp(exchangeRates, `${base}-${target}`);
      if (rate !== undefined) return answer({ exchanged_value: value * rate });
      const inverse = lookUp(exchangeRates, `${target}-${base}`);
      if (inverse !== undefined) return answer({ exchanged_value: roundTo(value / inverse, 2) });
      return failure("No available exchange rate for the given currencies.", { code: "NO_RATE" });
    },
  });
}

function listAirports() {
  return defineTool({
    ...read,
    name: "list_all_airports",
    description: "Lists the codes of all airports.",
    schema: z.strictObject({}),
    execute: () => answer([...airports]),
  });
}

function nearestAirport() {
  return defineTool({
    ...read,
    name: "get_nearest_airport_by_city",
    description: "Finds the airport of a city.",
    schema: z.strictObject({ location: z.string().describe("The city's name") }),
    execute: ({ location }) => answer({ nearest_airport: lookUp(airportOfCity, location) ?? "Unknown" }),
  });
}

function verify(agency: Agency) {
  const refuse = (words: string) => answer({ verification_status: false, verification_failure: words });
  return defineTool({
    ...read,
    name: "verify_traveler_information",
    description: "Checks the data of a traveller against the login.",
    schema: z.strictObject({
      first_name: z.string(),
      last_name: z.string(),
      date_of_birth: z.string().describe("YYYY-MM-DD"),
      passport_number: z.string(),
    }),
    execute: ({ first_name, last_name, date_of_birth, passport_number }) => {
      const { firstName, lastName } = agency;
      if (first_name !== firstName || last_name !== lastName)
        return refuse(
          `Cannot book flight information for another user.Expected ${firstName ?? "None"} ${lastName ?? "None"}, got ${first_name} ${last_name}`,
        );
      if (!isDate(date_of_birth)) return refuse("Invalid date of birth format. Please use YYYY-MM-DD.");
      if (ageOf(date_of_birth, new Date()) < 18) return refuse("Traveler must be at least 18 years old.");
      if (!passport_number.startsWith("US")) return refuse("Passport must be issued by the United States.");
      return answer({ verification_status: true });
    },
  });
}

function ageOf(birth: string, today: Date): number {
  const now = today.toISOString().slice(0, 10);
  const years = Number(now.slice(0, 4)) - Number(birth.slice(0, 4));
  return now.slice(5) < birth.slice(5) ? years - 1 : years;
}
