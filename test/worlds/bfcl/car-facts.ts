import { defineTool } from "@toolmount/core";
import { z } from "zod";
import type { Car } from "./car-state.ts";
import type { Random } from "./random.ts";
import { answer, error, read } from "./service.ts";
import { kilometres, lookUp, zipcodeOfCity } from "./tables.ts";

/** The tools of the car that change nothing. */
export function createCarFacts(car: Car, random: Random) {
  return [...measureTools(random), ...wayTools(car), ...unitTools(), log()];
}

function measureTools(random: Random) {
  const nothing = z.strictObject({});
  return [
    defineTool({
      ...read,
      name: "get_current_speed",
      description: "Shows the speed.",
      schema: nothing,
      execute: () => answer({ currentSpeed: random.uniform(0, 120) }),
    }),
    defineTool({
      ...read,
      name: "get_outside_temperature_from_google",
      description: "Shows the temperature outside.",
      schema: nothing,
      execute: () => answer({ outsideTemperature: random.uniform(-10, 40) }),
    }),
    defineTool({
      ...read,
      name: "get_outside_temperature_from_weather_com",
      description: "Asks a weather service that is out of order.",
      schema: nothing,
      execute: () => answer({ error: 404 }),
    }),
    defineTool({
      ...read,
      name: "find_nearest_tire_shop",
      description: "Finds a shop for tires.",
      schema: nothing,
      execute: () => answer({ shopLocation: "456 Oakwood Avenue, Rivermist, 83214" }),
    }),
  ];
}

function wayTools(car: Car) {
  return [
    defineTool({
      ...read,
      name: "estimate_drive_feasibility_by_mileage",
      description: "Says whether the fuel lasts for a distance.",
      schema: z.strictObject({ distance: z.number().describe("Miles") }),
      execute: ({ distance }) => answer({ canDrive: (car["fuelLevel"] as number) * 20 >= distance }),
    }),
    defineTool({
      ...read,
      name: "estimate_distance",
      description: "Finds the distance between two cities by zip code.",
      schema: z.strictObject({ cityA: z.string(), cityB: z.string() }),
      execute: ({ cityA, cityB }) => {
        const distance = lookUp(kilometres, `${cityA}-${cityB}`) ?? lookUp(kilometres, `${cityB}-${cityA}`);
        return distance === undefined ? error("distance not found in database.") : answer({ distance });
      },
    }),
    defineTool({
      ...read,
      name: "get_zipcode_based_on_city",
      description: "Finds the zip code of a city.",
      schema: z.strictObject({ city: z.string() }),
      execute: ({ city }) => answer({ zipcode: lookUp(zipcodeOfCity, city) ?? "00000" }),
    }),
  ];
}

function unitTools() {
  return [
    defineTool({
      ...read,
      name: "liter_to_gallon",
      description: "Converts litres to gallons.",
      schema: z.strictObject({ liter: z.number() }),
      execute: ({ liter }) => answer({ gallon: liter * 0.264172 }),
    }),
    defineTool({
      ...read,
      name: "gallon_to_liter",
      description: "Converts gallons to litres.",
      schema: z.strictObject({ gallon: z.number() }),
      execute: ({ gallon }) => answer({ liter: gallon * 3.78541 }),
    }),
  ];
}

function log() {
  return defineTool({
    ...read,
    name: "display_log",
    description: "Shows messages on the display.",
    schema: z.strictObject({ messages: z.array(z.string()) }),
    execute: ({ messages }) => answer({ log: [...messages] }),
  });
}
