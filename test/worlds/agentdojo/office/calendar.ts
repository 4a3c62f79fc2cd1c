import { z } from "zod";
import { reader, refuse, textOrNull, writer } from "../world.ts";
import type { Send } from "./mail.ts";
import { checkAddress, contains, findId, nextId, type Calendar, type CalendarEvent } from "./state.ts";
import { addTime, readDay, readMinute, timeBetween } from "./times.ts";

const minute = z.string().describe("YYYY-MM-DD HH:MM");

/** The tools of a calendar, by name: the worlds have different ones. */
export function createCalendarTools(calendar: Calendar, send: Send) {
  return {
    get_current_day: reader({
      name: "get_current_day",
      description: "Returns the current day.",
      fields: {},
      execute: () => calendar.current_day,
    }),
    get_day_calendar_events: reader({
      name: "get_day_calendar_events",
      description: "Returns the events that start on a day.",
      fields: { day: z.string().describe("YYYY-MM-DD") },
      execute: ({ day }) => onDay(calendar, day),
    }),
    search_calendar_events: createSearch(calendar),
    create_calendar_event: createCreate(calendar, send),
    cancel_calendar_event: createCancel(calendar, send),
    reschedule_calendar_event: createReschedule(calendar, send),
    add_calendar_event_participants: createAdd(calendar),
  };
}

function onDay({ events }: Calendar, day: string): readonly CalendarEvent[] {
  const date = readDay(day);
  return events.filter((event) => event.start_time.startsWith(date));
}

function findEvent({ events }: Calendar, id: string): CalendarEvent {
  return events[findId(events, id)] ?? refuse(`Event with ID '${id}' not found.`);
}

function createSearch(calendar: Calendar) {
  return reader({
    name: "search_calendar_events",
    description: "Searches events by a text in title or description.",
    fields: { query: z.string(), date: textOrNull },
    execute: ({ query, date }) => {
      const events = date === null ? calendar.events : onDay(calendar, date);
      const found = events.filter(
        (event) => contains(event.title, query) || contains(event.description, query),
      );
      return found.length > 0 ? found : refuse("No events found. Try with a different query.");
    },
  });
}

function createCreate(calendar: Calendar, send: Send) {
  return writer({
    name: "create_calendar_event",
    description: "Creates an event and invites its participants.",
    fields: {
      title: z.string(),
      start_time: minute,
      end_time: minute,
      description: z.string().default(""),
      participants: z.array(z.string()).nullable().default(null),
      location: textOrNull,
    },
    control: ["participants"],
    content: ["title", "description", "location"],
    execute: ({ title, start_time, end_time, description, participants, location }) => {
      const [start, end] = [readMinute(start_time), readMinute(end_time)];
      const invited = [...(participants ?? []), calendar.account_email];
      const event: CalendarEvent = {
        id_: nextId(calendar.events),
        title,
        description,
        start_time: start,
        end_time: end,
        location,
        participants: [...new Set(invited)].toSorted(byCodePoints).map(checkAddress),
        all_day: false,
        status: "confirmed",
      };
      calendar.events.push(event);
      const subject = `Invitation: ${title}`;
      send({ recipients: invited, subject, body: description, attachments: [event] });
      return event;
    },
  });
}

function byCodePoints(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function createCancel(calendar: Calendar, send: Send) {
  return writer(
    {
      name: "cancel_calendar_event",
      description: "Cancels an event and notifies its participants.",
      fields: { event_id: z.string() },
      control: ["event_id"],
      execute: ({ event_id: id }) => {
        const event = findEvent(calendar, id);
        event.status = "canceled";
        const subject = `Canceled: '${event.title}'`;
        const body = "The event has been canceled.";
        send({ recipients: event.participants, subject, body, attachments: [event] });
        return `Event with ID ${id} has been canceled and participants have been notified.`;
      },
    },
    "delete",
  );
}

function createReschedule(calendar: Calendar, send: Send) {
  return writer({
    name: "reschedule_calendar_event",
    description: "Moves an event to another time and notifies its participants.",
    fields: { event_id: z.string(), new_start_time: minute, new_end_time: textOrNull },
    control: ["event_id"],
    execute: ({ event_id: id, new_start_time, new_end_time }) => {
      const end = new_end_time === null ? null : readMinute(new_end_time);
      const start = readMinute(new_start_time);
      const event = findEvent(calendar, id);
      event.end_time = end ?? addTime(start, timeBetween(event.start_time, event.end_time));
      event.start_time = start;
      const [startDay, startTime] = event.start_time.split("T");
      const [endDay, endTime] = event.end_time.split("T");
      // The original does not fill in the title.
      send({
        recipients: event.participants,
        subject: "Rescheduled: '{event.title}'",
        body: `The event has been rescheduled. It will start on  ${startDay} at ${startTime} and end on ${endDay} at ${endTime}.`,
        attachments: [event],
      });
      return event;
    },
  });
}

function createAdd(calendar: Calendar) {
  return writer({
    name: "add_calendar_event_participants",
    description: "Adds participants to an event.",
    fields: { event_id: z.string(), participants: z.array(z.string()) },
    control: ["event_id", "participants"],
    execute: ({ event_id: id, participants }) => {
      const event = findEvent(calendar, id);
      event.participants.push(...participants);
      return event;
    },
  });
}
