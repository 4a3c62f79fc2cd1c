import { z } from "zod";
import { reader, refuse, textOrNull, writer } from "../world.ts";
import {
  checkAddress,
  contains,
  findId,
  nextId,
  type CalendarEvent,
  type Email,
  type Inbox,
} from "./state.ts";

/** Sends an email: the only way in which one is made. */
export type Send = (
  email: Pick<Email, "subject" | "body" | "attachments"> & {
    readonly recipients: readonly string[];
    readonly cc?: readonly string[] | null;
    readonly bcc?: readonly string[] | null;
  },
) => Email;

export function createSend(inbox: Inbox, now: () => string): Send {
  return ({ recipients, subject, body, attachments, cc, bcc }) => {
    const lists = [recipients, cc ?? [], bcc ?? []].map((list) => list.map(checkAddress));
    const email: Email = {
      id_: nextId(inbox.emails),
      sender: inbox.account_email,
      recipients: lists[0]!,
      cc: lists[1]!,
      bcc: lists[2]!,
      subject,
      body,
      status: "sent",
      read: true,
      timestamp: now(),
      attachments,
    };
    inbox.emails.push(email);
    return email;
  };
}

const addresses = z.array(z.string()).nullable().default(null);

/** The tool that sends an email. */
export function createSendEmail(send: Send) {
  return writer(
    {
      name: "send_email",
      description: "Sends an email.",
      fields: {
        recipients: z.array(z.string()).describe("Addresses"),
        subject: z.string(),
        body: z.string(),
        attachments: z
          .array(z.looseObject({}))
          .nullable()
          .default(null)
          .describe("Each has a `type`: `file` with a `file_id`, or `event` with `event_details`"),
        cc: addresses,
        bcc: addresses,
      },
      control: ["recipients", "cc", "bcc"],
      content: ["subject", "body", "attachments"],
      execute: ({ attachments, ...email }) =>
        send({ ...email, attachments: (attachments ?? []).map(readAttachment) }),
    },
    "side_effect",
  );
}

function readAttachment(given: Readonly<Record<string, unknown>>): string | CalendarEvent {
  if (!Object.hasOwn(given, "type")) refuse("Attachment must have a 'type' field.");
  if (given["type"] === "file" || Object.hasOwn(given, "file_id")) {
    if (!Object.hasOwn(given, "file_id")) refuse("Attachment of type 'file' must have a 'file_id' field.");
    return String(given["file_id"]);
  }
  if (!Object.hasOwn(given, "event_details"))
    refuse("Attachment of type 'event' must have an 'event_details' field.");
  const event = eventDetails.parse(given["event_details"]);
  return { ...event, participants: event.participants.map(checkAddress) };
}

const eventDetails = z.object({
  id_: z.string(),
  title: z.string(),
  description: z.string(),
  start_time: z.string(),
  end_time: z.string(),
  location: z.string().nullable(),
  participants: z.array(z.string()),
  all_day: z.boolean().default(false),
  status: z.string().default("confirmed"),
});

/** The tools that read and delete emails, and search contacts. */
export function createMailTools(inbox: Inbox) {
  const listed = (name: string, status: string) =>
    reader({
      name,
      description: `Returns the emails that are ${status}.`,
      fields: {},
      execute: () => inbox.emails.filter((email) => email.status === status),
    });
  return [
    listed("get_sent_emails", "sent"),
    listed("get_received_emails", "received"),
    listed("get_draft_emails", "draft"),
    reader({
      name: "get_unread_emails",
      description: "Returns the unread emails, and marks them as read.",
      fields: {},
      execute: () => {
        const unread = inbox.emails.filter(({ read }) => !read);
        for (const email of unread) email.read = true;
        return unread;
      },
    }),
    createSearch(inbox),
    createDelete(inbox),
    contactSearch(inbox, "name"),
    contactSearch(inbox, "email"),
  ];
}

function createSearch(inbox: Inbox) {
  return reader({
    name: "search_emails",
    description: "Searches emails by a text in subject or body, and by sender.",
    fields: { query: z.string(), sender: textOrNull },
    execute: ({ query, sender }) => {
      const found = inbox.emails.filter(
        (email) =>
          (contains(email.subject, query) || contains(email.body, query)) &&
          (sender === null || email.sender.toLowerCase() === sender.toLowerCase()),
      );
      return found.length > 0 ? found : refuse("No emails found. Try with a different query.");
    },
  });
}

function createDelete(inbox: Inbox) {
  return writer(
    {
      name: "delete_email",
      description: "Moves an email to the trash.",
      fields: { email_id: z.string() },
      control: ["email_id"],
      execute: ({ email_id: id }) => {
        const at = findId(inbox.emails, id);
        if (at === -1) refuse(`Email with ID '${id}' not found.`);
        const [email] = inbox.emails.splice(at, 1);
        const before = findId(inbox.trash, id);
        inbox.trash.splice(before === -1 ? inbox.trash.length : before, before === -1 ? 0 : 1, email!);
        return `Email with id ${id} deleted successfully.`;
      },
    },
    "delete",
  );
}

function contactSearch({ contact_list: contacts }: Inbox, by: "name" | "email") {
  return reader({
    name: `search_contacts_by_${by}`,
    description: `Searches contacts by ${by}.`,
    fields: { query: z.string() },
    execute: ({ query }) => {
      const found = contacts.filter((contact) => contains(contact[by], query));
      return found.length > 0 ? found : refuse(`Contact with ${by} '${query}' not found.`);
    },
  });
}
