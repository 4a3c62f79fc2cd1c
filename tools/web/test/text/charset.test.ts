import { expect, test } from "vitest";
import { decodeHtml, decodeText, parseContentType } from "../../src/text/charset.ts";

test.each([
  ["text/html", { essence: "text/html", charset: undefined }],
  ["Text/HTML; Charset=UTF-8", { essence: "text/html", charset: "UTF-8" }],
  ['text/plain; a=b; charset="latin1"', { essence: "text/plain", charset: "latin1" }],
  ["", { essence: "", charset: undefined }],
  ["nonsense", { essence: "", charset: undefined }],
])("the content type %j is %j", (header, type) => {
  expect(parseContentType(header)).toEqual(type);
});

const bytes = (hex: string) => Buffer.from(hex, "hex");

test.each([
  ["61c3a9", undefined, "aé"],
  ["61e9", "latin1", "aé"],
  ["61e9", "utf-8", "a\ufffd"],
  ["61e9", "klingon", "a\ufffd"],
  ["efbbbf61c3a9", "latin1", "aé"],
  ["efbb61", "latin1", "ï»a"],
  ["fffe6100e900", "utf-8", "aé"],
  ["feff006100e9", "utf-8", "aé"],
  ["ff61", "latin1", "ÿa"],
  ["fe61", "latin1", "þa"],
  ["fffd", "latin1", "ÿý"],
  ["", undefined, ""],
])("the text of the bytes %s with the charset %s is %j", (hex, charset, text) => {
  expect(decodeText(bytes(hex), charset)).toBe(text);
});

const html = (text: string) => Buffer.from(text, "latin1");

test.each([
  [html("<p>\xe9"), undefined, false, "<p>é"],
  [Buffer.from("<p>é"), undefined, false, "<p>é"],
  [html("<p>\xe9"), "utf-8", false, "<p>\ufffd"],
  [Buffer.from("<p>é"), "windows-1252", false, "<p>Ã©"],
  [html('<meta charset="koi8-r"><p>\xd0'), undefined, false, '<meta charset="koi8-r"><p>п'],
  [html('<meta charset="koi8-r"><p>\xd0'), "windows-1252", false, '<meta charset="koi8-r"><p>Ð'],
  [Buffer.from("<p>é"), "klingon", false, "<p>é"],
  [Buffer.concat([bytes("efbbbf"), Buffer.from("<p>é")]), "windows-1252", false, "<p>é"],
  [Buffer.from("\ufeff<p>é", "utf16le"), undefined, false, "<p>é"],
  [
    html('<?xml version="1.0" encoding="koi8-r"?><p>\xd0'),
    undefined,
    true,
    '<?xml version="1.0" encoding="koi8-r"?><p>п',
  ],
])("the page %j with the charset %s (XML: %s) is %j", (page, charset, xml, text) => {
  expect(decodeHtml(page, charset, xml)).toBe(text);
});

const latin1 = (text: string) => Buffer.from(text, "latin1");

test.each([
  ["XML that declares its encoding", latin1('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'), "é"],
  ["CSS that declares its encoding", latin1('@charset "iso-8859-1";a::after{content:"é"}'), "é"],
  ["text that is not UTF-8", latin1("é"), "é"],
  ["UTF-16 without a mark", Buffer.from('{"é":1}', "utf16le"), "é"],
  ["XML that says UTF-16 and is not", Buffer.from('<?xml version="1.0" encoding="utf-16"?><a>é</a>'), "é"],
])("the charset of %s is found", (_title, given, found) => {
  expect(decodeText(given, undefined)).toContain(found);
});

test("a page that names its charset late is read by it", () => {
  const page = Buffer.concat([
    Buffer.from(`<!--${"x".repeat(2000)}--><meta charset="shift_jis"><p>`),
    Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
  ]);

  expect(decodeHtml(page, undefined, false)).toContain("日本");
});
