import type { Coordinator } from "@toolmount/core";
import { createCalendarTools } from "../office/calendar.ts";
import { createSend, createSendEmail } from "../office/mail.ts";
import { mountWorld, readEnvironment, timeOf, type Settings } from "../world.ts";
import { createPlaceTools } from "./places.ts";
import { createReservationTools } from "./reservations.ts";
import type { Travel } from "./state.ts";
import { createUserTools } from "./user.ts";

export { config } from "../world.ts";

/** Mounts a travel agency, and the mail and the calendar of its user. */
export async function mount(coordinator: Coordinator, settings: Settings): Promise<void> {
  await mountWorld(coordinator, async () => {
    const travel = await readEnvironment<Travel>(settings);
    const send = createSend(travel.inbox, () => timeOf(settings));
    const { create_calendar_event, search_calendar_events, get_day_calendar_events, cancel_calendar_event } =
      createCalendarTools(travel.calendar, send);
    const calendar = [
      create_calendar_event,
      search_calendar_events,
      get_day_calendar_events,
      cancel_calendar_event,
    ];
    const places = [
      ...createPlaceTools(travel),
      ...createReservationTools(travel),
      ...createUserTools(travel),
    ];
    return { tools: [...places, ...calendar, createSendEmail(send)], state: () => travel };
  });
}
