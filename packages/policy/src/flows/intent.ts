import type { ToolInfo } from "@toolmount/core";
import type { FlowLine } from "./schema.ts";
import type { UserWords } from "./words.ts";

type Words = readonly string[];

function split(words: string): Words {
  return words.split(", ");
}

/** Words for kinds of actions: `tools` are the words in names of tools, and `words` those by which users name the action. */
const actions: readonly { readonly tools: Words; readonly words: Words }[] = [
  {
    tools: split("send, transfer, pay, email, mail"),
    words: split(
      "send, post, announce, pay, transfer, wire, refund, repay, reimburse, email, mail, write, forward, reply, message, tell, notify, inform, text, dm, share, invite, congratulate, thank, ask, remind, let",
    ),
  },
  {
    tools: split("create, add, new, make, append, insert, schedule"),
    words: split(
      "create, add, append, insert, make, new, schedule, book, set, put, plan, organize, organise, arrange, invite, write, include, save, store, record, note, generate, open, start, remind, reserve",
    ),
  },
  {
    tools: split("delete, remove, clear, unstar, drop, erase"),
    words: split(
      "delete, remove, erase, clear, empty, discard, drop, trash, kick, throw, clean, unstar, get rid, take out",
    ),
  },
  { tools: split("refund, return"), words: split("refund, return, request, get, claim, ask") },
  { tools: split("cancel"), words: split("cancel, drop, call off, delete, remove") },
  {
    tools: split("update, change, edit, set, modify"),
    words: split(
      "update, change, edit, modify, adjust, set, reset, correct, fix, replace, move, moving, rename, switch, raise, increase, decrease, lower",
    ),
  },
  {
    tools: split("reschedule, move"),
    words: split("reschedule, move, postpone, shift, change, push, delay, rename, put"),
  },
  { tools: split("reserve, book"), words: split("reserve, book, reservation, booking, rent") },
  { tools: split("share"), words: split("share, give, access, send") },
  { tools: split("invite"), words: split("invite, add, join, bring") },
  {
    tools: split("post, publish, push, upload, input, submit"),
    words: split(
      "post, publish, push, upload, submit, put, write, enter, fill, register, sign, commit, create, log, pay, book, order, subscribe",
    ),
  },
  {
    tools: split("checkout, buy, order, purchase"),
    words: split("checkout, check out, buy, order, purchase, pay"),
  },
  {
    tools: split("download, clone, pull, copy"),
    words: split("download, clone, pull, copy, get, fetch, save, sync, install, duplicate, backup, back up"),
  },
  { tools: split("star"), words: split("star, bookmark, like") },
  { tools: split("login, verify"), words: split("login, log in, sign in, verify, account") },
  { tools: split("browse, fetch, open, get, visit"), words: [] },
];

/** Words for the things that actions are about, by the word in names of tools. */
const things: Readonly<Record<string, Words>> = {
  money: split(
    "money, pay, payment, bill, rent, invoice, amount, refund, transfer, dollar, euro, transaction, fee, price, cost, $, €, £, cash, deposit, salary, gift, owe",
  ),
  transaction: split(
    "transaction, payment, pay, rent, bill, subscription, standing order, transfer, recurring, amount, money, invoice",
  ),
  password: split("password, passphrase, credential"),
  email: split("email, e-mail, mail, inbox, message, reply, invitation, write"),
  message: split("message, dm, tell, write, send, say, ask, invite, notify, greet, post, feedback"),
  event: split(
    "event, calendar, meeting, appointment, reminder, schedule, lunch, dinner, call, check-up, checkup, visit, trip, party, sync, standup, interview",
  ),
  calendar: split("event, calendar, meeting, appointment, reminder, schedule"),
  file: split(
    "file, document, doc, docx, txt, md, csv, pdf, xlsx, note, list, spreadsheet, report, draft, drive, presentation",
  ),
  webpage: split("webpage, website, web, page, site, www, link, url, online, http, https, form"),
  user: split(
    "user, people, person, account, member, colleague, employee, slack, workspace, profile, info, information, address, name, email, phone",
  ),
  participants: split("participant, attendee, guest, invite, people, add"),
  collaborators: split("collaborator, contributor, access, repository, repo, invite"),
  channel: split("channel, group, slack"),
  hotel: split("hotel, room, stay, accommodation, lodging"),
  restaurant: split("restaurant, table, dinner, lunch, brunch, breakfast, meal, eat"),
  car: split("car, vehicle, rental, suv, drive"),
  repo: split("repo, repository, project, code"),
  issue: split("issue, bug, ticket, problem, report"),
  cart: split("cart, basket, buy, order, purchase, checkout, check out, shop"),
  order: split("order, purchase, product, item, invoice, refund, return"),
  key: split("key, ssh"),
  product: split("product, item, cart, buy, order, purchase, shop"),
  dir: split("dir, directory, folder"),
};

/** Whether the user's words name the action of a tool. */
export type IntentCheck = (words: UserWords) => boolean;

/**
 * Prepares the check of one line for one tool; null if the line requires no intent. `said` has words of the plan in addition to
 * the English ones, by the word in names of tools.
 */
export function prepareIntent(
  intent: FlowLine["intent"],
  tool: Pick<ToolInfo, "name" | "declaredName">,
  said: Readonly<Record<string, Words>> = {},
): IntentCheck | null {
  if (intent === undefined) return null;
  if (intent !== "user") {
    const lists = listsOf(intent);
    return (words) => lists.every((list) => list.some((word) => words.has(word)));
  }
  const { verbs, nouns } = wordsOf(tool.declaredName, said);
  return (words) =>
    (verbs.length === 0 || verbs.some((verb) => words.asks(verb))) &&
    (nouns.length === 0 || nouns.some((noun) => words.has(noun)));
}

function listsOf(intent: readonly (string | readonly string[])[]): readonly Words[] {
  return intent.every((word) => typeof word === "string") ? [intent] : (intent as readonly Words[]);
}

/** Returns verbs for a tool's action, and nouns for its object. If no action is known, the words of the name are the verbs. */
function wordsOf(
  name: string,
  said: Readonly<Record<string, Words>>,
): { readonly verbs: Words; readonly nouns: Words } {
  const parts = name.split(/[_.\-\s]+|(?<=[a-z])(?=[A-Z])/).map((part) => part.toLowerCase());
  const action = parts.flatMap((part) => actions.find(({ tools }) => tools.includes(part)) ?? [])[0];
  const forms = parts.flatMap((part) => [part, part.replace(/s$/, "")]);
  const nouns = forms.flatMap((part) => (Object.hasOwn(things, part) ? things[part]! : []));
  const verbs = action?.words ?? parts.filter((part) => part.length > 2);
  const more = (isNoun: boolean) =>
    [...new Set(forms)].flatMap((part) =>
      Object.hasOwn(said, part) && Object.hasOwn(things, part) === isNoun
        ? said[part]!.map((word) => word.normalize("NFKC").toLowerCase())
        : [],
    );
  return {
    verbs: verbs.length === 0 ? verbs : [...verbs, ...more(false)],
    nouns: nouns.length === 0 ? nouns : [...nouns, ...more(true)],
  };
}
