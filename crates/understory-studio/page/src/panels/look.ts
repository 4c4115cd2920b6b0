// How the picture looks: what colours mean, points, what is shown of the world, the clipping box.

import { fill, h, type Child } from "../base/dom";
import { short, whole } from "../base/format";
import { SCALES } from "../colour/maps";
import type { Look } from "../data/look";
import type { Studio } from "../data/studio";
import type { Paint } from "../view/paint";
import { columnTitle } from "./legend";

/** Columns that people look at first, in this order. */
const FIRST = ["height_m", "range_m", "intensity", "label", "object", "return_number", "range_error_m", "incidence_deg", "time_s", "channel", "layer"];

export function lookPanel(studio: Studio, paint: Paint): HTMLElement {
  const { look } = studio;
  const set = (fields: Partial<Look>) => look.patch(fields);

  const by = h("select", { "data-test": "colour-by", "aria-label": "Colour by", onchange: () => set({ colourBy: by.value, limits: null, ...(by.value === "difference" || by.value === "range_error_m" ? { scale: "coolwarm" } : look.value.scale === "coolwarm" ? { scale: "viridis" } : {}) }) });
  const columns = () => {
    const known = new Set<string>(["height_m", "layer"]);
    for (const layer of studio.layers.value) for (const name of layer.card.columns) known.add(name);
    if (studio.layers.value.some((layer) => layer.column("difference"))) known.add("difference");
    known.add(look.value.colourBy);
    const names = [...FIRST.filter((name) => known.has(name)), ...[...known].filter((name) => !FIRST.includes(name)).sort()];
    const cards = studio.library.value?.columns ?? [];
    fill(
      by,
      names.map((name) => {
        const { title, unit } = columnTitle(studio, name);
        const card = cards.find((known) => known.name === name);
        return h("option", { value: name, title: card?.brief }, `${title}${unit ? ` (${unit})` : ""}${card?.truth ? " · true" : ""}`);
      }),
    );
    by.value = look.value.colourBy;
  };
  columns();
  studio.layers.on(columns);
  studio.grew.on(columns);
  studio.library.on(columns);

  const scale = h("select", { "aria-label": "Scale of colours", "data-test": "scale", onchange: () => set({ scale: scale.value as Look["scale"] }) }, SCALES.map((name) => h("option", { value: name }, name)));
  const reversed = check("reversed", (on) => set({ reversed: on }));
  const low = number("Lower percentile", 0, 100, () => set({ percentiles: [Number(low.value), look.value.percentiles[1]], limits: null }));
  const high = number("Upper percentile", 0, 100, () => set({ percentiles: [look.value.percentiles[0], Number(high.value)], limits: null }));
  const from = number("Lowest value", null, null, () => limits());
  const to = number("Highest value", null, null, () => limits());
  const limits = () => {
    if (from.value !== "" && to.value !== "" && Number(to.value) > Number(from.value)) set({ limits: [Number(from.value), Number(to.value)] });
  };

  const size = slider("Point size", 1, 12, 0.5, (value) => set({ size: value }), (value) => (look.value.metric ? `${value} cm` : `${value} px`));
  const metric = check("size in the world", (on) => set({ metric: on }));
  const round = check("round", (on) => set({ round: on }));
  const opacity = slider("Opacity", 0.05, 1, 0.05, (value) => set({ opacity: value }), (value) => `${Math.round(value * 100)} %`);
  const dome = slider("Eye-dome", 0, 2, 0.1, (value) => set({ eyeDome: value }), (value) => (value === 0 ? "off" : short(value, 2)));
  const world = slider("World", 0, 1, 0.05, (value) => set({ world: value }), (value) => (value === 0 ? "hidden" : `${Math.round(value * 100)} %`));
  const sensors = check("sensors", (on) => set({ sensors: on }));
  const beams = check("beams", (on) => set({ beams: on }));
  const path = check("path", (on) => set({ path: on }));
  const weather = check("weather", (on) => set({ weather: on }));
  const cutaway = check("cut away", (on) => set({ cutaway: on }), "Leaves out walls that hide from you what the sensor sees (X)");
  const through = check("points over surfaces", (on) => set({ through: on }), "Draws points also where a surface hides them (V)");
  const clip = check("Clipping box", (on) => set({ clip: { ...look.value.clip, on } }));
  const bounds = ["x", "y", "z"].map((name, axis) => {
    const change = (end: "low" | "high", value: number) => {
      const next = { ...look.value.clip, low: [...look.value.clip.low] as [number, number, number], high: [...look.value.clip.high] as [number, number, number] };
      next[end][axis] = value;
      set({ clip: next });
    };
    const a = number(`Least ${name}`, null, null, () => change("low", Number(a.value)));
    const b = number(`Largest ${name}`, null, null, () => change("high", Number(b.value)));
    return { name, a, b };
  });
  const box = h("div", { class: "body" }, bounds.map(({ name, a, b }) => field(name, h("div", { class: "pair" }, a, b))));

  const facts = h("div", { class: "soft", style: { "font-size": "12px", display: "grid", gap: "4px" } });
  const tell = () => {
    const now = studio.world.value;
    const { remark } = studio.building.value;
    const words = now ? [...(remark ? [`${remark[0].toUpperCase()}${remark.slice(1)}.`] : []), ...now.weather.map((weather) => weather.sentence), ...now.sites.map((site) => `${site.name}: ${whole(site.volumes)} volumes, ${site.rays}`), ...now.warnings] : [];
    fill(facts, words.map((sentence) => h("p", null, sentence)));
    facts.hidden = words.length === 0;
  };
  studio.world.on(tell);
  studio.building.watch(tell);

  look.watch((now) => {
    by.value = now.colourBy;
    scale.value = now.scale;
    reversed.input.checked = now.reversed;
    put(low, now.percentiles[0]);
    put(high, now.percentiles[1]);
    size.set(now.size);
    metric.input.checked = now.metric;
    round.input.checked = now.round;
    opacity.set(now.opacity);
    dome.set(now.eyeDome);
    world.set(now.world);
    cutaway.input.checked = now.cutaway;
    through.input.checked = now.through;
    sensors.input.checked = now.sensors;
    beams.input.checked = now.beams;
    path.input.checked = now.path;
    weather.input.checked = now.weather;
    clip.input.checked = now.clip.on;
    box.hidden = !now.clip.on;
    bounds.forEach(({ a, b }, axis) => {
      put(a, now.clip.low[axis]);
      put(b, now.clip.high[axis]);
    });
  });
  paint.scale.watch((now) => {
    for (const input of [low, high, from, to, scale, reversed.input]) input.disabled = now.categories;
    put(from, Number(now.low.toPrecision(5)));
    put(to, Number(now.high.toPrecision(5)));
  });

  return h(
    "div",
    null,
    section(
      "Colour",
      field("by", by),
      field("scale", h("div", { class: "row" }, scale, reversed.element)),
      field("percentiles", h("div", { class: "pair" }, low, high)),
      field("from … to", h("div", { class: "pair" }, from, to)),
    ),
    section("Points", size.element, h("div", { class: "row" }, metric.element, round.element), opacity.element, dome.element),
    section("World", world.element, h("div", { class: "row", style: { "flex-wrap": "wrap", gap: "8px 14px" } }, sensors.element, beams.element, path.element, weather.element, cutaway.element, through.element), facts),
    h("div", { class: "section" }, h("header", null, clip.element), box),
  );
}

export function section(title: string, ...children: Child[]): HTMLElement {
  return h("div", { class: "section" }, h("header", null, title), h("div", { class: "body" }, ...children));
}

export function field(label: string, ...children: Child[]): HTMLElement {
  return h("label", { class: "field" }, h("span", { class: "label" }, label), ...children);
}

function number(label: string, min: number | null, max: number | null, change: () => void): HTMLInputElement {
  return h("input", { type: "number", step: "any", min, max, "aria-label": label, title: label, onchange: change });
}

/** Shows a number in a field unless somebody types in it. */
function put(input: HTMLInputElement, value: number): void {
  if (document.activeElement !== input) input.value = String(value);
}

function check(label: string, change: (on: boolean) => void, help: string | null = null): { element: HTMLElement; input: HTMLInputElement } {
  const input = h("input", { type: "checkbox", onchange: () => change(input.checked) });
  return { element: h("label", { class: "check", title: help }, input, label), input };
}

function slider(label: string, min: number, max: number, step: number, change: (value: number) => void, words: (value: number) => string): { element: HTMLElement; set: (value: number) => void } {
  const input = h("input", { type: "range", min, max, step, "aria-label": label, oninput: () => change(Number(input.value)) });
  const output = h("output", null);
  return {
    element: field(label, h("div", { class: "slider" }, input, output)),
    set: (value) => {
      input.value = String(value);
      output.textContent = words(value);
    },
  };
}
