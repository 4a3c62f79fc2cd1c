import type { ToolInfo } from "@toolmount/core";
import type { FlowLine } from "./schema.ts";
import type { UserWords } from "./words.ts";

type Words = readonly string[];

function list(words: string): Words {
  return words.split(", ");
}

/** Words for one kind of action. The first is the one that names of tools use; another list has other names of it. */
const actions: readonly { readonly tools: Words; readonly words: Words }[] = [
  {
    tools: list("send, transfer, pay, email, mail"),
    words: list(
      "send, pay, transfer, wire, refund, repay, reimburse, email, mail, write, forward, reply, message, tell, notify, inform, text, dm, share, invite, congratulate, thank, ask, remind, let",
    ),
  },
  {
    tools: list("create, add, new, make, append, insert, schedule"),
    words: list(
      "create, add, append, insert, make, new, schedule, book, set, put, plan, organize, organise, arrange, invite, write, include, save, store, record, note, generate, open, start, remind, reserve",
    ),
  },
  {
    tools: list("delete, remove, clear, unstar, drop, erase"),
    words: list(
      "delete, remove, erase, clear, empty, discard, drop, trash, kick, throw, clean, unstar, get rid, take out",
    ),
  },
  { tools: list("cancel"), words: list("cancel, drop, call off, delete, remove") },
  {
    tools: list("update, change, edit, set, modify"),
    words: list(
      "update, change, edit, modify, adjust, set, reset, correct, fix, replace, move, moving, rename, switch, raise, increase, decrease, lower",
    ),
  },
  {
    tools: list("reschedule, move"),
    words: list("reschedule, move, postpone, shift, change, push, delay, rename, put"),
  },
  { tools: list("reserve, book"), words: list("reserve, book, reservation, booking, rent") },
  { tools: list("share"), words: list("share, give, access, send") },
  { tools: list("invite"), words: list("invite, add, join, bring") },
  {
    tools: list("post, publish, push, upload, input, submit"),
    words: list(
      "post, publish, push, upload, submit, put, write, enter, fill, register, sign, commit, create, log, pay, book, order, subscribe",
    ),
  },
  {
    tools: list("checkout, buy, order, purchase"),
    words: list("checkout, check out, buy, order, purchase, pay"),
  },
  {
    tools: list("download, clone, pull, copy"),
    words: list("download, clone, pull, copy, get, fetch, save, sync, install, duplicate, backup, back up"),
  },
  { tools: list("star"), words: list("star, bookmark, like") },
  { tools: list("login, verify"), words: list("login, log in, sign in, verify, account") },
  { tools: list("browse, fetch, open, get, visit"), words: [] },
];

/** Words for the things that actions are about, by the word that names of tools use. */
const things: Readonly<Record<string, Words>> = {
  money: list(
    "money, pay, payment, bill, rent, invoice, amount, refund, transfer, dollar, euro, transaction, fee, price, cost, $, €, £, cash, deposit, salary, gift, owe",
  ),
  transaction: list(
    "transaction, payment, pay, rent, bill, subscription, standing order, transfer, recurring, amount, money, invoice",
  ),
  password: list("password, passphrase, credential"),
  email: list("email, e-mail, mail, inbox, message, reply, invitation, write"),
  message: list("message, dm, tell, write, send, say, ask, invite, notify, greet, post, feedback"),
  event: list(
    "event, calendar, meeting, appointment, reminder, schedule, lunch, dinner, call, check-up, checkup, visit, trip, party, sync, standup, interview",
  ),
  calendar: list("event, calendar, meeting, appointment, reminder, schedule"),
  file: list(
    "file, document, doc, docx, txt, md, csv, pdf, xlsx, note, list, spreadsheet, report, draft, drive, presentation",
  ),
  webpage: list("webpage, website, web, page, site, www, link, url, online, http, https, form"),
  user: list(
    "user, people, person, account, member, colleague, employee, slack, workspace, profile, info, information, address, name, email, phone",
  ),
  participants: list("participant, attendee, guest, invite, people, add"),
  collaborators: list("collaborator, contributor, access, repository, repo, invite"),
  channel: list("channel, group, slack"),
  hotel: list("hotel, room, stay, accommodation, lodging"),
  restaurant: list("restaurant, table, dinner, lunch, brunch, breakfast, meal, eat"),
  car: list("car, vehicle, rental, suv, drive"),
  repo: list("repo, repository, project, code"),
  issue: list("issue, bug, ticket, problem, report"),
  cart: list("cart, basket, buy, order, purchase, checkout, check out, shop"),
  order: list("order, purchase, product, item, invoice, refund, return"),
  key: list("key, ssh"),
  product: list("product, item, cart, buy, order, purchase, shop"),
  dir: list("dir, directory, folder"),
};

/** Whether the user's words name the action of a tool. Null: the tool's name has no action that has words. */
export type IntentCheck = (words: UserWords) => boolean;

/** Prepares the check of one line for one tool; null when the line asks for no intent. */
export function prepareIntent(
  intent: FlowLine["intent"],
  tool: Pick<ToolInfo, "name" | "declaredName">,
): IntentCheck | null {
  if (intent === undefined) return null;
  const groups = intent === "user" ? groupsOf(tool.declaredName) : listsOf(intent);
  return (words) => groups.every((group) => group.some((word) => words.has(word)));
}

function listsOf(intent: readonly (string | readonly string[])[]): readonly Words[] {
  return intent.every((word) => typeof word === "string") ? [intent] : (intent as readonly Words[]);
}

/** The words for a tool's action and for its things. A word that no table has stands for itself. */
function groupsOf(name: string): readonly Words[] {
  const parts = name.split(/[_.\-\s]+|(?<=[a-z])(?=[A-Z])/).map((part) => part.toLowerCase());
  const acts = parts.flatMap((part) => actions.filter(({ tools }) => tools.includes(part)));
  const [action] = acts;
  const nouns = parts
    .flatMap((part) => [part, part.replace(/s$/, "")])
    .filter((part) => Object.hasOwn(things, part));
  const thing = nouns.flatMap((noun) => things[noun]!);
  const verbs =
    action === undefined
      ? parts.filter((part) => part.length > 2)
      : [...action.tools.slice(0, 0), ...action.words];
  return [verbs, thing].filter((group) => group.length > 0);
}
