import { expect } from "vitest";
import type { ProviderRequest } from "@toolmount/testing/providers";
import { z } from "zod";
import { modelWorld } from "./model-world.ts";
import { random } from "./mutants.ts";
import { pictures } from "./pictures.ts";
import { createRefuser, refusalOf, type Reason } from "./refusals.ts";
import { anthropic, chat, gemini, responses } from "./wires.ts";
import { tool } from "./world.ts";

const wires = [responses, chat, anthropic, gemini];

/** A tool that records its runs. Each third result has an image of its own. */
function noting(ran: number[]) {
  const schema = z.object({ n: z.number().gt(0) });
  const note = tool("note", () => null, { category: "read", schema } as object);
  const imageOf = (n: number) => ({
    type: "image",
    mimeType: "image/png",
    data: pictures.png((n % 90) + 10, Math.ceil(n / 90) + 10),
  });
  return {
    ...note,
    execute: async ({ n }: { readonly n: number }) => {
      ran.push(n);
      const text = `note ${n} ${"x".repeat(3_000)}`;
      return { data: text, ...(n % 3 === 0 && { content: [{ type: "text", text }, imageOf(n)] }) };
    },
  };
}

/** A model that makes two calls when it is asked, and reports when it has their results. */
function createModel() {
  let count = 0;
  let hasCalled = false;
  const callOf = (n: number) => ({ id: `call_of_the_model_${n}`, name: "note", arguments: `{"n":${n}}` });
  return {
    made: () => count,
    answer(request: ProviderRequest) {
      if (JSON.stringify(request).includes("Write a summary of this conversation"))
        return { text: "SUMMARY" };
      hasCalled = !hasCalled;
      if (!hasCalled) return { text: "done so far" };
      const calls = [callOf(++count), callOf(++count)];
      return { reasoning: `SIGNATURE_${count}`, calls };
    },
  };
}

/** Plays a session of `turns` turns at a server that refuses each tenth request. Fails for one that a refusal ends. */
export async function playRefusedSession(seed: number, turns: number): Promise<readonly Reason[]> {
  const draw = random(seed * 7_919);
  const wire = wires[seed % wires.length]!;
  const refuser = createRefuser(draw);
  const model = createModel();
  const ran: number[] = [];
  const script = (at: number, request: ProviderRequest) => {
    const refused = refuser.refuse(at, request);
    return refused === null ? model.answer(request) : refusalOf(refused);
  };
  const settings = { retries: 2, retryDelayMs: 0, maxIterations: 20 };
  const options = { tools: [noting(ran)], settings };
  const { run } = await modelWorld(wire, seed % 3 > 0, script, options, { window: 1_000_000 });
  let failed = 0;
  for (let turn = 1; turn <= turns; turn++) {
    const before = refuser.given.length;
    const { status, error } = await run(`go ${turn}`);
    const refusals = refuser.given.slice(before);
    const about = `seed ${seed}, ${wire.name}, turn ${turn}: ${refusals.map(({ name }) => name).join(", ")}: ${error?.message}`;
    if (status !== "done") failed++;
    const mayFail = refusals.some(({ isForPeople }) => isForPeople);
    expect(status, about).toBe(mayFail && status === "failed" ? "failed" : "done");
  }
  expect(ran.length, `seed ${seed}`).toBe(new Set(ran).size);
  expect(ran.length, `seed ${seed}`).toBe(model.made());
  expect(failed).toBeLessThan(turns / 2);
  return refuser.given;
}
