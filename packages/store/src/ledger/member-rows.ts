import type { FleetLedger, FleetMember, JsonObject } from "@toolmount/core";
import { readForeign } from "../read-row.ts";
import type { Query } from "./query.ts";

/** Returns the methods for the reports of workers and hosts. */
export function memberRows(
  query: Query,
): Pick<FleetLedger, "report" | "leave" | "members" | "orphanedGroups"> {
  return {
    async report({ name, role, queue, group, tools, facts }, keepMs) {
      await query(reportMember, [
        name,
        role,
        queue,
        group,
        JSON.stringify(tools),
        JSON.stringify(facts),
        keepMs,
      ]);
    },
    async orphanedGroups(queue, olderThanMs) {
      const rows = await query<{ readonly tool_group: string }>(takeOrphans, [queue, olderThanMs]);
      return rows.map(({ tool_group }) => tool_group);
    },
    leave: async (name) => void (await query("delete from toolmount_fleet_members where name = $1", [name])),
    members: async (queue) => (await query<Row>(listMembers, [queue ?? null])).map(memberOf),
  };
}

interface Row {
  readonly name: string;
  readonly role: FleetMember["role"];
  readonly queue: string;
  readonly tool_group: string;
  readonly tools: string;
  readonly facts: string;
  readonly seen: string;
}

function memberOf({ name, role, queue, tool_group, tools, facts, seen }: Row): FleetMember {
  return {
    name,
    role,
    queue,
    group: tool_group,
    tools: objectIn(tools) as Readonly<Record<string, string>>,
    facts: objectIn(facts),
    seenMs: Math.max(0, Math.round(Number(seen))),
  };
}

/** Returns what a member reported; an empty object if that cannot be read. */
function objectIn(text: string): JsonObject {
  const value = readForeign(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** Stores a report, and also removes members that no longer report. */
const reportMember = `
  with gone as (delete from toolmount_fleet_members where until < now() and name <> $1),
  grouped as (
    insert into toolmount_fleet_groups (queue, tool_group) select $3, $4 where $2 = 'worker'
    on conflict (queue, tool_group) do update set seen_at = now())
  insert into toolmount_fleet_members (name, role, queue, tool_group, tools, facts, until)
  values ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 ms')
  on conflict (name) do update
  set queue = $3, tool_group = $4, tools = $5, facts = $6, seen_at = now(), until = excluded.until`;

const takeOrphans = `
  delete from toolmount_fleet_groups as groups
  where queue = $1 and seen_at <= now() - $2 * interval '1 ms' and not exists (
    select 1 from toolmount_fleet_members as members
    where members.queue = groups.queue and members.tool_group = groups.tool_group and until >= now())
  returning tool_group`;

const listMembers = `
  select name, role, queue, tool_group, tools, facts, extract(epoch from now() - seen_at) * 1000 as seen
  from toolmount_fleet_members
  where until >= now() and ($1::text is null or queue = $1) order by role, name`;
