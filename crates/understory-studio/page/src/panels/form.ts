// A form made from the schema: a group per table, a field per key that is set, and a menu of keys that
// could be. Each change goes to the program as one key; the new text comes back with it.

import { fill, h, type Child } from "../base/dom";
import { keyUnit } from "../base/format";
import { icon } from "../base/icons";
import { showMenu } from "../base/menu";
import { SchemaBook, type Schema } from "../data/schema";
import type { Studio } from "../data/studio";
import type { Document, Problem, Step } from "../protocol";

type Path = Step[];
const text = (path: Path) => path.join(".");

export class Form {
  readonly element = h("div", { class: "form scroll", "data-test": "form" });
  readonly #studio: Studio;
  readonly #scenario: SchemaBook;
  readonly #sensor: SchemaBook;
  readonly #open = new Set<string>(["", "sensor", "sensor.0", "platform"]);
  #problems = new Map<string, Problem>();

  constructor(studio: Studio, scenario: Schema, sensor: Schema) {
    this.#studio = studio;
    this.#scenario = new SchemaBook(scenario);
    this.#sensor = new SchemaBook(sensor);
    studio.document.watch(() => this.#show());
    studio.library.on(() => this.#show());
  }

  /** Opens the groups down to a key and goes there. */
  reveal(path: Path): void {
    for (let i = 0; i <= path.length; i++) this.#open.add(text(path.slice(0, i)));
    this.#show();
    const target = this.element.querySelector<HTMLElement>(`[data-path="${CSS.escape(text(path))}"]`);
    target?.scrollIntoView({ block: "center" });
    target?.querySelector<HTMLElement>("input, select")?.focus();
  }

  #show(): void {
    const { value: document_ } = this.#studio.document;
    if (!document_) return;
    if (document_.value === null || typeof document_.value !== "object") {
      fill(this.element, h("div", { class: "empty" }, icon("warn", 28), h("strong", null, "The text is no TOML right now"), h("span", null, document_.problems[0]?.sentence ?? "")));
      return;
    }
    const active = document.activeElement;
    const focused = active instanceof HTMLElement && this.element.contains(active) ? active.closest<HTMLElement>("[data-path]")?.dataset.path : undefined;
    const nth = focused === undefined ? 0 : [...(active?.closest("[data-path]")?.querySelectorAll("input, select") ?? [])].indexOf(active as Element);
    const scroll = this.element.scrollTop;
    this.#problems = placed(document_);
    fill(this.element, ...this.#table([], this.#scenario.root, document_.value as Record<string, unknown>, this.#scenario));
    this.element.scrollTop = scroll;
    if (focused !== undefined) this.element.querySelectorAll<HTMLElement>(`[data-path="${CSS.escape(focused)}"] :is(input, select)`)[nth]?.focus();
  }

  #edit(path: Path, value: unknown): void {
    void this.#studio.edit([{ path, value: value ?? null }]);
  }

  /** Fields and groups of a table. */
  #table(path: Path, schema: Schema, value: Record<string, unknown>, book: SchemaBook): Child[] {
    const own = book.resolve(schema);
    const properties = own.properties ?? {};
    const simple: Child[] = [];
    const groups: Child[] = [];
    for (const key of ordered(own, Object.keys(value))) {
      const known = properties[key];
      const here = [...path, key];
      if (!known) {
        simple.push(this.#free(here, key, value[key], {}, book));
        continue;
      }
      if (path.length === 0 && key === "version") continue;
      const kind = book.kind(known);
      if (key === "override" && path[0] === "sensor") groups.push(this.#group(here, key, known, value[key] as Record<string, unknown>, this.#sensor, this.#sensor.root));
      else if (kind === "table" && isTable(value[key])) groups.push(this.#group(here, key, known, value[key], book));
      else if (kind === "tables" && Array.isArray(value[key])) groups.push(this.#list(here, key, known, value[key] as unknown[], book));
      else simple.push(this.#key(here, key, value[key], known, book, own.required?.includes(key) ?? false));
    }
    return [...simple, this.#adder(path, own, value, book), ...groups];
  }

  #details(path: Path, summary: Child[], body: () => Child[]): HTMLElement {
    const id = text(path);
    const inner = h("div", { class: "inner" });
    const details = h("details", { "data-path": id }, h("summary", null, icon("right", 14), ...summary), inner);
    const build = () => {
      if (details.open && inner.childElementCount === 0) fill(inner, ...body());
      if (details.open) this.#open.add(id);
      else this.#open.delete(id);
    };
    details.open = this.#open.has(id);
    if (details.open) fill(inner, ...body());
    details.addEventListener("toggle", build);
    return details;
  }

  #group(path: Path, key: string, schema: Schema, value: Record<string, unknown>, book: SchemaBook, root?: Schema): HTMLElement {
    const remove = this.#remove(path, key);
    const count = Object.keys(value).length;
    const hint = count === 1 ? "1 key" : `${count} keys`;
    const title = h("span", { class: "grow cut", title: book.help(key, schema) }, keyUnit(key)[0], " ", h("span", { class: "hint" }, hint));
    return this.#details(path, [title, remove], () => this.#table(path, root ?? schema, value, book));
  }

  #list(path: Path, key: string, schema: Schema, values: unknown[], book: SchemaBook): HTMLElement {
    const own = book.resolve(schema);
    const items = book.resolve(own.items ?? {});
    const add = h("button", { class: "plain small square", title: `Add to ${key}`, onclick: (event: Event) => {
      event.preventDefault();
      this.#open.add(text(path));
      this.#open.add(text([...path, values.length]));
      this.#edit([...path, values.length], book.firstTable(items));
    } }, icon("plus", 15));
    const title = h("span", { class: "grow cut", title: book.help(key, schema) }, keyUnit(key)[0], " ", h("span", { class: "hint" }, String(values.length)));
    return this.#details(path, [title, add], () =>
      values.map((value, at) => {
        const here = [...path, at];
        if (!isTable(value)) return null;
        return this.#details(here, [h("span", { class: "grow cut" }, itemName(value, at), " ", h("span", { class: "hint" }, itemHint(value))), this.#remove(here, itemName(value, at))], () => this.#table(here, items, value, book));
      }),
    );
  }

  #remove(path: Path, name: string): HTMLElement {
    return h("button", { class: "plain small square", title: `Remove ${name}`, onclick: (event: Event) => {
      event.preventDefault();
      event.stopPropagation();
      this.#edit(path, null);
    } }, icon("trash", 14));
  }

  #adder(path: Path, own: Schema, value: Record<string, unknown>, book: SchemaBook): Child {
    const missing = Object.entries(own.properties ?? {}).filter(([key]) => !(key in value));
    if (missing.length === 0) return null;
    const button = h("button", { class: "plain small", onclick: () =>
      showMenu(
        button,
        missing.map(([key, schema]) => {
          const [words, unit] = keyUnit(key);
          return {
            name: unit ? `${words} (${unit})` : words,
            help: book.resolve(schema).description?.replaceAll("\n", " "),
            act: () => {
              this.#open.add(text([...path, key]));
              this.#edit([...path, key], key === "preset" ? "vlp-16" : book.first(schema));
            },
          };
        }),
        { search: "Which key?", width: 340 },
      ) }, icon("plus", 14), "add a key");
    return h("div", { class: "add" }, button);
  }

  #key(path: Path, key: string, value: unknown, schema: Schema, book: SchemaBook, required: boolean): HTMLElement {
    const own = book.resolve(schema);
    const kind = book.kind(schema);
    const label = `${text(path)}`;
    const change = (next: unknown) => this.#edit(path, next);
    let input: HTMLElement;
    if (key === "preset" && kind === "text") {
      const sensors = this.#studio.library.value?.sensors ?? [];
      input = h("select", { "aria-label": label, onchange: (event: Event) => change((event.target as HTMLSelectElement).value) }, sensors.map((sensor) => h("option", { value: sensor.name, selected: sensor.name === value }, sensor.title || sensor.name)));
      if (!sensors.some((sensor) => sensor.name === value)) input.prepend(h("option", { value: String(value), selected: true }, String(value)));
    } else if (kind === "choice") {
      input = h("select", { "aria-label": label, onchange: (event: Event) => change((event.target as HTMLSelectElement).value) }, book.choices(own).map((choice) => h("option", { value: choice.value, title: choice.help, selected: choice.value === value }, choice.value)));
    } else if (kind === "flag") {
      input = h("input", { type: "checkbox", checked: value === true, "aria-label": label, onchange: (event: Event) => change((event.target as HTMLInputElement).checked) });
    } else if (kind === "number" || kind === "integer") input = this.#number(label, value, own, kind === "integer", change);
    else if (kind === "vector" && Array.isArray(value)) {
      const items = book.resolve(own.items ?? {});
      input = h("div", { class: "vector" }, value.map((entry, at) => this.#number(`${label}.${at}`, entry, items, items.type === "integer", (next) => change(value.map((old, place) => (place === at ? next : old))))));
    } else if (kind === "text") input = h("input", { type: "text", value: String(value ?? ""), "aria-label": label, onchange: (event: Event) => change((event.target as HTMLInputElement).value) });
    else return this.#free(path, key, value, schema, book);
    return this.#row(path, key, schema, book, input, required);
  }

  #number(label: string, value: unknown, schema: Schema, whole: boolean, change: (value: number) => void): HTMLInputElement {
    const input = h("input", {
      type: "number",
      step: whole ? 1 : "any",
      value: String(value ?? ""),
      "aria-label": label,
      onchange: () => {
        if (input.value !== "" && Number.isFinite(Number(input.value))) change(Number(input.value));
      },
    });
    if (schema.minimum !== undefined) input.min = String(schema.minimum);
    if (schema.maximum !== undefined) input.max = String(schema.maximum);
    return input;
  }

  /** Values of any kind, as they are written. */
  #free(path: Path, key: string, value: unknown, schema: Schema, book: SchemaBook): HTMLElement {
    const input = h("input", { type: "text", value: typeof value === "string" ? value : JSON.stringify(value), "aria-label": text(path), onchange: () => {
      let next: unknown = input.value;
      try {
        next = JSON.parse(input.value);
      } catch {
        // Not a number, list or table: a text.
      }
      this.#edit(path, next);
    } });
    return this.#row(path, key, schema, book, input, false);
  }

  #row(path: Path, key: string, schema: Schema, book: SchemaBook, input: HTMLElement, required: boolean): HTMLElement {
    const [words, unit] = keyUnit(key);
    const problem = this.#problems.get(text(path));
    return h(
      "div",
      { class: problem ? "key wrong" : "key", "data-path": text(path) },
      h("span", { class: "label", title: book.help(key, schema) }, words, unit ? h("em", null, unit) : null),
      input,
      required ? h("span") : this.#remove(path, key),
      problem ? h("div", { class: "said" }, problem.sentence) : null,
    );
  }
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names first, then as the file has it. */
function ordered(schema: Schema, keys: string[]): string[] {
  const first = ["title", "name", "preset", "file", "shape", "species", "position_m", "rotation_deg", "seed", "duration_s"];
  const rank = (key: string) => (first.includes(key) ? first.indexOf(key) : schema.properties?.[key] ? 100 : 200);
  return [...keys].sort((a, b) => rank(a) - rank(b));
}

function itemName(value: Record<string, unknown>, at: number): string {
  return String(value.name ?? value.species ?? value.time_s ?? `number ${at + 1}`);
}

function itemHint(value: Record<string, unknown>): string {
  const hint = value.preset ?? value.shape ?? value.species ?? value.kind ?? (Array.isArray(value.position_m) ? value.position_m.join(", ") : "");
  return String(hint);
}

/** Which key each mistake is about, by its line. */
function placed(document_: Document): Map<string, Problem> {
  const found = new Map<string, Problem>();
  for (const problem of document_.problems) {
    if (problem.line === null) continue;
    const same = document_.places.filter((place) => place.line === problem.line);
    const place = same.reverse().find((place) => problem.column === null || place.column <= problem.column) ?? same[0];
    if (place) found.set(text(place.path), problem);
  }
  return found;
}
