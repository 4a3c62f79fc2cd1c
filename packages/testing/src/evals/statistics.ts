/** The 95 % interval of a mean or a share. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % quantile of the normal distribution. */
const z = 1.959964;

/** Returns the 95 % interval of a share, after Wilson. It lies between 0 and 1, and is also valid for few runs. */
export function wilsonInterval(passed: number, runs: number): Interval {
  const share = passed / runs;
  const scale = 1 + z ** 2 / runs;
  const centre = (share + z ** 2 / (2 * runs)) / scale;
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / runs + z ** 2 / (4 * runs ** 2));
  return { low: passed === 0 ? 0 : centre - half, high: passed === runs ? 1 : centre + half };
}

/** Returns how many runs must all pass so that the lower end of the interval reaches `share`. */
export function runsToShow(share: number): number {
  return Math.ceil((z ** 2 * share) / (1 - share) - 1e-9);
}

/** Returns pass^k: an unbiased estimate of the chance that `k` runs all pass. Source: the definition in τ-bench. */
export function passAll(passed: number, runs: number, k: number): number {
  let chance = 1;
  for (let at = 0; at < k; at++) chance *= Math.max(0, passed - at) / (runs - at);
  return chance;
}

/**
 * Returns the two-sided p of the exact McNemar test, which is a sign test over the pairs that differ: how likely a split at
 * least this unequal is if neither side is better. 1 if no pair differs.
 */
export function mcNemar(onlyFirst: number, onlySecond: number): number {
  const pairs = onlyFirst + onlySecond;
  let probability = Math.exp(-pairs * Math.LN2);
  let [sum, log] = [probability, -pairs * Math.LN2];
  for (let at = 1; at <= Math.min(onlyFirst, onlySecond); at++) {
    log += Math.log((pairs - at + 1) / at);
    probability = Math.exp(log);
    sum += probability;
  }
  return Math.min(1, 2 * sum);
}

/** Returns the mean of values with its 95 % interval, after Student. A single value has no interval. */
export function meanInterval(values: readonly number[]): { readonly mean: number } & Partial<Interval> {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (count < 2) return { mean };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const half = studentQuantile(count - 1) * Math.sqrt(variance / count);
  return { mean, low: mean - half, high: mean + half };
}

/** Exact 97.5 % quantiles for few degrees of freedom, for which the series below is not precise. */
const exactQuantiles = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447];

/** Returns the 97.5 % quantile of Student's distribution. Source: Abramowitz and Stegun, 26.7.5. */
function studentQuantile(freedom: number): number {
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return exactQuantiles[freedom - 1] ?? z + first / freedom + second / freedom ** 2 + third / freedom ** 3;
}
