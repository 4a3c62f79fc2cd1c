/** A double as an exact fraction: `top / bottom`. */
function exact(value: number): { top: bigint; bottom: bigint } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = exponent === 0 ? fraction : fraction | 0x10000000000000n;
  const power = Math.max(exponent, 1) - 1_075;
  const top = value < 0 ? -mantissa : mantissa;
  return power >= 0 ? { top: top << BigInt(power), bottom: 1n } : { top, bottom: 1n << BigInt(-power) };
}

/** The whole number nearest to a fraction; a tie goes to the even one. */
function nearest(top: bigint, bottom: bigint): bigint {
  const negative = top < 0n;
  const size = negative ? -top : top;
  const floor = size / bottom;
  const rest = (size % bottom) * 2n;
  const up = rest > bottom || (rest === bottom && floor % 2n === 1n);
  const rounded = up ? floor + 1n : floor;
  return negative ? -rounded : rounded;
}

/** No double has more decimals that matter, or more digits before the point. */
const maxDecimals = 400;

/** Rounds the exact binary value to so many decimals; negative ones round before the point. */
export function roundTo(value: number, decimals: number): number {
  const places = Math.max(-maxDecimals, Math.min(maxDecimals, decimals));
  const rounded = Number(`${scaled(value, places)}e${-places}`);
  return value < 0 && rounded === 0 ? -0 : rounded;
}

/** A number with exactly so many decimals: `1200.50`. */
export function printFixed(value: number, decimals: number): string {
  const digits = scaled(Math.abs(value), decimals)
    .toString()
    .padStart(decimals + 1, "0");
  const sign = value < 0 ? "-" : "";
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function scaled(value: number, decimals: number): bigint {
  const { top, bottom } = exact(value);
  return decimals >= 0
    ? nearest(top * 10n ** BigInt(decimals), bottom)
    : nearest(top, bottom * 10n ** BigInt(-decimals));
}

/** Rounds to so many significant bits; a tie goes to the even one. */
export function roundBits(value: number, bits: number): number {
  // A double has 53 bits.
  if (value === 0 || bits >= 53) return value;
  const scale = 2 ** (bits - 1 - Math.floor(Math.log2(Math.abs(value))));
  const { top, bottom } = exact(value * scale);
  return Number(nearest(top, bottom)) / scale;
}

/** The square root of a double, rounded to so many significant decimal digits; a tie goes to the even one. */
export function squareRoot(value: number, precision: number): number {
  if (value === 0) return 0;
  const digits = Math.min(maxDecimals, precision);
  const { top, bottom } = exact(value);
  // Four digits more than asked for, and one that says whether the root has more digits.
  const places = Math.max(0, digits + 4 - Math.floor(Math.log10(value) / 2));
  const scaledTop = (top * 10n ** BigInt(2 * places)) / bottom;
  const root = wholeRoot(scaledTop);
  const inexact = root * root * bottom !== top * 10n ** BigInt(2 * places);
  const withSticky = root * 10n + (inexact ? 1n : 0n);
  const drop = Math.max(0, withSticky.toString().length - digits);
  return Number(`${nearest(withSticky, 10n ** BigInt(drop))}e${drop - places - 1}`);
}

/** The largest whole number whose square is not above `value`, by Newton's method. */
function wholeRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
