import { defineTool } from "@toolmount/core";
import { z } from "zod";
import { answer, error, member, read, textMember, write, type Entry, type Service } from "./service.ts";

interface Tickets {
  readonly queue: Entry[];
  counter: number;
  current: string | null;
}

/** A queue of tickets. */
export function createTickets(configuration: Entry): Service {
  const app: Tickets = {
    queue: configuration["ticket_queue"] as Entry[],
    counter: configuration["ticket_counter"] as number,
    current: configuration["current_user"] as string | null,
  };
  return {
    tools: [...accountTools(app), create(app), get(app), close(app), resolve(app), edit(app), list(app)],
    state: () => ({ ticket_queue: app.queue, ticket_counter: app.counter, current_user: app.current }),
  };
}

const ticketId = z.int().describe("The ticket's number");
const isLoggedIn = ({ current }: Tickets) => current !== null && current !== "";

/** Searches from the front; a ticket without an id, met on the way, makes the call fail. */
const findTicket = ({ queue }: Tickets, id: number) => queue.find((ticket) => member(ticket, "id") === id);
const notFound = (id: number) => error(`Ticket with ID ${id} not found.`);
const done = (id: number, what: string) => answer({ status: `Ticket ${id} has been ${what} successfully.` });

function accountTools(app: Tickets) {
  return [
    defineTool({
      ...write,
      name: "ticket_login",
      description: "Logs a user in.",
      schema: z.strictObject({ username: z.string(), password: z.string() }),
      execute: ({ username, password }) => {
        const success = username !== "" && password !== "";
        if (success) app.current = username;
        return answer({ success });
      },
    }),
    defineTool({
      ...read,
      name: "ticket_get_login_status",
      description: "Says whether a user is logged in.",
      schema: z.strictObject({}),
      execute: () => answer({ login_status: isLoggedIn(app) }),
    }),
    defineTool({
      ...write,
      name: "logout",
      description: "Logs the user out.",
      schema: z.strictObject({}),
      execute: () => {
        const success = isLoggedIn(app);
        if (success) app.current = null;
        return answer({ success });
      },
    }),
  ];
}

function create(app: Tickets) {
  return defineTool({
    ...write,
    name: "create_ticket",
    description: "Creates a ticket.",
    schema: z.strictObject({
      title: z.string(),
      description: z.string().default(""),
      priority: z.int().default(1).describe("1 to 5"),
    }),
    execute: ({ title, description, priority }) => {
      if (!isLoggedIn(app)) return error("User not authenticated. Please log in to create a ticket.");
      if (priority < 1 || priority > 5) return error("Invalid priority. Priority must be between 1 and 5.");
      const ticket = {
        id: app.counter,
        title,
        description,
        status: "Open",
        priority,
        created_by: app.current,
      };
      app.queue.push(ticket);
      app.counter += 1;
      return answer({ ...ticket });
    },
  });
}

function get(app: Tickets) {
  return defineTool({
    ...read,
    name: "get_ticket",
    description: "Gets a ticket by its number.",
    schema: z.strictObject({ ticket_id: ticketId }),
    execute: ({ ticket_id }) => {
      const ticket = findTicket(app, ticket_id);
      return ticket === undefined ? notFound(ticket_id) : answer(structuredClone(ticket));
    },
  });
}

function close(app: Tickets) {
  return defineTool({
    ...write,
    name: "close_ticket",
    description: "Closes a ticket.",
    schema: z.strictObject({ ticket_id: ticketId }),
    execute: ({ ticket_id }) => {
      const ticket = findTicket(app, ticket_id);
      if (ticket === undefined) return notFound(ticket_id);
      if (member(ticket, "status") === "Closed")
        return error(`Ticket with ID ${ticket_id} is already closed.`);
      ticket["status"] = "Closed";
      return done(ticket_id, "closed");
    },
  });
}

function resolve(app: Tickets) {
  return defineTool({
    ...write,
    name: "resolve_ticket",
    description: "Resolves a ticket, with the resolution.",
    schema: z.strictObject({ ticket_id: ticketId, resolution: z.string() }),
    execute: ({ ticket_id, resolution }) => {
      const ticket = findTicket(app, ticket_id);
      if (ticket === undefined) return notFound(ticket_id);
      if (member(ticket, "status") === "Resolved")
        return error(`Ticket with ID ${ticket_id} is already resolved.`);
      ticket["status"] = "Resolved";
      ticket["resolution"] = resolution;
      return done(ticket_id, "resolved");
    },
  });
}

const fields = {
  title: z.string().optional(),
  description: z.string().optional(),
  status: z.string().optional(),
  priority: z.int().optional(),
};

function edit(app: Tickets) {
  return defineTool({
    ...write,
    name: "edit_ticket",
    description: "Changes fields of a ticket.",
    schema: z.strictObject({ ticket_id: ticketId, updates: z.looseObject(fields) }),
    execute: ({ ticket_id, updates }) => {
      const ticket = findTicket(app, ticket_id);
      if (ticket === undefined) return notFound(ticket_id);
      const unknown = Object.keys(updates).filter((field) => !Object.hasOwn(fields, field));
      if (unknown.length > 0) return error(`Invalid fields for update: ${unknown.join(", ")}`);
      Object.assign(ticket, updates);
      return done(ticket_id, "updated");
    },
  });
}

function list(app: Tickets) {
  return defineTool({
    ...read,
    name: "get_user_tickets",
    description: "Lists the tickets of the user who is logged in.",
    schema: z.strictObject({ status: z.string().optional().describe("Only tickets of this status") }),
    execute: ({ status = "" }) => {
      if (!isLoggedIn(app))
        return answer([{ error: "User not authenticated. Please log in to view tickets." }]);
      const own = app.queue.filter((ticket) => member(ticket, "created_by") === app.current);
      const fitting = own.filter(
        (ticket) => status === "" || textMember(ticket, "status").toLowerCase() === status.toLowerCase(),
      );
      return answer(structuredClone(fitting));
    },
  });
}
