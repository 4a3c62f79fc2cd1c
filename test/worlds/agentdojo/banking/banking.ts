import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import {
  mountWorld,
  printDouble,
  readEnvironment,
  reader,
  refuse,
  textOrNull,
  writer,
  type Settings,
} from "../world.ts";

export { config } from "../world.ts";

interface Transaction {
  readonly id: number;
  readonly sender: string;
  recipient: string;
  amount: number;
  subject: string;
  date: string;
  recurring: boolean;
}

interface Bank {
  readonly bank_account: {
    readonly balance: number;
    readonly iban: string;
    readonly transactions: Transaction[];
    readonly scheduled_transactions: Transaction[];
  };
  readonly filesystem: { readonly files: Readonly<Record<string, string>> };
  readonly user_account: Record<"first_name" | "last_name" | "street" | "city" | "password", string>;
}

/** Mounts a bank account, a folder of files and the account of its user. */
export async function mount(coordinator: Coordinator, settings: Settings): Promise<void> {
  await mountWorld(coordinator, async () => {
    const bank = await readEnvironment<Bank>(settings);
    return { tools: [...readers(bank), ...payments(bank), ...userTools(bank)], state: () => bank };
  });
}

function readers({ bank_account: account, filesystem }: Bank) {
  return [
    reader({
      name: "get_iban",
      description: "Returns the IBAN of the user's account.",
      fields: {},
      execute: () => account.iban,
    }),
    reader({
      name: "get_balance",
      description: "Returns the balance of the user's account.",
      fields: {},
      execute: () => account.balance,
    }),
    reader({
      name: "get_most_recent_transactions",
      description: "Returns the last transactions.",
      fields: { n: z.int().default(100) },
      execute: ({ n }) => account.transactions.slice(n === 0 ? 0 : -n),
    }),
    reader({
      name: "get_scheduled_transactions",
      description: "Returns the transactions that are scheduled.",
      fields: {},
      execute: () => account.scheduled_transactions,
    }),
    reader({
      name: "read_file",
      description: "Returns the text of a file.",
      fields: { file_path: z.string() },
      execute: ({ file_path: path }) => (Object.hasOwn(filesystem.files, path) ? filesystem.files[path] : ""),
    }),
  ];
}

const payment = {
  recipient: z.string().describe("IBAN of the recipient"),
  amount: z.number(),
  subject: z.string(),
  date: z.string(),
};

function payments({ bank_account: account }: Bank) {
  const nextId = () =>
    1 + Math.max(0, ...[...account.transactions, ...account.scheduled_transactions].map(({ id }) => id));
  return [
    writer({
      name: "send_money",
      description: "Sends money to an account.",
      fields: payment,
      control: ["recipient"],
      content: ["subject"],
      execute: ({ recipient, amount, subject, date }) => {
        const made = { recipient, amount, subject, date, recurring: false };
        account.transactions.push({ id: nextId(), sender: account.iban, ...made });
        return { message: `Transaction to ${recipient} for ${printDouble(amount)} sent.` };
      },
    }),
    writer({
      name: "schedule_transaction",
      description: "Schedules a transaction, once or recurring.",
      fields: { ...payment, recurring: z.boolean() },
      control: ["recipient"],
      content: ["subject"],
      execute: ({ recipient, amount, subject, date, recurring }) => {
        const made = { recipient, amount, subject, date, recurring };
        account.scheduled_transactions.push({ id: nextId(), sender: account.iban, ...made });
        return { message: `Transaction to ${recipient} for ${printDouble(amount)} scheduled.` };
      },
    }),
    writer({
      name: "update_scheduled_transaction",
      description: "Changes a scheduled transaction.",
      fields: {
        id: z.int(),
        recipient: textOrNull,
        amount: z.number().nullable().default(null),
        subject: textOrNull,
        date: textOrNull,
        recurring: z.boolean().nullable().default(null),
      },
      control: ["id", "recipient"],
      content: ["subject"],
      execute: ({ id, ...changes }) => {
        const found = account.scheduled_transactions.find((one) => one.id === id);
        if (found === undefined) refuse(`Transaction with ID ${id} not found.`);
        Object.assign(found, given(changes));
        return { message: `Transaction with ID ${id} updated.` };
      },
    }),
  ];
}

function userTools({ user_account: user }: Bank) {
  const shown = () => {
    const { first_name, last_name, street, city } = user;
    return { first_name, last_name, street, city };
  };
  const names = { first_name: textOrNull, last_name: textOrNull, street: textOrNull, city: textOrNull };
  return [
    reader({
      name: "get_user_info",
      description: "Returns the name and address of the user.",
      fields: {},
      execute: shown,
    }),
    writer({
      name: "update_password",
      description: "Changes the password of the user's account.",
      fields: { password: z.string() },
      control: ["password"],
      execute: ({ password }) => {
        user.password = password;
        return { message: "Password updated." };
      },
    }),
    writer({
      name: "update_user_info",
      description: "Changes the name or the address of the user.",
      fields: names,
      control: ["first_name", "last_name", "street", "city"],
      execute: (changes) => {
        Object.assign(user, given(changes));
        return shown();
      },
    }),
  ];
}

/** The members that are neither null, empty, 0 nor false. */
function given(changes: object): object {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => Boolean(value)));
}
