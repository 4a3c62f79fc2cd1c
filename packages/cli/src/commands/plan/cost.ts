import type { Offer, ToolInfo } from "@toolmount/core";
import { InvalidArgumentError, type Command } from "commander";
import { openPlan } from "../../host/open-plan.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import {
  formNames,
  measureOffer,
  type FormName,
  type OfferCost,
  type ToolCost,
} from "../../render/offer-cost.ts";
import { printable } from "../../screen/printable.ts";
import { writeTable, type Column } from "../../screen/table.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly mode?: string;
  readonly format?: FormName;
  readonly max?: number;
}

/** `toolmount list cost [plan]`: shows the tokens that the offered tools cost in each request to a model. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option("--mode <name>", "the tools that are offered in this mode")
    .option("--format <name>", `only one form of the definitions: ${formNames.join(", ")}`, readForm)
    .option("--max <tokens>", "fail when a request costs more", readMax)
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await showCost(plan, options, shell));
    });
  addExamples(command, ["toolmount list cost", "toolmount list cost --format anthropic --max 8000"]);
}

function readForm(text: string): FormName {
  const form = formNames.find((name) => name === text);
  if (form === undefined) throw new InvalidArgumentError(`It is one of ${formNames.join(", ")}.`);
  return form;
}

function readMax(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number of tokens, from 1.");
}

async function showCost(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const { mode, format, json } = options;
  const host = await openPlan(plan, options, shell);
  try {
    const offer: Offer = await host.offer(mode === undefined ? {} : { mode });
    const forms = format === undefined ? formNames : [format];
    const measured = await measureOffer(offer, forms);
    const inPrograms = await measureOffer(inProgramsOnly(host.tools({ mode: offer.mode }), offer), forms);
    const { max } = options;
    const above = max === undefined ? [] : forms.filter((name) => totalOf(measured, name) > max);
    const saved = savedBy(inPrograms, forms[0], priceOf(host.plan.written["agent"]));
    if (json === true) shell.out.json({ ...measured, inPrograms, saved, max: max ?? null, above });
    else writeCost(measured, forms, { max, above, saved }, shell);
    return above.length === 0 ? exitCodes.done : exitCodes.failed;
  } finally {
    await host.close();
  }
}

/** Returns those tools that are in no request of the mode, because only programs can call them. */
function inProgramsOnly(tools: readonly ToolInfo[], offer: Offer): Offer {
  const offered = new Set([...offer.tools, ...offer.available].map(({ name }) => name));
  const hidden = tools.filter(({ name }) => !offered.has(name));
  return { ...offer, tools: hidden, available: [], guidance: "" };
}

interface Price {
  readonly input: number;
  readonly currency?: string;
}

/** Returns the price of a million input tokens, which the loader has checked. Undefined for a plan without prices. */
function priceOf(agent: unknown): Price | undefined {
  return ((agent ?? {}) as { readonly prices?: Price }).prices;
}

/** What each request saves because it does not contain the definitions of tools that only programs call. */
interface Saved {
  readonly tools: number;
  readonly tokens: number;
  /** The saved money; null for a plan without prices. */
  readonly cost: { readonly amount: number; readonly currency: string } | null;
}

function savedBy(inPrograms: OfferCost, form: FormName, price: Price | undefined): Saved {
  const tokens = inPrograms.tools.length === 0 ? 0 : totalOf(inPrograms, form);
  const cost =
    price === undefined
      ? null
      : { amount: (tokens * price.input) / 1_000_000, currency: price.currency ?? "USD" };
  return { tools: inPrograms.tools.length, tokens, cost };
}

function totalOf({ total }: OfferCost, form: FormName): number {
  return total[form] ?? 0;
}

interface Verdict {
  readonly max: number | undefined;
  readonly above: readonly FormName[];
  readonly saved: Saved;
}

function writeCost(
  measured: OfferCost,
  forms: readonly FormName[],
  { max, above, saved }: Verdict,
  { out }: Shell,
): void {
  const count = (tokens: number | undefined) => String(tokens ?? 0).padStart(6);
  const columns: Column<ToolCost>[] = [
    { title: "tool", cell: ({ name }) => out.paint("bold", printable(name)) },
    ...forms.map((form) => ({ title: form, cell: ({ tokens }: ToolCost) => count(tokens[form]) })),
  ];
  const rows: ToolCost[] = [
    ...measured.tools.toSorted((one, other) => (other.tokens[forms[0]!] ?? 0) - (one.tokens[forms[0]!] ?? 0)),
    { name: "guidance", tokens: Object.fromEntries(forms.map((form) => [form, measured.guidance])) },
    { name: "each request", tokens: measured.total },
  ];
  writeTable(out, columns, rows);
  out.line();
  const how =
    "tokens of the definitions as JSON, counted with o200k; other models count up to a quarter more or less";
  out.line(out.paint("dim", how));
  if (saved.tools > 0) {
    const { cost } = saved;
    const price = cost === null ? "" : `, ${cost.amount.toPrecision(2)} ${cost.currency} without a cache,`;
    out.line(
      `${saved.tools} more tools are called in programs only; their definitions would cost ${saved.tokens} tokens${price} in each request of a turn`,
    );
  }
  if (max === undefined) return;
  if (above.length === 0) out.line(out.paint("green", `✔ within the ${max} tokens that are allowed`));
  for (const form of above)
    out.line(out.paint("red", `✖ ${form}: ${totalOf(measured, form)} tokens, and ${max} are allowed`));
  if (above.length > 0)
    out.line("  offer fewer tools: tools.exclude, modes, or disclosure: progressive (docs/tool-search.md)");
}
