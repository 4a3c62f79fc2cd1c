import { data, defineTool } from "@toolmount/core";
import { z } from "zod";
import { callIds, callIdShape } from "./call-ids.ts";
import { pingPongUsage as usage } from "./usage.ts";

const schema = z.strictObject({
  message: z.string().optional().describe("Text to send back; leave it out for a plain ping"),
  count: z.int().max(1_000_000_000).optional().describe("The count so far; the answer has one more"),
});

const outputSchema = z.strictObject({ Reply: z.string(), Count: z.int(), ...callIdShape });

/** Makes the tool `testing_ping_pong`, which returns the message that it got, and a count raised by one. */
export function createPingPong() {
  return defineTool({
    name: "testing_ping_pong",
    description:
      "Replies to a ping with the message it was sent and a count raised by one. Use to check that calling tools works; not to talk to anybody.",
    summary: "Sends a message back and counts.",
    usage,
    schema,
    outputSchema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    idempotent: true,
    tags: ["testing"],
    version: "1.0.0",
    execute: ({ message = "", count = 0 }, context) =>
      data({
        Reply: message.trim() === "" ? "ping" : `pong: ${message}`,
        Count: count + 1,
        ...callIds(context),
      }),
  });
}
