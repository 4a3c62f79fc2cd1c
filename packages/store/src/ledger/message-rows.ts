import type { FleetLedger, FleetMessage } from "@toolmount/core";
import { readForeign } from "../read-row.ts";
import type { Query } from "./query.ts";

/** Returns the methods for messages between the host and the worker of a call. */
export function messageRows(query: Query): Pick<FleetLedger, "say" | "heard"> {
  return {
    async say(runId, to, bodies) {
      await query(sayTo, [runId, to, bodies.map((body) => JSON.stringify(body))]);
    },
    async heard(to, after) {
      const rows = await query<Row>(hear, [to, [...after.keys()], [...after.values()]]);
      return rows.map(messageOf);
    },
  };
}

interface Row {
  readonly run_id: string;
  readonly number: string;
  readonly body: string;
}

function messageOf({ run_id, number, body }: Row): FleetMessage {
  return { runId: run_id, number: Number(number), body: readForeign(body) };
}

const sayTo = `
  with calls as (
    select run_id, case $2 when 'host' then host else worker end as listener
    from toolmount_fleet_calls where run_id = $1 and state = 'taken'),
  said as (
    insert into toolmount_fleet_messages (run_id, recipient, body)
    select run_id, $2, body from calls, unnest($3::text[]) with ordinality as given (body, place) order by place)
  select pg_notify('toolmount_fleet_' || listener, 'said ' || run_id) from calls`;

const hear = `
  select run_id, number, body
  from toolmount_fleet_messages join unnest($2::text[], $3::bigint[]) as known (run_id, after) using (run_id)
  where recipient = $1 and number > after order by number`;
