/** What must come of an address: it is asked, or the transport is never asked for a refused address. */
export type UrlVerdict = "allow" | "deny";

/** Names and what they resolve to; any other name does not exist. */
export const names: Readonly<Record<string, readonly string[]>> = {
  "public.test": ["93.184.216.34"],
  "www.public.test": ["93.184.216.34"],
  "six.public.test": ["2606:2800:220:1:248:1893:25c8:1946"],
  "both.public.test": ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"],
  "127.0.0.1.public.test": ["93.184.216.34"],
  "localhost.public.test": ["93.184.216.34"],
  "10.public.test": ["93.184.216.34"],
  "192.168.public.test": ["93.184.216.34"],
  "xn--bcher-kva.test": ["93.184.216.34"],
  "under_score.test": ["93.184.216.34"],
  "loop.attacker.test": ["127.0.0.1"],
  "loop6.attacker.test": ["::1"],
  "ten.attacker.test": ["10.1.2.3"],
  "meta.attacker.test": ["169.254.169.254"],
  "zero.attacker.test": ["0.0.0.0"],
  "mapped.attacker.test": ["::ffff:127.0.0.1"],
  "mapped-public.attacker.test": ["::ffff:93.184.216.34"],
  "ula.attacker.test": ["fd00::1"],
  "linklocal.attacker.test": ["fe80::1"],
  "zone.attacker.test": ["fe80::1%eth0"],
  "nat64.attacker.test": ["64:ff9b::7f00:1"],
  "sixtofour.attacker.test": ["2002:7f00:1::1"],
  "mixed.attacker.test": ["93.184.216.34", "127.0.0.1"],
  "mixed-first.attacker.test": ["127.0.0.1", "93.184.216.34"],
  "mixed6.attacker.test": ["93.184.216.34", "::1"],
  "nonsense.attacker.test": ["not an address"],
  "octal.attacker.test": ["0177.0.0.1"],
  "number.attacker.test": ["2130706433"],
  "empty.attacker.test": [],
  "metadata.google.internal": ["169.254.169.254"],
  localhost: ["127.0.0.1", "::1"],
  "anything.localhost": ["127.0.0.1"],
  intranet: ["10.0.0.8"],
  "db.internal": ["10.0.0.9"],
  "printer.local": ["192.168.1.9"],
};

/** First, last and some address of every range that is not routed globally. */
const refusedV4 =
  `0.0.0.0 0.0.0.1 0.255.255.255 10.0.0.0 10.0.0.1 10.255.255.255 100.64.0.0 100.64.1.1 100.127.255.255
127.0.0.0 127.0.0.1 127.0.0.2 127.1.2.3 127.255.255.255 169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.20.0.5
172.31.255.255 192.0.0.0 192.0.0.8 192.0.0.170 192.0.2.1 192.88.99.1 192.168.0.0 192.168.1.1 192.168.255.255 198.18.0.1
198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.254 255.255.255.255`.split(
    /\s+/,
  );

/** The neighbours of those ranges. */
const allowedV4 =
  `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
203.0.112.255 203.0.114.0 223.255.255.255`.split(/\s+/);

const refusedV6 =
  `:: ::1 ::2 ::7f00:1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:192.168.0.1 ::ffff:a9fe:a9fe
::ffff:0:7f00:1 ::ffff:0:127.0.0.1 ::93.184.216.34 ::ffff:93.184.216.34 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::a00:1
100::1 2001::1 2001:0:4136:e378:8000:63bf:80ff:fffe 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1
2002:c0a8:101::1 3fff::1 4000::1 5f00::1 8000::1 fc00::1 fd00::1 fdff:ffff::1 fe80::1 fe90::1 febf::1 fec0::1 feff::1 ff00::1
ff02::1 ff0e::1 0:0:0:0:0:0:0:1 0000:0000:0000:0000:0000:ffff:7f00:0001`.split(/\s+/);

const allowedV6 =
  `2606:2800:220:1:248:1893:25c8:1946 2001:4860:4860::8888 2a00:1450:4001:81b::200e 2400:cb00:2048:1::c629:d7a2
2620:fe::fe 3000::1`.split(/\s+/);

/** Ways to write an IPv4 address that WHATWG takes for it. */
const notations: readonly ((bytes: readonly number[]) => string)[] = [
  (bytes) => String(number(bytes)),
  (bytes) => `0x${number(bytes).toString(16)}`,
  (bytes) => `0${number(bytes).toString(8)}`,
  ([a, b, c, d]) => `0x${a!.toString(16)}.0x${b!.toString(16)}.0x${c!.toString(16)}.0x${d!.toString(16)}`,
  ([a, b, c, d]) => `0${a!.toString(8)}.0${b!.toString(8)}.0${c!.toString(8)}.0${d!.toString(8)}`,
  ([a, b, c, d]) => `${a}.${b}.${c! * 256 + d!}`,
  ([a, b, c, d]) => `${a}.${b! * 65_536 + c! * 256 + d!}`,
  ([a, ...rest]) => `0x${a!.toString(16)}.${rest.join(".")}`,
  (bytes) => `${bytes.join(".")}.`,
  (bytes) => bytes.join(".").replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (bytes) => bytes.join("\u3002"),
  (bytes) => bytes.join(".").replace(/\d/g, (digit) => `%3${digit}`),
];

function number(bytes: readonly number[]): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

function spelled(address: string): string[] {
  const bytes = address.split(".").map(Number);
  return notations.map((write) => `http://${write(bytes)}/`);
}

const odd: readonly (readonly [UrlVerdict, readonly string[]])[] = [
  [
    "allow",
    [
      "http://public.test/",
      "https://public.test/a?b=c#d",
      "https://www.public.test/index.html",
      "HTTPS://PUBLIC.TEST/",
      "http://public.test./",
      "http://public.test:80/",
      "http://public.test:443/",
      "http://public.test:8080/",
      "https://public.test:8443/",
      "http://public.test:0080/",
      "http://six.public.test/",
      "http://both.public.test/",
      "http://127.0.0.1.public.test/",
      "http://localhost.public.test/",
      "http://10.public.test/",
      "http://192.168.public.test/",
      "http://bücher.test/",
      "http://under_score.test/",
      "http://public.test/http://127.0.0.1/",
      "http://public.test/?url=http://169.254.169.254/",
      "http://public.test/@127.0.0.1/",
      "http://public.test/#@127.0.0.1",
      "http://public.test\\@127.0.0.1:80@x/",
      "http:public.test/",
      "http:/public.test/",
      "http:\\\\public.test\\a",
      " http://public.test/ ",
      "http://pub\nlic.test/",
      "http://public.test/\u00e9",
      "http://ｐｕｂｌｉｃ.test/",
    ],
  ],
  [
    "deny",
    [
      "ftp://public.test/",
      "file:///etc/passwd",
      "gopher://public.test/",
      "data:text/plain,x",
      "javascript:alert(1)",
      "ws://public.test/",
      "wss://public.test/",
      "blob:http://public.test/x",
      "about:blank",
      "ldap://public.test/",
      "public.test",
      "//public.test/",
      "/etc/passwd",
      "http://",
      "http:///",
      "http://?",
      "https://:80/",
      "http://public.test:22/",
      "http://public.test:25/",
      "http://public.test:6379/",
      "http://public.test:0/",
      "http://public.test:65536/",
      "http://public.test:81/",
      "http://user@public.test/",
      "http://user:pass@public.test/",
      "http://:pass@public.test/",
      "http://public.test@10.0.0.2/",
      "http://public.test:80@10.0.0.2/",
      "http://127.0.0.1@public.test/",
      "http://public.test%40127.0.0.1/",
      "http://10.0.0.1\\@public.test/",
      "http://10.0.0.1#@public.test/",
      "http://10.0.0.1?@public.test/",
      "http://10.0.0.1/@public.test/",
      "http://[::1%25lo]/",
      "http://[::1/",
      "http://::1/",
      "http://[fe80::1%25eth0]/",
      "http://localhost/",
      "http://LOCALHOST/",
      "http://localhost./",
      "http://anything.localhost/",
      "http://loc\talhost/",
      "http://ⓛocalhost/",
      "http://loop.attacker.test/",
      "http://loop6.attacker.test/",
      "http://ten.attacker.test/path",
      "http://meta.attacker.test/latest/meta-data",
      "http://zero.attacker.test/",
      "http://mapped.attacker.test/",
      "http://mapped-public.attacker.test/",
      "http://ula.attacker.test/",
      "http://linklocal.attacker.test/",
      "http://zone.attacker.test/",
      "http://nat64.attacker.test/",
      "http://sixtofour.attacker.test/",
      "http://mixed.attacker.test/",
      "http://mixed-first.attacker.test/",
      "http://mixed6.attacker.test/",
      "http://nonsense.attacker.test/",
      "http://octal.attacker.test/",
      "http://number.attacker.test/",
      "http://empty.attacker.test/",
      "http://gone.attacker.test/",
      "http://metadata.google.internal/",
      "http://intranet/",
      "http://db.internal/",
      "http://printer.local/",
      "http://1.2.3.4.5/",
      "http://256.256.256.256/",
      "http://4294967296/",
      "http://0x/",
      "http://0/",
      "http://127.1/",
      "http://127.0.1/",
      "http://0177.1/",
      "http://0x7f.1/",
      "http://①②⑦.⓪.⓪.①/",
      "http://127。0。0。1/",
      "http://127.0.0.1.:80/",
      "http://xn--/",
      "http://a b.test/",
      "http://<public.test>/",
      `http://public.test/${"a".repeat(70_000)}`,
    ],
  ],
];

/** The whole table. */
export const urlCases: readonly (readonly [UrlVerdict, string])[] = [
  ...refusedV4.map((address) => ["deny", `http://${address}/`] as const),
  ...allowedV4.map((address) => ["allow", `http://${address}/`] as const),
  ...refusedV6.map((address) => ["deny", `http://[${address}]/`] as const),
  ...allowedV6.map((address) => ["allow", `http://[${address}]/`] as const),
  ...["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "172.16.0.1", "100.64.0.1"]
    .flatMap(spelled)
    .map((url) => ["deny", url] as const),
  ...["93.184.216.34", "8.8.8.8"].flatMap(spelled).map((url) => ["allow", url] as const),
  ...odd.flatMap(([verdict, urls]) => urls.map((url) => [verdict, url] as const)),
];
