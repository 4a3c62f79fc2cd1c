import type { ToolInfo } from "@toolmount/core";
import { alikeOf, wordsOf } from "./words.ts";

/** Number of tools found by words that are put in order. */
export const candidates = 40;

/**
 * Largest bonus for a tool whose whole name is in the query, and for one whose owner has other tools that match as well as the
 * best.
 */
const bonus = { name: 0.2, owner: 0.2 };

/** Factor for a tool after another one with the same name, because it does the same for another owner. */
const sameName = 0.6;

/** Number of other tools of the same owner that are considered for the bonus. */
const neighbours = 2;

/** The index of a tool, and how well it matches a query. */
export interface Found {
  readonly at: number;
  readonly score: number;
}

/** Orders tools that were found by words, using what words alone do not show: names, owners, and tools that do the same. */
export function createOrder(tools: readonly Pick<ToolInfo, "declaredName" | "owner">[]) {
  const names = tools.map(({ declaredName }) => [...new Set(wordsOf(declaredName))]);
  return (found: readonly Found[], words: readonly string[]): number[] => {
    const asked = new Set(words.flatMap((word) => [...alikeOf(word)]));
    const named = found.map(({ at, score }) => ({
      at,
      score: score * (1 + bonus.name * shareOf(names[at]!, asked)),
    }));
    const beside = bestFirst(addOwners(named, ({ at }) => tools[at]!.owner));
    const nameOf = ({ at }: Found) => names[at]!.join(" ");
    return bestFirst(lowerSame(beside, nameOf, ({ at }) => tools[at]!.owner)).map(({ at }) => at);
  };
}

function shareOf(words: readonly string[], asked: ReadonlySet<string>): number {
  return words.filter((word) => asked.has(word)).length / Math.max(1, words.length);
}

/** Raises the score of tools whose owner has several matching tools, because the query is probably about that owner. */
function addOwners(found: readonly Found[], ownerOf: (one: Found) => string): Found[] {
  const best = Math.max(...found.map(({ score }) => score));
  const groups = Map.groupBy(bestFirst(found), ownerOf);
  return found.map((one) => {
    const others = groups.get(ownerOf(one))!.filter((other) => other !== one);
    const sum = others.slice(0, neighbours).reduce((total, { score }) => total + score, 0);
    return { ...one, score: one.score * (1 + (bonus.owner * sum) / (neighbours * best)) };
  });
}

/**
 * Lowers the score of tools with the same name as another owner's. Tools of one owner differ, even if their names consist of
 * the same words, as in `get_user` and `get_all_users`.
 */
function lowerSame(
  found: readonly Found[],
  nameOf: (one: Found) => string,
  ownerOf: (one: Found) => string,
): Found[] {
  const owners = new Map<string, string>();
  return found.map((one) => {
    const [name, owner] = [nameOf(one), ownerOf(one)];
    const first = owners.get(name) ?? owner;
    if (name !== "") owners.set(name, first);
    return first === owner ? one : { ...one, score: one.score * sameName };
  });
}

function bestFirst(found: readonly Found[]): Found[] {
  return found.toSorted((one, other) => other.score - one.score);
}
