// What colours mean, at the lower left of the picture: a scale with the histogram of the values, or names.

import { fill, h } from "../base/dom";
import { keyUnit, short } from "../base/format";
import { categoryColour, layerColour, scaleTable } from "../colour/maps";
import { histogram, ticks } from "../colour/percentiles";
import type { Studio } from "../data/studio";
import type { Paint, Scale } from "../view/paint";

const WIDTH = 220;

export function legend(studio: Studio, paint: Paint): HTMLElement {
  const box = h("div", { class: "legend", "data-test": "legend" });
  const show = () => {
    const scale = paint.scale.value;
    box.hidden = scale.sample.length === 0;
    if (!box.hidden) fill(box, ...(scale.categories ? names(studio, scale) : gradient(studio, scale)));
  };
  paint.scale.on(show);
  studio.grew.on(show);
  studio.layers.on(show);
  show();
  return box;
}

/** What a column is called. */
export function columnTitle(studio: Studio, column: string): { title: string; unit: string } {
  if (column === "height_m") return { title: "height", unit: "m" };
  if (column === "layer") return { title: "layer", unit: "" };
  if (column === "difference") return { title: "difference", unit: "m" };
  const card = studio.library.value?.columns.find((known) => known.name === column);
  const [title, unit] = keyUnit(column);
  return { title, unit: card?.unit || unit };
}

function gradient(studio: Studio, scale: Scale): HTMLElement[] {
  const { title, unit } = columnTitle(studio, scale.column);
  const canvas = h("canvas", { width: WIDTH * 2, height: 68, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  if (context) {
    const table = scaleTable(studio.look.value.scale, studio.look.value.reversed);
    const counts = histogram(scale.sample, scale.low, scale.high, 110);
    const most = Math.max(1, ...counts);
    for (let i = 0; i < WIDTH * 2; i++) {
      const at = Math.round((i / (WIDTH * 2 - 1)) * 255) * 4;
      context.fillStyle = `rgb(${table[at]} ${table[at + 1]} ${table[at + 2]})`;
      context.fillRect(i, 50, 1, 18);
      const tall = Math.sqrt(counts[Math.min(109, Math.floor((i / (WIDTH * 2)) * 110))] / most) * 44;
      context.globalAlpha = 0.75;
      context.fillRect(i, 48 - tall, 1, tall);
      context.globalAlpha = 1;
    }
  }
  const marks = ticks(scale.low, scale.high, 4).map((value) => {
    const mark = h("span", null, short(value, 4));
    mark.style.left = `${Math.min(96, Math.max(4, ((value - scale.low) / (scale.high - scale.low)) * 100))}%`;
    return mark;
  });
  return [h("div", { class: "title" }, title, unit ? h("span", null, unit) : null), canvas, h("div", { class: "ticks" }, marks)];
}

function names(studio: Studio, scale: Scale): HTMLElement[] {
  const { title } = columnTitle(studio, scale.column);
  const counts = new Map<number, number>();
  for (const value of scale.sample) counts.set(value, (counts.get(value) ?? 0) + 1);
  const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 24);
  const rows = most.map(([value, count]) => {
    const swatch = h("i");
    swatch.style.background = scale.column === "layer" ? layerColour(value) : categoryColour(scale.column, value);
    const share = `${short((count / scale.sample.length) * 100, 2)} % of the points`;
    return h("div", { title: share }, swatch, h("span", { class: "cut" }, categoryName(studio, scale.column, value)));
  });
  const rest = counts.size - most.length;
  return [h("div", { class: "title" }, title, rest > 0 ? h("span", null, `and ${rest} more`) : null), h("div", { class: "items" }, rows)];
}

/** The name of a category's number. */
export function categoryName(studio: Studio, column: string, value: number): string {
  if (column === "label") return studio.library.value?.labels.find((label) => label.label === value)?.name ?? `class ${value}`;
  if (column === "layer") return studio.layers.value.find((layer) => layer.number === value)?.card.name ?? `layer ${value}`;
  const names = studio.activeLayer?.names;
  if (column === "object") return value === 0 ? "none" : (names?.objects[value - 1] ?? `object ${value}`);
  if (column === "material") return value === 0 ? "none" : (names?.materials[value - 1] ?? `material ${value}`);
  if (column === "sensor") return studio.activeLayer?.card.sensors[value] ?? `sensor ${value}`;
  return String(value);
}
