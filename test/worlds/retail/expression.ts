import type { Value } from "./python-number.ts";

type Operator = "+" | "-" | "*" | "/" | "//" | "**";

/** An arithmetic expression, as Python reads it. */
export type Expression =
  | { readonly kind: "number"; readonly value: Value }
  | { readonly kind: "sign"; readonly sign: "+" | "-"; readonly of: Expression }
  | {
      readonly kind: "operation";
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
    };

/** Brackets and signs inside each other; Python stops at about as many. */
const maxDepth = 150;

const token = / *(?:(\d+\.\d*|\.\d+|\d+)|(\*\*|\/\/|[-+*/()]))/y;

/** Parses a whole text; `null` when Python would not read it. */
export function parseExpression(text: string): Expression | null {
  const tokens = readTokens(text.trimEnd());
  if (tokens === null) return null;
  const reader = new Reader(tokens);
  const expression = reader.sum(0);
  return expression !== null && reader.atEnd() ? expression : null;
}

function readTokens(text: string): string[] | null {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (match === null) return null;
    tokens.push(match[1] ?? match[2]!);
  }
  return tokens;
}

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  atEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  sum(depth: number): Expression | null {
    return this.#chain(["+", "-"], () => this.#product(depth));
  }

  #product(depth: number): Expression | null {
    return this.#chain(["*", "/", "//"], () => this.#signed(depth));
  }

  /** Operators of one rank, from left to right. */
  #chain(operators: readonly Operator[], next: () => Expression | null): Expression | null {
    let left = next();
    for (;;) {
      const operator = operators.find((each) => each === this.#tokens[this.#at]);
      if (left === null || operator === undefined) return left;
      this.#at += 1;
      const right = next();
      left = right === null ? null : { kind: "operation", operator, left, right };
    }
  }

  #signed(depth: number): Expression | null {
    const sign = this.#tokens[this.#at];
    if (sign !== "+" && sign !== "-") return this.#power(depth);
    if (depth > maxDepth) return null;
    this.#at += 1;
    const of = this.#signed(depth + 1);
    return of === null ? null : { kind: "sign", sign, of };
  }

  /** `**` binds stronger than a sign before it, and its right side may have a sign. */
  #power(depth: number): Expression | null {
    const left = this.#atom(depth);
    if (left === null || this.#tokens[this.#at] !== "**") return left;
    this.#at += 1;
    const right = depth > maxDepth ? null : this.#signed(depth + 1);
    return right === null ? null : { kind: "operation", operator: "**", left, right };
  }

  #atom(depth: number): Expression | null {
    const text = this.#tokens[this.#at++];
    if (text === undefined) return null;
    if (text === "(") {
      const inner = depth > maxDepth ? null : this.sum(depth + 1);
      return inner !== null && this.#tokens[this.#at++] === ")" ? inner : null;
    }
    return readNumber(text);
  }
}

function readNumber(text: string): Expression | null {
  if (!/^[\d.]+$/.test(text)) return null;
  if (text.includes(".")) return { kind: "number", value: Number(text) };
  // A whole number begins with 0 only when it is all zeros.
  if (/^0+[1-9]/.test(text) || text.length > 4_300) return null;
  return { kind: "number", value: BigInt(text) };
}
