/** `YYYY-MM-DD`; month and day may have one digit. Returns it with two. Throws for anything else. */
export function readDay(text: string): string {
  const [, year = "", month = "", day = ""] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text) ?? [];
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  requireDate(date);
  return date;
}

/** `YYYY-MM-DD HH:MM`. Returns `YYYY-MM-DDTHH:MM:SS`. Throws for anything else. */
export function readMinute(text: string): string {
  const [, day = "", hour = "", minute = ""] = /^(\S+) (\d{1,2}):(\d{1,2})$/.exec(text) ?? [];
  const date = readDay(day);
  if (Number(hour) > 23 || Number(minute) > 59) throw new Error("not a time");
  return `${date}T${hour.padStart(2, "0")}:${minute.padStart(2, "0")}:00`;
}

/** A day, or a day with a time, as reservations take it. Throws for anything else. */
export function readIsoTime(text: string): string {
  const [, day = "", hour = "00", minute = "00", second = "00"] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(text) ?? [];
  requireDate(day);
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) throw new Error("not a time");
  return `${day}T${hour}:${minute}:${second}`;
}

function requireDate(date: string): void {
  const time = new Date(`${date}T00:00:00Z`);
  if (date.startsWith("0000") || Number.isNaN(time.getTime()) || time.toISOString().slice(0, 10) !== date)
    throw new Error("not a date");
}

/** The time so many milliseconds later. */
export function addTime(time: string, milliseconds: number): string {
  return new Date(Date.parse(`${time}Z`) + milliseconds).toISOString().slice(0, 19);
}

/** The milliseconds from one time to another. */
export function timeBetween(start: string, end: string): number {
  return Date.parse(`${end}Z`) - Date.parse(`${start}Z`);
}
