import { isDeepStrictEqual } from "node:util";
import { defineTool, failure, type Json } from "@toolmount/core";
import { z } from "zod";
import { createRandom, type Random } from "./random.ts";
import { answer, error, read, write, type Entry, type Service } from "./service.ts";

interface Messages {
  /** Ids by name, in the order in which they came: as members of an object, names of digits would come first. */
  readonly users: Map<string, string>;
  readonly inbox: Record<string, Json>[];
  readonly ids: Set<number>;
  readonly random: Random;
  userCount: number;
  messageCount: number;
  current: string | null;
}

/** Messages between the users of a workspace. */
export function createMessages(configuration: Entry): Service {
  const app: Messages = {
    users: new Map(Object.entries(configuration["user_map"] as Record<string, string>)),
    inbox: configuration["inbox"] as Record<string, Json>[],
    ids: new Set(configuration["generated_ids"] as number[]),
    random: createRandom(Number(configuration["random_seed"] ?? 200_191)),
    userCount: configuration["user_count"] as number,
    messageCount: configuration["message_count"] as number,
    current: configuration["current_user"] as string | null,
  };
  return {
    tools: [...accountTools(app), ...userTools(app), send(app), remove(app), ...inboxTools(app)],
    state: () => ({
      generated_ids: [...app.ids].toSorted((one, other) => one - other),
      user_count: app.userCount,
      user_map: Object.fromEntries(app.users),
      inbox: app.inbox,
      message_count: app.messageCount,
      current_user: app.current,
    }),
  };
}

const isLoggedIn = ({ current }: Messages) => current !== null && current !== "";
const needsLogin = () => error("No user is currently logged in.");

const hasId = ({ users }: Messages, id: string) => [...users.values()].includes(id);

/** An entry of the inbox has one member; of several the first counts. */
const entryOf = (message: Record<string, Json>) => Object.entries(message)[0]!;

function accountTools(app: Messages) {
  return [
    defineTool({
      ...write,
      name: "message_login",
      description: "Logs a user in by id.",
      schema: z.strictObject({ user_id: z.string() }),
      execute: ({ user_id }) => {
        if (!hasId(app, user_id))
          return answer({ login_status: false, message: `User ID '${user_id}' not found.` });
        app.current = user_id;
        return answer({ login_status: true, message: `User '${user_id}' logged in successfully.` });
      },
    }),
    defineTool({
      ...read,
      name: "message_get_login_status",
      description: "Says whether a user is logged in.",
      schema: z.strictObject({}),
      execute: () => answer({ login_status: isLoggedIn(app) }),
    }),
  ];
}

function userTools(app: Messages) {
  return [
    defineTool({
      ...read,
      name: "list_users",
      description: "Lists the names of all users.",
      schema: z.strictObject({}),
      execute: () => answer({ user_list: [...app.users.keys()] }),
    }),
    defineTool({
      ...read,
      name: "get_user_id",
      description: "Finds a user's id by name.",
      schema: z.strictObject({ user: z.string() }),
      execute: ({ user }) => {
        const id = app.users.get(user);
        return id === undefined
          ? error(`User '${user}' not found in the workspace.`)
          : answer({ user_id: id });
      },
    }),
    defineTool({
      ...write,
      name: "add_contact",
      description: "Adds a user to the workspace.",
      schema: z.strictObject({ user_name: z.string() }),
      execute: ({ user_name: name }) => {
        if (app.users.has(name)) return error(`User name '${name}' already exists.`);
        app.userCount += 1;
        const id = `USR${String(app.userCount).padStart(3, "0")}`;
        if (hasId(app, id)) return error(`User ID '${id}' already exists.`);
        app.users.set(name, id);
        return answer({ added_status: true, user_id: id, message: `Contact '${name}' added successfully.` });
      },
    }),
  ];
}

function send(app: Messages) {
  return defineTool({
    ...write,
    name: "send_message",
    description: "Sends a message to a user.",
    schema: z.strictObject({ receiver_id: z.string(), message: z.string() }),
    execute: ({ receiver_id, message }) => {
      if (!isLoggedIn(app)) return needsLogin();
      if (!hasId(app, receiver_id)) return error(`Receiver ID '${receiver_id}' not found.`);
      let id = app.random.integer(10_000, 99_999);
      while (app.ids.has(id)) id = app.random.integer(10_000, 99_999);
      app.ids.add(id);
      app.inbox.push({ [receiver_id]: message });
      app.messageCount += 1;
      return answer({
        sent_status: true,
        message_id: { new_id: id },
        message: `Message sent to '${receiver_id}' successfully.`,
      });
    },
  });
}

function remove(app: Messages) {
  return defineTool({
    ...write,
    name: "delete_message",
    description: "Deletes the latest message to a user.",
    schema: z.strictObject({ receiver_id: z.string() }),
    execute: ({ receiver_id }) => {
      if (!isLoggedIn(app)) return needsLogin();
      const latest = app.inbox.findLast((message) => entryOf(message)[0] === receiver_id);
      if (latest === undefined) return error(`Receiver ID ${receiver_id} not found.`);
      // Of messages that are equal the first one goes.
      app.inbox.splice(
        app.inbox.findIndex((message) => isDeepStrictEqual(message, latest)),
        1,
      );
      return answer({
        deleted_status: true,
        receiver_id,
        message: `Receiver ${receiver_id}'s latest message deleted successfully.`,
      });
    },
  });
}

function inboxTools(app: Messages) {
  return [
    defineTool({
      ...read,
      name: "view_messages_sent",
      description: "Shows all messages by receiver.",
      schema: z.strictObject({}),
      execute: () => {
        if (!isLoggedIn(app)) return needsLogin();
        const messages = new Map<string, Json[]>();
        for (const message of app.inbox) {
          const [receiver, text] = entryOf(message);
          messages.set(receiver, [...(messages.get(receiver) ?? []), text]);
        }
        return answer({ messages: Object.fromEntries(messages) });
      },
    }),
    defineTool({
      ...read,
      name: "search_messages",
      description: "Finds messages that contain a word.",
      schema: z.strictObject({ keyword: z.string() }),
      execute: ({ keyword }) => {
        if (!isLoggedIn(app)) return needsLogin();
        const entries = app.inbox.map(entryOf);
        if (!entries.every((entry): entry is [string, string] => typeof entry[1] === "string"))
          return failure("a message is not a text", { code: "NOT_TEXT" });
        const found = entries.filter(([, text]) => text.toLowerCase().includes(keyword.toLowerCase()));
        return answer({ results: found.map(([receiver_id, message]) => ({ receiver_id, message })) });
      },
    }),
    defineTool({
      ...read,
      name: "get_message_stats",
      description: "Counts messages and the users who got them.",
      schema: z.strictObject({}),
      execute: () => {
        if (!isLoggedIn(app)) return needsLogin();
        const receivers = new Set(app.inbox.map((message) => entryOf(message)[0]));
        return answer({ stats: { received_count: app.inbox.length, total_contacts: receivers.size } });
      },
    }),
  ];
}
