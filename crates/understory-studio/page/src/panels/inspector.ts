// One point: what was measured beside what was true, and its pulse as the detector saw it.

import { fill, h, type Child } from "../base/dom";
import { keyUnit, short, whole } from "../base/format";
import { icon } from "../base/icons";
import { get, sentence } from "../data/api";
import type { Studio } from "../data/studio";
import type { Field, PointRecord, PulseAccount } from "../protocol";
import type { FocusView } from "../view/focus";
import { echoPlot } from "./plots";

export function inspector(studio: Studio, focus: FocusView): HTMLElement {
  const panel = h("div", { "data-test": "inspector" });
  let asked = 0;
  const show = async () => {
    const mine = ++asked;
    const { value: picked } = studio.picked;
    focus.pulse.value = null;
    if (!picked) {
      fill(panel, h("div", { class: "empty" }, icon("pulse", 30), h("strong", null, "No point picked"), h("span", null, "Click a point in the picture or in the range image: everything measured beside everything true, and the pulse that made it.")));
      return;
    }
    try {
      const record = await get<PointRecord>(`layers/${picked.layer.id}/points/${picked.point}`);
      if (mine !== asked) return;
      const pulseBox = h("div");
      fill(panel, ...card(studio, record), pulseBox, table(record));
      if (!picked.layer.card.pulses_known) return;
      fill(pulseBox, h("div", { class: "empty" }, h("span", { class: "spin" })));
      try {
        const pulse = await get<PulseAccount>(`layers/${picked.layer.id}/points/${picked.point}/pulse`);
        if (mine !== asked) return;
        focus.pulse.value = pulse;
        fill(pulseBox, pulseCard(pulse));
      } catch (error) {
        if (mine === asked) fill(pulseBox, h("p", { class: "soft", style: { padding: "10px 12px" } }, sentence(error)));
      }
    } catch (error) {
      if (mine === asked) fill(panel, h("div", { class: "empty" }, icon("warn", 28), h("span", null, sentence(error))));
    }
  };
  studio.picked.on(() => void show());
  void show();
  return panel;
}

function card(studio: Studio, record: PointRecord): Child[] {
  const value = (name: string) => record.fields.find((field) => field.name === name)?.value ?? null;
  const range = value("range_m");
  const truth = value("true_range_m");
  const tile = (label: string, text: string) => h("div", null, h("b", { title: text }, text), h("span", null, label));
  const close = h("button", { class: "plain small square", "aria-label": "Let the point go", onclick: () => (studio.picked.value = null) }, icon("close", 15));
  return [
    h("div", { class: "section" },
      h("header", null, icon("pulse", 16), h("span", { class: "grow cut" }, record.object ?? "point"), close),
      h("p", { class: "which" }, `point ${whole(record.point)}, row ${whole(record.row)}`),
      h("div", { class: "body" },
        h("div", { class: "headline" },
          tile("measured", range === null ? "–" : `${short(range, 5)} m`),
          tile("true", truth === null ? "–" : `${short(truth, 5)} m`),
          tile("error", record.range_error_m === null ? "–" : `${short(record.range_error_m * 1000, 3)} mm`),
          tile("intensity", short(value("intensity") ?? Number.NaN, 3)),
          tile("material", record.material ?? "–"),
          tile("class", record.label ?? "–")))),
  ];
}

/** Measured values on the left, true ones on the right, each in its own row. */
function table(record: PointRecord): HTMLElement {
  const text = (field: Field) => (field.value === null ? "–" : Number.isInteger(field.value) && Math.abs(field.value) < 1e15 ? String(field.value) : String(Number(field.value.toPrecision(9))));
  const row = (field: Field) => h("tr", { title: `${field.name}: ${field.brief}`, "data-field": field.name, "data-value": field.value === null ? "" : String(field.value) }, h("td", null, field.name.includes("_") ? keyUnit(field.name)[0] : field.name, " ", h("span", { class: "faint" }, field.unit)), h("td", { class: field.truth ? "value true" : "value" }, text(field)));
  const measured = record.fields.filter((field) => !field.truth);
  const truth = record.fields.filter((field) => field.truth);
  return h("div", { class: "section" }, h("header", null, "Measured"), h("div", { class: "body" }, h("table", { class: "facts-table" }, h("tbody", null, measured.map(row)))), truth.length > 0 ? h("header", null, "True") : null, truth.length > 0 ? h("div", { class: "body" }, h("table", { class: "facts-table" }, h("tbody", null, truth.map(row)))) : null);
}

function pulseCard(pulse: PulseAccount): HTMLElement {
  const met = pulse.sub_rays.filter((ray) => ray.hits.length > 0).length;
  const swatch = (colour: string, text: string) => {
    const line = h("i");
    line.style.background = `var(--${colour})`;
    return h("span", null, line, text);
  };
  const objects = new Map<string, number>();
  for (const ray of pulse.sub_rays) for (const hit of ray.hits) objects.set(`${hit.object} · ${hit.material}`, (objects.get(`${hit.object} · ${hit.material}`) ?? 0) + 1);
  return h(
    "div",
    { class: "section", "data-test": "pulse" },
    h("header", null, h("span", { class: "grow" }, "Its pulse ", h("span", { class: "count" }, `${whole(pulse.pulse)} of ${pulse.sensor}`))),
    h("div", { class: "body" },
      echoPlot(pulse),
      h("div", { class: "key-line" }, swatch("accent", pulse.echo.kind === "waveform" ? `signal, ${pulse.echo.unit}` : `light of sub-rays, ${pulse.echo.unit}`), swatch("amber", "return, with its window"), swatch("blue", "true range"), pulse.echo.threshold === null ? null : swatch("red", "threshold")),
      h("p", { class: "soft" }, `${met} of ${pulse.sub_rays.length} sub-rays met something; ${pulse.returns.length} ${pulse.returns.length === 1 ? "return" : "returns"}. ${pulse.detector}`),
      objects.size > 0 ? h("table", { class: "facts-table" }, h("tbody", null, [...objects].sort((a, b) => b[1] - a[1]).slice(0, 6).map(([name, count]) => h("tr", null, h("td", null, name), h("td", { class: "value" }, `${count} sub-${count === 1 ? "ray" : "rays"}`))))) : null,
      h("details", null, h("summary", { class: "soft" }, "Every step in words"), h("pre", { class: "account" }, pulse.text))),
  );
}
