/** Random numbers of one service. The same seed gives the same numbers. */
export interface Random {
  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number;
  /** A double between the two. */
  uniform(low: number, high: number): number;
}

const size = 624;
const middle = 397;

/** The Mersenne Twister MT19937, seeded by an array of one 32-bit word. Source: the reference implementation. */
export function createRandom(seed: number): Random {
  const state = seedByArray(seed >>> 0);
  let at = size;
  const next = (): number => {
    if (at === size) {
      twist(state);
      at = 0;
    }
    return temper(state[at++]!);
  };
  const bits = (count: number): bigint => {
    if (count <= 32) return BigInt(next() >>> (32 - count));
    const low = BigInt(next());
    return low | (bits(count - 32) << 32n);
  };
  return {
    integer(low, high) {
      const range = BigInt(high - low + 1);
      const count = range.toString(2).length;
      let drawn = bits(count);
      while (drawn >= range) drawn = bits(count);
      return low + Number(drawn);
    },
    uniform(low, high) {
      const upper = next() >>> 5;
      const lower = next() >>> 6;
      return low + ((high - low) * (upper * 67_108_864 + lower)) / 9_007_199_254_740_992;
    },
  };
}

function seedByNumber(seed: number): Uint32Array {
  const state = new Uint32Array(size);
  state[0] = seed;
  for (let index = 1; index < size; index += 1) {
    const before = state[index - 1]! ^ (state[index - 1]! >>> 30);
    state[index] = Math.imul(before, 1_812_433_253) + index;
  }
  return state;
}

/** `init_by_array` with a key of one word, so that the key's index is always 0. */
function seedByArray(key: number): Uint32Array {
  const state = seedByNumber(19_650_218);
  let index = 1;
  const wrap = () => {
    index += 1;
    if (index < size) return;
    state[0] = state[size - 1]!;
    index = 1;
  };
  for (let step = 0; step < size; step += 1) {
    state[index] = (state[index]! ^ mixed(state, index, 1_664_525)) + key;
    wrap();
  }
  for (let step = 0; step < size - 1; step += 1) {
    state[index] = (state[index]! ^ mixed(state, index, 1_566_083_941)) - index;
    wrap();
  }
  state[0] = 0x80000000;
  return state;
}

function mixed(state: Uint32Array, index: number, factor: number): number {
  return Math.imul(state[index - 1]! ^ (state[index - 1]! >>> 30), factor);
}

function twist(state: Uint32Array): void {
  for (let index = 0; index < size; index += 1) {
    const word = (state[index]! & 0x80000000) | (state[(index + 1) % size]! & 0x7fffffff);
    const odd = (word & 1) === 0 ? 0 : 0x9908b0df;
    state[index] = state[(index + middle) % size]! ^ (word >>> 1) ^ odd;
  }
}

function temper(word: number): number {
  let value = word;
  value ^= value >>> 11;
  value ^= (value << 7) & 0x9d2c5680;
  value ^= (value << 15) & 0xefc60000;
  value ^= value >>> 18;
  return value >>> 0;
}
