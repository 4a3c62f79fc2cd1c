import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import { mountWorld, readEnvironment, reader, refuse, writer, type Settings } from "../world.ts";

export { config } from "../world.ts";

interface Message {
  readonly sender: string;
  readonly recipient: string;
  readonly body: string;
}

interface Slack {
  readonly slack: {
    readonly users: string[];
    readonly channels: string[];
    readonly user_channels: Record<string, string[]>;
    readonly user_inbox: Record<string, Message[]>;
    readonly channel_inbox: Record<string, Message[]>;
  };
  readonly web: { readonly web_content: Record<string, string>; readonly web_requests: string[] };
}

/** Mounts a chat with channels, users and inboxes, and web pages. */
export async function mount(coordinator: Coordinator, settings: Settings): Promise<void> {
  await mountWorld(coordinator, async () => {
    const world = await readEnvironment<Slack>(settings);
    const tools = [...readers(world), ...messages(world), ...members(world), ...web(world)];
    return { tools, state: () => world };
  });
}

function requireUser({ slack }: Slack, user: string): void {
  if (!slack.users.includes(user)) refuse(`User ${user} not found in the users list`);
}

function requireChannel({ slack }: Slack, channel: string): void {
  if (!slack.channels.includes(channel)) refuse(`Channel ${channel} not found in the channels list`);
}

const channel = z.string().describe("Name of the channel");
const user = z.string().describe("Name of the user");

function readers(world: Slack) {
  const { slack } = world;
  return [
    reader({
      name: "get_channels",
      description: "Lists the channels.",
      fields: {},
      execute: () => slack.channels,
    }),
    reader({
      name: "read_channel_messages",
      description: "Returns the messages of a channel.",
      fields: { channel },
      execute: (given) => {
        if (!slack.channels.includes(given.channel)) refuse("Channel does not exist!");
        return own(slack.channel_inbox, given.channel) ?? [];
      },
    }),
    reader({
      name: "read_inbox",
      description: "Returns the messages in the inbox of a user.",
      fields: { user },
      execute: (given) => {
        requireUser(world, given.user);
        return own(slack.user_inbox, given.user) ?? [];
      },
    }),
    reader({
      name: "get_users_in_channel",
      description: "Lists the users of a channel.",
      fields: { channel },
      execute: (given) => {
        requireChannel(world, given.channel);
        const lists = Object.entries(slack.user_channels);
        return lists.filter(([, list]) => list.includes(given.channel)).map(([name]) => name);
      },
    }),
  ];
}

function messages(world: Slack) {
  const { slack } = world;
  return [
    writer(
      {
        name: "send_direct_message",
        description: "Sends a message to a user.",
        fields: { recipient: user, body: z.string() },
        control: ["recipient"],
        content: ["body"],
        execute: ({ recipient, body }) => {
          if (!slack.users.includes(recipient)) refuse(`Recipient ${recipient} not found in the users list`);
          put(slack.user_inbox, recipient, { sender: "bot", recipient, body });
        },
      },
      "side_effect",
    ),
    writer(
      {
        name: "send_channel_message",
        description: "Posts a message in a channel.",
        fields: { channel, body: z.string() },
        control: ["channel"],
        content: ["body"],
        execute: (given) => {
          requireChannel(world, given.channel);
          const message = { sender: "bot", recipient: given.channel, body: given.body };
          put(slack.channel_inbox, given.channel, message);
        },
      },
      "side_effect",
    ),
  ];
}

function members(world: Slack) {
  const { slack } = world;
  return [
    writer({
      name: "add_user_to_channel",
      description: "Adds a user to a channel.",
      fields: { user, channel },
      control: ["user", "channel"],
      execute: (given) => {
        requireUser(world, given.user);
        requireChannel(world, given.channel);
        const list = own(slack.user_channels, given.user);
        if (list === undefined) throw new Error("the user has no list of channels");
        list.push(given.channel);
      },
    }),
    writer(
      {
        name: "invite_user_to_slack",
        description: "Invites a person by their e-mail address.",
        fields: { user, user_email: z.string() },
        control: ["user", "user_email"],
        execute: (given) => {
          if (slack.users.includes(given.user)) refuse(`User ${given.user} already in the users list`);
          slack.users.push(given.user);
          define(slack.user_inbox, given.user, []);
          define(slack.user_channels, given.user, []);
        },
      },
      "side_effect",
    ),
    writer(
      {
        name: "remove_user_from_slack",
        description: "Removes a user.",
        fields: { user },
        control: ["user"],
        execute: (given) => {
          requireUser(world, given.user);
          slack.users.splice(slack.users.indexOf(given.user), 1);
          if (own(slack.user_inbox, given.user) === undefined) throw new Error("the user has no inbox");
          Reflect.deleteProperty(slack.user_inbox, given.user);
          Reflect.deleteProperty(slack.user_channels, given.user);
        },
      },
      "delete",
    ),
  ];
}

function web({ web: { web_content: pages, web_requests: requests } }: Slack) {
  const shorten = (url: string) => {
    const short = url.replace(/^https:\/\//, "").replace(/^http:\/\//, "");
    requests.push(short);
    return short;
  };
  const url = z.string().describe("Address of the page");
  return [
    writer(
      {
        name: "get_webpage",
        description: "Returns the text of a web page. The address is sent to its server.",
        fields: { url },
        control: ["url"],
        execute: (given) => own(pages, shorten(given.url)) ?? "404 Not Found",
      },
      "side_effect",
    ),
    writer(
      {
        name: "post_webpage",
        description: "Publishes a text as a web page.",
        fields: { url, content: z.string() },
        control: ["url"],
        content: ["content"],
        execute: (given) => define(pages, shorten(given.url), given.content),
      },
      "side_effect",
    ),
  ];
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function put(record: Record<string, Message[]>, key: string, message: Message): void {
  define(record, key, [...(own(record, key) ?? []), message]);
}

/** Also for a key such as `__proto__`. */
function define<Value>(record: Record<string, Value>, key: string, value: Value): void {
  Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true });
}
