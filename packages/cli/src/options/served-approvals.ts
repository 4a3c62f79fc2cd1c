import type { ServedApprovals } from "@toolmount/mcp";
import { InvalidArgumentError, type Command } from "commander";

const ways = ["pending", "wait", "elicitation"] as const;

/** How a server over MCP lets people answer questions about calls. */
export interface ApprovalOptions {
  readonly approval?: (typeof ways)[number];
  readonly publicUrl?: string;
}

export function addApprovalOptions(command: Command): Command {
  return command
    .option(
      "--approval <way>",
      "a call that needs approval: pending (its result says so), wait (it stays open until it is decided elsewhere), elicitation (the client's user decides, if its token may approve)",
      readWay,
      "pending",
    )
    .option(
      "--public-url <url>",
      "where people decide, which clients show them; with --http where all reach the server",
      readAddress,
    );
}

/** Returns the options in the form that the MCP server accepts. */
export function approvalsOf({ approval, publicUrl }: ApprovalOptions): ServedApprovals {
  return {
    wait: approval === "wait",
    elicitation: approval === "elicitation",
    ...(publicUrl !== undefined && { url: () => publicUrl }),
  };
}

function readAddress(text: string): string {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol))
    throw new InvalidArgumentError("It is an address that begins with http:// or https://.");
  if (address.username !== "" || address.password !== "")
    throw new InvalidArgumentError("Every client of the server sees it: it must hold no password.");
  return address.href;
}

function readWay(text: string): (typeof ways)[number] {
  const way = ways.find((known) => known === text);
  if (way === undefined) throw new InvalidArgumentError(`It is one of ${ways.join(", ")}.`);
  return way;
}
