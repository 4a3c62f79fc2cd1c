import { describe, expect, test } from "vitest";
import { prepareIntent } from "../src/flows/intent.ts";
import { Words } from "../src/flows/runs.ts";
import { UserWords } from "../src/flows/words.ts";

/** The runs of so many words, as texts. */
function runsOf(text: string, length: number): readonly string[] {
  const words = new Words(text);
  return [...words.runs(length)].map(([, at]) => words.slice(at, length));
}

describe("the words of a text", () => {
  test.each<[string, string, number, readonly string[]]>([
    ["one by one", "one two three", 1, ["one", "two", "three"]],
    ["two by two", "one two three", 2, ["one two", "two three"]],
    ["fewer than wanted", "one two", 3, []],
    ["exactly as many", "one two three", 3, ["one two three"]],
    ["none across texts that were joined", "one two\nthree four", 2, ["one two", "three four"]],
    ["without the marks around them", "(one), *two*! - three.", 1, ["one", "two", "three"]],
    ["with the marks inside them", "it's a-b x_y a.b", 1, ["it's", "a-b", "x_y", "a.b"]],
    ["with digits and letters of other scripts", "a1 9z äh ёж", 1, ["a1", "9z", "äh", "ёж"]],
    ["without marks of other blocks", "«one» “two” … „three‟ 、four。", 1, ["one", "two", "three", "four"]],
    [
      "between the marks of JSON, lists and tables",
      '{"a":"b"}[c](d)<e>|f;g,h=i&j',
      1,
      ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"],
    ],
    ["of a script without blanks by two characters", "一二三", 1, ["一二", "二三"]],
    ["of Thai and Japanese alike", "กขค ひらカ", 1, ["กข", "ขค", "ค ひ", "ひら", "らカ"]],
    ["of a word of 49 characters as two", `${"x".repeat(49)} b c`, 2, ["x".repeat(49), "b c"]],
    ["of a word of 48 characters as one", `${"x".repeat(48)} b c`, 2, [`${"x".repeat(48)} b`, "b c"]],
  ])("are taken %s: %j", (_title, text, length, runs) => {
    expect(runsOf(text, length)).toEqual(runs);
  });

  test.each([
    ["", 0],
    ["- . !", 0],
    ["one", 1],
    ["one two", 2],
    ["一", 0],
    ["一二", 1],
    ["一二三", 1],
    ["한국어 글", 2],
    ["ກຂ", 1],
    ["ကခ", 1],
    ["កខ", 1],
    ["ꓐꓑ", 1],
    ["豈更", 1],
    ["ༀཀ", 1],
    ["אב", 1],
    ["x".repeat(96), 2],
    ["x".repeat(97), 3],
  ])("%j has %i of them", (text, count) => {
    expect(new Words(text).count()).toBe(count);
  });

  test("a run is known by its words, in their order", () => {
    const [[one]] = [...new Words("send it").runs(2)] as [[number, number]];
    expect(new Words("now send, it!").has(one, 2)).toBe(true);
    expect(new Words("it send").has(one, 2)).toBe(false);
    expect(new Words("send its").has(one, 2)).toBe(false);
  });

  test("no more of a long text is read than its first words, where no more are wanted", () => {
    const text = "one two three four five six";
    expect([new Words(text).count(5), new Words(text).count(9)]).toEqual([5, 6]);
  });
});

/** Whether the user asks for what a tool does. */
const asksFor = (tool: string, prompt: string) =>
  prepareIntent("user", { name: tool, declaredName: tool })!(new UserWords([prompt]));

describe("the action that a tool's name says", () => {
  // Names that belong to one kind of action, and words that users have for it.
  test.each([
    [
      ["send", "mail"],
      ["send", "post", "remind", "let"],
    ],
    [
      ["create", "schedule"],
      ["create", "arrange", "reserve"],
    ],
    [
      ["delete", "erase"],
      ["delete", "get rid", "take out"],
    ],
    [
      ["refund", "return"],
      ["refund", "claim", "ask"],
    ],
    [["cancel"], ["cancel", "call off", "remove"]],
    [
      ["update", "modify"],
      ["update", "rename", "lower"],
    ],
    [
      ["reschedule", "move"],
      ["reschedule", "delay", "put"],
    ],
    [
      ["reserve", "book"],
      ["reserve", "rent"],
    ],
    [["share"], ["share", "give", "send"]],
    [["invite"], ["invite", "join", "bring"]],
    [
      ["post", "submit"],
      ["post", "upload", "subscribe"],
    ],
    [
      ["checkout", "purchase"],
      ["check out", "buy", "pay"],
    ],
    [
      ["download", "copy"],
      ["download", "sync", "back up"],
    ],
    [["star"], ["star", "bookmark", "like"]],
    [
      ["login", "verify"],
      ["log in", "sign in", "account"],
    ],
  ])("tools that %j are asked for with %j", (tools, words) => {
    for (const tool of tools) {
      expect(words.filter((word) => asksFor(`x_${tool}`, `Please ${word} now.`))).toEqual(words);
      expect(asksFor(`x_${tool}`, "Please look at that now.")).toBe(false);
    }
  });

  test.each(["browse", "fetch", "open", "get", "visit"])("a tool that %ss needs no word", (tool) => {
    expect(asksFor(tool, "anything")).toBe(true);
  });
});

describe("the thing that a tool's name says", () => {
  test.each([
    ["money", ["money", "dollar", "owe"]],
    ["transaction", ["rent", "standing order", "invoice"]],
    ["password", ["passphrase", "credential"]],
    ["email", ["e-mail", "inbox", "write"]],
    ["message", ["message", "dm", "feedback"]],
    ["event", ["event", "lunch", "interview"]],
    ["calendar", ["calendar", "meeting", "schedule"]],
    ["file", ["file", "report", "presentation"]],
    ["webpage", ["website", "link", "form"]],
    ["user", ["user", "people", "phone"]],
    ["participants", ["attendee", "people", "add"]],
    ["collaborators", ["contributor", "access", "invite"]],
    ["channel", ["channel", "slack"]],
    ["hotel", ["room", "lodging"]],
    ["restaurant", ["table", "brunch", "eat"]],
    ["car", ["car", "vehicle", "drive"]],
    ["repo", ["repository", "code"]],
    ["issue", ["bug", "ticket", "report"]],
    ["cart", ["basket", "check out", "shop"]],
    ["order", ["order", "item", "return"]],
    ["key", ["key", "ssh"]],
    ["product", ["item", "buy", "shop"]],
    ["dir", ["directory", "folder"]],
  ])("%s is named with %j", (thing, words) => {
    expect(words.filter((word) => asksFor(`get_${thing}`, `About the ${word} of today`))).toEqual(words);
    expect(asksFor(`get_${thing}`, "About the weather of today")).toBe(false);
  });

  test.each([
    ["sendMoney", "Send a gift.", true],
    ["sendMoney", "Send a card.", false],
    ["send-money", "Send a gift.", true],
    ["bank.send money", "Send a gift.", true],
    ["get_emails", "What is in my inbox?", true],
    ["get_emails", "What is new?", false],
    ["HTTPFrob", "httpfrob it", true],
    ["do_it", "anything at all", true],
    ["zap_it", "Zap it.", true],
    ["zap_it", "Do it.", false],
  ])("the name %s is read by its parts: %j asks for it: %s", (tool, prompt, asks) => {
    expect(asksFor(tool, prompt)).toBe(asks);
  });
});

test("words of the plan count beside the English ones, for verbs and for things", () => {
  const tool = { name: "send_money", declaredName: "send_money" };
  const asks = prepareIntent("user", tool, { send: ["Schicke"], money: ["Geld"], file: ["Datei"] })!;
  const isAsked = (prompt: string) => asks(new UserWords([prompt]));

  expect(["schicke geld", "send geld", "schicke money"].map(isAsked)).toEqual([true, true, true]);
  expect(["schicke datei", "nimm geld", "geld"].map(isAsked)).toEqual([false, false, false]);
  expect(prepareIntent(undefined, tool)).toBeNull();
});
