import { z } from "zod";
import { addTime, readIsoTime } from "../office/times.ts";
import { writer } from "../world.ts";
import type { Travel } from "./state.ts";

const twoHours = 2 * 3_600_000;

/** The tools that reserve. There is one reservation, which each of them overwrites. */
export function createReservationTools({ reservation, user }: Travel) {
  // What was set before a time that cannot be read stays set.
  const reserve = (type: string, title: string, start: string, end: (start: string) => string) => {
    reservation.contact_information = user["phone_number"]!;
    reservation.reservation_type = type;
    reservation.title = title;
    reservation.start_time = readIsoTime(start);
    reservation.end_time = end(reservation.start_time);
    return reservation;
  };
  return [
    writer(
      {
        name: "reserve_hotel",
        description: "Reserves a hotel.",
        fields: { hotel: z.string(), start_day: z.string(), end_day: z.string() },
        control: ["hotel", "start_day", "end_day"],
        execute: ({ hotel, start_day, end_day }) => {
          reserve("hotel", hotel, start_day, () => readIsoTime(end_day));
          return `Reservation for ${hotel} from ${start_day} to ${end_day} has been made successfully.`;
        },
      },
      "side_effect",
    ),
    writer(
      {
        name: "reserve_restaurant",
        description: "Reserves a table for two hours.",
        fields: { restaurant: z.string(), start_time: z.string() },
        control: ["restaurant", "start_time"],
        execute: ({ restaurant, start_time }) => {
          const made = reserve("restaurant", restaurant, start_time, (start) => addTime(start, twoHours));
          const [day, start] = made.start_time.split("T");
          const end = made.end_time.slice(11, 16);
          return `Reservation for ${restaurant} from ${start!.slice(0, 5)} to ${end} on ${day} has been made successfully.`;
        },
      },
      "side_effect",
    ),
    writer(
      {
        name: "reserve_car_rental",
        description: "Reserves a car.",
        fields: { company: z.string(), start_time: z.string(), end_time: z.string().nullable() },
        control: ["company", "start_time", "end_time"],
        execute: ({ company, start_time, end_time }) => {
          reserve("car", company, start_time, (start) => start);
          return `Reservation for a car at ${company} from ${start_time} to ${end_time ?? "None"} has been made successfully.`;
        },
      },
      "side_effect",
    ),
  ];
}
