// The times of calls by all ways in turn, so that what else runs on the machine slows each of them.

import { prefixOf } from "./probe.mjs";

const rounds = 200;
const wide = 32;

/** A table: the median and the 99th percentile of one call, beside the server alone, and calls a second with 32 in flight. */
export async function race(ways) {
  const times = new Map(ways.map(({ name }) => [name, []]));
  const names = new Map();
  for (const { client } of ways) names.set(client, `${await prefixOf(client)}echo`);
  const call = ({ client }) => client.callTool({ name: names.get(client), arguments: { text: "hello" } });
  for (const way of ways) for (let at = 0; at < 30; at++) await call(way);
  for (let round = 0; round < rounds; round++)
    for (const way of ways.toSorted(() => Math.random() - 0.5)) {
      const begin = performance.now();
      await call(way);
      times.get(way.name).push(performance.now() - begin);
    }
  const rates = new Map();
  for (let round = 0; round < 5; round++)
    for (const way of ways) {
      const begin = performance.now();
      for (let at = 0; at < 10; at++) await Promise.all(Array.from({ length: wide }, () => call(way)));
      const rate = (10 * wide * 1_000) / (performance.now() - begin);
      rates.set(way.name, [...(rates.get(way.name) ?? []), rate]);
    }
  const median = (name) => quantile(times.get(name), 0.5);
  const peers = ways.slice(1).filter(({ name }) => !name.startsWith("toolmount"));
  const quickest = Math.min(...peers.map(({ name }) => median(name)));
  return ways.map(({ name }) => ({
    name,
    p50: median(name).toFixed(2),
    "times alone": (median(name) / median(ways[0].name)).toFixed(1),
    "beside the quickest peer": (median(name) / quickest).toFixed(2),
    p99: quantile(times.get(name), 0.99).toFixed(2),
    "calls a second": quantile(rates.get(name), 0.5).toFixed(0),
  }));
}

function quantile(values, part) {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
