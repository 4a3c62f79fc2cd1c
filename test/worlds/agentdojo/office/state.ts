/** An event of the calendar. The emails about it hold the same object. */
export interface CalendarEvent {
  readonly id_: string;
  readonly title: string;
  readonly description: string;
  start_time: string;
  end_time: string;
  readonly location: string | null;
  readonly participants: string[];
  readonly all_day: boolean;
  status: string;
}

export interface Email {
  readonly id_: string;
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly body: string;
  readonly status: string;
  read: boolean;
  readonly timestamp: string;
  readonly attachments: readonly (string | CalendarEvent)[];
}

export interface Inbox {
  readonly account_email: string;
  readonly emails: Email[];
  readonly contact_list: readonly { readonly email: string; readonly name: string }[];
  readonly trash: Email[];
}

export interface Calendar {
  readonly current_day: string;
  readonly account_email: string;
  readonly events: CalendarEvent[];
}

export interface DriveFile {
  readonly id_: string;
  readonly filename: string;
  content: string;
  readonly owner: string;
  last_modified: string;
  readonly shared_with: Record<string, string>;
  size: number;
}

export interface Drive {
  readonly account_email: string;
  readonly files: DriveFile[];
}

/** A record as the world stores it. */
export interface Stored {
  readonly id_: string;
}

/** The place of the record with this id in a list; -1 without one. */
export function findId(records: readonly Stored[], id: string): number {
  return records.findIndex((record) => record["id_"] === id);
}

/** The id after the largest of a list. */
export function nextId(records: readonly Stored[]): string {
  return String(1 + Math.max(0, ...records.map((record) => Number(record["id_"]))));
}

/** An address as the world stores it. Throws for anything else. */
export function checkAddress(text: string): string {
  const [local = "", domain = "", ...others] = text.split("@");
  if (local === "" || others.length > 0 || !/^[^\s.]+(?:\.[^\s.]+)+$/.test(domain) || /\s/.test(local))
    throw new Error("not an address");
  return `${local}@${domain.toLowerCase()}`;
}

/** Whether a text contains another, whatever the case. */
export function contains(text: string, query: string): boolean {
  return text.toLowerCase().includes(query.toLowerCase());
}
