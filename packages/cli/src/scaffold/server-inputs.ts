import { namesSecret } from "@toolmount/core/text";
import { z } from "zod";

/** A server's description of a value that it accepts. */
export const inputShape = {
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  value: z.string().optional(),
  default: z.string().optional(),
};

const withVariables = z.looseObject({
  ...inputShape,
  format: z.string().optional(),
  variables: z.record(z.string(), z.looseObject(inputShape)).optional(),
});

/** An argument of a program. */
export const argument = withVariables.extend({
  type: z.enum(["positional", "named"]),
  name: z.string().optional(),
  valueHint: z.string().optional(),
});

/** An environment variable, or a header. */
export const keyValue = withVariables.extend({ name: z.string().min(1) });

/** A variable with a value for the server, which the user provides. */
export interface WantedVariable {
  readonly name: string;
  readonly isSecret: boolean;
  /** Whether the variable is already set on this machine, so that its value would go to the server. */
  readonly isSet: boolean;
  readonly description: string;
}

/**
 * The environment of this machine. `isSeen` says that a person sees the names of the variables before the server gets their
 * values.
 */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isSeen: boolean;
}

/** A part of a text: either fixed text, or a reference to a variable with the user's value. */
type Part = { readonly literal: string } | { readonly variable: string };

/**
 * Converts the inputs in a server's description to texts for a plan. Fixed values stay as they are; for the user's values, the
 * text has a variable.
 */
export class ServerInputs {
  readonly #server: string;
  readonly #machine: Machine;
  readonly #wanted = new Map<string, WantedVariable>();
  readonly #left: WantedVariable[] = [];

  constructor(server: string, machine: Machine) {
    this.#server = server;
    this.#machine = machine;
  }

  /** Variables that the user must set. */
  get wanted(): readonly WantedVariable[] {
    return [...this.#wanted.values()];
  }

  /** Optional inputs that the entry leaves out, because they have no default. */
  get left(): readonly WantedVariable[] {
    return this.#left;
  }

  map(inputs: readonly z.output<typeof keyValue>[] = []): Record<string, string> {
    const members = inputs.flatMap((input): [string, string][] => {
      const text = this.#text(input, input.name);
      return text === undefined ? [] : [[input.name, text]];
    });
    return Object.fromEntries(members);
  }

  list(inputs: readonly z.output<typeof argument>[] = []): string[] {
    return inputs.flatMap((input) => {
      const { type, name = "", valueHint = name } = input;
      if (type === "named" && isFlag(input)) return [textOf([{ literal: name }])];
      const text = this.#text(input, valueHint === "" ? "argument" : valueHint);
      if (text === undefined) return [];
      return type === "named" ? [textOf([{ literal: name }]), text] : [text];
    });
  }

  /** Replaces each `{name}` in a text with the value or the variable of that input. If there is no such input, `{name}` stays. */
  fill(text: string, variables: Input["variables"] = {}): string {
    const parts = text.split(/(\{[\w.-]+\})/).map((piece): Part => {
      const name = /^\{(.+)\}$/.exec(piece)?.[1] ?? "";
      const input = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (input === undefined) return { literal: piece };
      const known = input.value ?? (isSecret(input, name) ? undefined : input.default);
      if (known !== undefined) return { literal: known };
      return { variable: this.#want(input, name) };
    });
    return textOf(parts);
  }

  /** Returns the text for one input; undefined if the input is optional and has no value. */
  #text(input: Input, name: string): string | undefined {
    if (input.value !== undefined) return this.fill(input.value, input.variables);
    if (input.default !== undefined && !isSecret(input, name)) return textOf([{ literal: input.default }]);
    if (input.isRequired === true) return textOf([{ variable: this.#want(input, name) }]);
    this.#left.push(this.#describe(input, name));
    return undefined;
  }

  #want(input: Described, name: string): string {
    const described = this.#describe(input, name);
    this.#wanted.set(described.name, described);
    return described.name;
  }

  #describe(input: Described, asked: string): WantedVariable {
    const { description = "" } = input;
    const name = this.#variable(asked);
    return { name, isSecret: isSecret(input, asked), isSet: this.#isSet(name), description };
  }

  /**
   * Returns the name of a variable. Names of environment variables stay; other names get the server's name as a prefix. So
   * does the name of a variable that this machine has set, unless a person is shown it and agrees: otherwise a description
   * that asks for `AWS_SECRET_ACCESS_KEY` would get the user's own key.
   */
  #variable(name: string): string {
    const own = `${this.#server}_`.replaceAll(/\W+/g, "_").toUpperCase();
    const mayStay = this.#machine.isSeen || name.startsWith(own) || !this.#isSet(name);
    if (/^[A-Z_][A-Z0-9_]*$/.test(name) && mayStay) return name;
    const folded = own + name.replace(/^-+/, "").replaceAll(/\W+/g, "_").toUpperCase();
    return folded.replace(/^(?=\d)/, "_");
  }

  #isSet(name: string): boolean {
    return this.#machine.env[name] !== undefined;
  }
}

type Input = z.output<typeof withVariables>;
type Described = Pick<Input, "description" | "isSecret">;

function isSecret(input: Described, name: string): boolean {
  return input.isSecret === true || namesSecret(name);
}

/** Tests whether an argument is a flag, whose name is written without a value. */
function isFlag({
  value,
  default: fallback,
  format,
  isRequired,
  valueHint,
}: z.output<typeof argument>): boolean {
  return [value, fallback, format, valueHint].every((given) => given === undefined) && isRequired !== true;
}

/**
 * Returns the text for a plan. Text from the description never becomes a variable of the plan, not even where several of its
 * values are joined: such a variable could send the user's own secrets somewhere.
 */
function textOf(parts: readonly Part[]): string {
  let text = "";
  let literal = "";
  const end = () => {
    text += literal.replaceAll("${", () => "$${");
    literal = "";
  };
  for (const part of parts) {
    if ("literal" in part) literal += part.literal;
    else {
      end();
      text += `\${${part.variable}}`;
    }
  }
  end();
  return text;
}
