import { expect, test } from "vitest";
import { nameTool } from "../../src/scaffold/names.ts";

test.each([
  [
    "weather",
    undefined,
    {
      id: "weather",
      package: "toolmount-tool-weather",
      tool: "get_weather",
      type: "GetWeather",
      words: "weather",
      module: "weather",
    },
  ],
  [
    "send_mail",
    "@me/mail",
    {
      id: "send-mail",
      package: "@me/mail",
      tool: "send_mail",
      type: "SendMail",
      words: "send mail",
      module: '"@me/mail"',
    },
  ],
  [
    "a1-b2",
    "my.mail_2",
    {
      id: "a1-b2",
      package: "my.mail_2",
      tool: "a1_b2",
      type: "A1B2",
      words: "a1 b2",
      module: "npm:my.mail_2",
    },
  ],
])("the names of the tool %s in the package %s", (name, packageName, names) => {
  expect(nameTool(name, packageName)).toEqual(names);
});

test.each(["", "Weather", "1-day", "-day", "day-", "a--b", "a b", "é", "a".repeat(41)])(
  'a tool cannot be named "%s"',
  (name) => {
    expect(() => nameTool(name, undefined)).toThrow(`"${name}" is not a valid tool name`);
  },
);

test("a name of a tool has at most 40 characters", () => {
  expect(nameTool("a".repeat(40), undefined).id).toHaveLength(40);
});

test.each(["", "Mail", "_mail", ".mail", "me/mail", "@me/", "@/mail", "@me/mail/x", "a b", "a".repeat(215)])(
  'a package cannot be named "%s"',
  (name) => {
    expect(() => nameTool("mail", name)).toThrow(`"${name}" is not a valid npm package name`);
  },
);

test("a name of a package has at most 214 characters", () => {
  expect(nameTool("mail", "a".repeat(214)).package).toHaveLength(214);
});
