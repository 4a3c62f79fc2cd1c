import type { Coordinator } from "@toolmount/core";
import { createCalendarTools } from "../office/calendar.ts";
import { addSizes, createDriveTools } from "../office/drive.ts";
import { createMailTools, createSend, createSendEmail } from "../office/mail.ts";
import type { Calendar, Drive, Inbox } from "../office/state.ts";
import { mountWorld, readEnvironment, timeOf, type Settings } from "../world.ts";

export { config } from "../world.ts";

interface Office {
  readonly inbox: Inbox;
  readonly calendar: Calendar;
  readonly cloud_drive: Drive;
}

/** Mounts an office: mail, a calendar and a drive. */
export async function mount(coordinator: Coordinator, settings: Settings): Promise<void> {
  await mountWorld(coordinator, async () => {
    const office = await readEnvironment<Office>(settings);
    const now = () => timeOf(settings);
    addSizes(office.cloud_drive);
    const send = createSend(office.inbox, now);
    const calendar = createCalendarTools(office.calendar, send);
    const mail = [createSendEmail(send), ...createMailTools(office.inbox)];
    const drive = createDriveTools(office.cloud_drive, now);
    return { tools: [...mail, ...Object.values(calendar), ...drive], state: () => office };
  });
}
