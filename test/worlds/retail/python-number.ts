/** A number as Python has them: whole ones of any size, and doubles. */
export type Value = bigint | number;

/** Why an operation has no value. */
type Refusal = string;

/** Bits beyond which a whole number is not made: no double comes near. */
const maxBits = 65_536;

const tooLarge = "the number is too large";
const byZero = "division by zero";

/** Both as whole numbers, or both as doubles. */
function arithmetic(
  whole: (left: bigint, right: bigint) => bigint,
  double: (left: number, right: number) => number,
) {
  return (left: Value, right: Value): Value | Refusal => {
    if (typeof left === "bigint" && typeof right === "bigint") return bounded(whole(left, right));
    const doubles = bothDouble(left, right);
    return typeof doubles === "string" ? doubles : double(...doubles);
  };
}

export const add = arithmetic(
  (left, right) => left + right,
  (left, right) => left + right,
);
export const subtract = arithmetic(
  (left, right) => left - right,
  (left, right) => left - right,
);
export const multiply = arithmetic(
  (left, right) => left * right,
  (left, right) => left * right,
);

export const negate = (value: Value): Value => -value;

/** `/`: always a double. */
export function divide(left: Value, right: Value): Value | Refusal {
  if (typeof left === "bigint" && typeof right === "bigint")
    return right === 0n ? byZero : quotientOf(left, right);
  const doubles = bothDouble(left, right);
  if (typeof doubles === "string") return doubles;
  return doubles[1] === 0 ? byZero : doubles[0] / doubles[1];
}

/** `//`: the quotient rounded down; of doubles by way of the remainder, as Python does. */
export function floorDivide(left: Value, right: Value): Value | Refusal {
  if (typeof left === "bigint" && typeof right === "bigint") {
    if (right === 0n) return byZero;
    const quotient = left / right;
    return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
  }
  const doubles = bothDouble(left, right);
  if (typeof doubles === "string") return doubles;
  return doubles[1] === 0 ? byZero : floorOf(...doubles);
}

function floorOf(left: number, right: number): number {
  const remainder = left % right;
  let quotient = (left - remainder) / right;
  if (remainder !== 0 && right < 0 !== remainder < 0) quotient -= 1;
  if (quotient === 0) return left / right < 0 || Object.is(left / right, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

/** `**`: whole for whole numbers with an exponent of 0 or more. */
export function power(base: Value, exponent: Value): Value | Refusal {
  if (typeof base === "bigint" && typeof exponent === "bigint" && exponent >= 0n)
    return wholePower(base, exponent);
  const doubles = bothDouble(base, exponent);
  if (typeof doubles === "string") return doubles;
  const [left, right] = doubles;
  if (left === 0 && right < 0) return "zero cannot be raised to a negative power";
  if (left < 0 && !Number.isInteger(right) && Number.isFinite(right)) return "the power is no real number";
  const result = left ** right;
  return !Number.isFinite(result) && Number.isFinite(left) && Number.isFinite(right) ? tooLarge : result;
}

function wholePower(base: bigint, exponent: bigint): Value | Refusal {
  if (base === 0n || base === 1n || base === -1n)
    return base ** (exponent > 1n ? 2n - (exponent % 2n) : exponent);
  const bits = BigInt(base.toString(2).length - 1) * exponent;
  return bits > maxBits ? tooLarge : bounded(base ** exponent);
}

/** The double nearest to a whole number. */
export function toDouble(value: Value): number | Refusal {
  if (typeof value === "number") return value;
  const double = Number(value);
  return Number.isFinite(double) ? double : tooLarge;
}

function bothDouble(left: Value, right: Value): [number, number] | Refusal {
  const one = toDouble(left);
  if (typeof one === "string") return one;
  const other = toDouble(right);
  return typeof other === "string" ? other : [one, other];
}

function bounded(value: bigint): Value | Refusal {
  return value.toString(16).length * 4 > maxBits * 2 ? tooLarge : value;
}

/** The double nearest to the exact quotient of two whole numbers, as Python's true division. */
function quotientOf(left: bigint, right: bigint): number | Refusal {
  const negative = left < 0n !== right < 0n;
  const [top, bottom] = [left < 0n ? -left : left, right < 0n ? -right : right];
  if (top === 0n) return negative ? -0 : 0;
  // At least 66 bits of quotient; the lowest one says whether anything was cut off, so that rounding is exact.
  const shift = Math.max(0, 66 + bottom.toString(2).length - top.toString(2).length);
  const scaled = top << BigInt(shift);
  const quotient = (scaled / bottom) | (scaled % bottom === 0n ? 0n : 1n);
  const size = Number(quotient) * 2 ** -shift;
  if (!Number.isFinite(size)) return tooLarge;
  return negative ? -size : size;
}
