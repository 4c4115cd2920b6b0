import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compact, keyUnit, short, whole } from "../../src/base/format";
import { SchemaBook, type Schema } from "../../src/data/schema";
import { address, decode, encode, type Shared } from "../../src/data/link";
import { tokens } from "../../src/panels/toml";

// From the page's folder, where the tests are started.
const schema = (name: string) => JSON.parse(readFileSync(`../../../schema/${name}.schema.json`, "utf8")) as Schema;

test("every key of both schemas can be edited and has a first value within its limits", () => {
  for (const name of ["scenario", "sensor"]) {
    const root = schema(name);
    const book = new SchemaBook(root);
    const tables = [root, ...Object.values(root.$defs ?? {})];
    let keys = 0;
    for (const table of tables) {
      for (const [key, value] of Object.entries(table.properties ?? {})) {
        keys++;
        const own = book.resolve(value);
        const kind = book.kind(value);
        const first = book.first(value);
        assert.ok(book.help(key, value).length > key.length, `${key} has no words`);
        if (kind === "number" || kind === "integer") {
          assert.equal(typeof first, "number", key);
          const number = first as number;
          assert.ok(own.minimum === undefined || number >= own.minimum, `${key}: ${number}`);
          assert.ok(own.maximum === undefined || number <= own.maximum, `${key}: ${number}`);
          assert.ok(own.exclusiveMinimum === undefined || number > own.exclusiveMinimum, `${key}: ${number}`);
          assert.ok(own.exclusiveMaximum === undefined || number < own.exclusiveMaximum, `${key}: ${number}`);
        }
        if (kind === "vector") assert.equal((first as number[]).length, own.minItems, key);
        if (kind === "choice") assert.ok(book.choices(value).some((choice) => choice.value === first), key);
      }
    }
    assert.ok(keys > 80, `${keys} keys in ${name}`);
  }
});

test("keys say their units", () => {
  assert.deepEqual(keyUnit("range_max_m"), ["range max", "m"]);
  assert.deepEqual(keyUnit("speed_m_s"), ["speed", "m/s"]);
  assert.deepEqual(keyUnit("rotation_deg"), ["rotation", "°"]);
  assert.deepEqual(keyUnit("wavelength_nm"), ["wavelength", "nm"]);
  assert.deepEqual(keyUnit("seed"), ["seed", ""]);
});

test("numbers are short and keep their size", () => {
  assert.equal(whole(1234567), "1\u202f234\u202f567");
  assert.equal(compact(1234567), "1.23 M");
  assert.equal(compact(524288), "524 k");
  assert.equal(short(0.000123, 3), "0.000123");
  assert.equal(short(-12.3456, 4), "−12.35");
  assert.equal(short(1000, 3), "1000");
  assert.equal(short(NaN), "–");
});

test("colours of TOML lose no letter", () => {
  const text = readFileSync("../../../scenarios/demo.toml", "utf8");
  for (const line of text.split("\n")) assert.equal(tokens(line).map((token) => token.text).join(""), line);
  assert.deepEqual(tokens("[[sensor]]").map((token) => token.kind), ["table"]);
  assert.deepEqual(tokens('a = "x # y" # z').filter((token) => token.kind).map((token) => [token.kind, token.text]), [["key", "a"], ["string", '"x # y"'], ["comment", "# z"]]);
});

test("a link gives back its view, never holds the token, and bad letters are no view", () => {
  const view: Shared = { scenario: "Wäldchen", text: "seed = 1\n", view: { target: [1, 2.5, -3], distance: 12, azimuth: 0.1, elevation: 0.2, flat: false }, look: { size: 3 }, scans: [{ name: "a", seed: 4 }] };
  assert.deepEqual(decode(encode(view)), view);
  (globalThis as Record<string, unknown>).location = { origin: "http://127.0.0.1:1", pathname: "/", hash: "#token=SECRET" };
  assert.ok(!address(view).address.includes("SECRET"));
  assert.ok(!address({ ...view, text: "x".repeat(100_000) }).whole);
  for (const letters of ["", "%%%", "AAAA", encode({} as Shared), btoa("[1,2]")]) assert.equal(decode(letters), null);
});
