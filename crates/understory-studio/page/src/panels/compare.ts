// Two layers against each other: side by side, one over the other, point by point, in figures.

import { fill, h } from "../base/dom";
import { short, whole } from "../base/format";
import { icon } from "../base/icons";
import { layerColour } from "../colour/maps";
import { call, send, sentence } from "../data/api";
import { readBlock } from "../data/blocks";
import type { Layer } from "../data/layer";
import type { Comparing, Studio } from "../data/studio";
import type { Compared } from "../protocol";
import { pairPlot } from "./plots";
import { field } from "./look";

export class ComparePanel {
  readonly element = h("div", { "data-test": "compare" });
  readonly #studio: Studio;
  readonly #a = h("select", { "aria-label": "First layer", "data-test": "compare-a", onchange: () => this.#pick() });
  readonly #b = h("select", { "aria-label": "Second layer", "data-test": "compare-b", onchange: () => this.#pick() });
  readonly #modes: Record<Comparing["mode"], HTMLButtonElement>;
  readonly #result = h("div");
  readonly #empty = h("div", { class: "empty" }, icon("compare", 30), h("strong", null, "Two layers are needed"), h("span", null, "Scan twice, with other sensors, seeds or settings, or open a recording; then look at both here."));
  readonly #body: HTMLElement;
  #asked = 0;

  constructor(studio: Studio) {
    this.#studio = studio;
    const mode = (name: Comparing["mode"], title: string) => h("button", { class: "small", "data-test": `compare-${name}`, onclick: () => this.show(name) }, title);
    this.#modes = { off: mode("off", "all"), side: mode("side", "side by side"), swipe: mode("swipe", "slider") };
    const figures = h("button", { class: "primary", "data-test": "compare-figures", onclick: () => void this.#compare() }, icon("compare", 16), "Figures and histograms");
    const difference = h("button", { "data-test": "compare-difference", title: "Distance of each point of the first layer to the nearest of the second", onclick: () => void this.#difference("nearest") }, "Distance");
    const ranges = h("button", { title: "Range minus that of the same pulse and return of the other layer", onclick: () => void this.#difference("range") }, "Same pulse");
    this.#body = h(
      "div",
      { class: "section" },
      h("header", null, icon("compare", 16), "Compare"),
      h("div", { class: "body" },
        field("real / first", this.#a),
        field("judged", this.#b),
        h("div", { class: "field" }, h("span", { class: "label" }, "show"), h("div", { class: "row", style: { gap: "4px" } }, Object.values(this.#modes))),
        h("div", { class: "field" }, h("span", { class: "label" }, "difference"), h("div", { class: "row", style: { gap: "4px" } }, difference, ranges)),
        figures),
    );
    fill(this.element, this.#empty, this.#body, this.#result);
    studio.layers.on(() => this.#choices());
    studio.comparing.on(() => this.#choices());
    this.#choices();
  }

  /** Compares two layers from elsewhere in the page. */
  start(a: Layer, b: Layer): void {
    this.#studio.comparing.value = { mode: "side", a: a.id, b: b.id, at: 0.5 };
    void this.#compare();
  }

  show(mode: Comparing["mode"]): void {
    this.#pick();
    this.#studio.comparing.patch({ mode });
  }

  #choices(): void {
    const layers = this.#studio.layers.value;
    const enough = layers.length >= 2;
    this.#empty.hidden = enough;
    this.#body.hidden = !enough;
    this.#result.hidden = !enough;
    if (!enough) return;
    const names = layers.map((layer) => `${layer.id} ${layer.card.name}`).join();
    if (this.#a.dataset.names !== names) {
      this.#a.dataset.names = names;
      for (const select of [this.#a, this.#b]) fill(select, layers.map((layer) => h("option", { value: layer.id }, layer.card.name)));
    }
    const { a, b, mode } = this.#studio.comparing.value;
    const first = a ?? layers[layers.length - 2].id;
    const second = b ?? layers.find((layer) => layer.id !== first && layer === layers[layers.length - 1])?.id ?? layers[0].id;
    this.#a.value = String(first);
    this.#b.value = String(second);
    for (const [name, button] of Object.entries(this.#modes)) button.setAttribute("aria-pressed", String(name === mode));
  }

  #pick(): void {
    this.#studio.comparing.patch({ a: Number(this.#a.value), b: Number(this.#b.value) });
  }

  async #compare(): Promise<void> {
    this.#pick();
    const { a, b } = this.#studio.comparing.value;
    const mine = ++this.#asked;
    fill(this.#result, h("div", { class: "empty" }, h("span", { class: "spin" }), h("span", null, "comparing …")));
    try {
      const found = await send<Compared>("POST", "compare", { real: a, simulated: b });
      if (mine === this.#asked) this.#tell(found);
    } catch (error) {
      if (mine === this.#asked) fill(this.#result, h("div", { class: "empty" }, icon("warn", 26), h("span", null, sentence(error))));
    }
  }

  #tell(found: Compared): void {
    const name = (id: number) => this.#studio.layer(id)?.card.name ?? `layer ${id}`;
    const swatch = (colour: string, text: string) => {
      const line = h("i");
      line.style.background = `var(--${colour})`;
      return h("span", null, line, text);
    };
    fill(
      this.#result,
      h("div", { class: "section", "data-test": "figures" },
        h("header", null, "Figures"),
        h("div", { class: "body" },
          h("div", { class: "figures" }, found.figures.map((figure) => h("div", { class: "figure" }, h("span", null, figure.name), h("b", null, figure.value === null ? "–" : `${Number.isInteger(figure.value) ? whole(figure.value) : short(figure.value, 4)}${figure.unit ? ` ${figure.unit}` : ""}`), figure.help ? h("small", null, figure.help) : null))),
          found.remarks.map((remark) => h("p", { class: "soft" }, remark)))),
      h("div", { class: "section" },
        h("header", null, "Histograms, %"),
        h("div", { class: "body" }, h("div", { class: "key-line" }, swatch("blue", name(found.real)), swatch("amber", name(found.simulated))), found.histograms.map((pair) => h("div", null, h("div", { class: "soft" }, pair.name), pairPlot(pair))))),
    );
  }

  async #difference(kind: "nearest" | "range"): Promise<void> {
    this.#pick();
    const { a, b } = this.#studio.comparing.value;
    const layer = this.#studio.layer(a);
    if (!layer || b === null) return;
    await this.#studio.attempt(async () => {
      const answer = await call("GET", "compare/difference", { query: { of: a, to: b, kind } });
      const block = readBlock(await answer.arrayBuffer());
      layer.set("difference", block.column("difference_m") as Float32Array);
      this.#studio.look.patch({ colourBy: "difference", scale: kind === "range" ? "coolwarm" : "inferno", limits: null });
      this.#studio.comparing.patch({ mode: "off" });
      this.#studio.active.value = layer.id;
      for (const other of this.#studio.layers.value) other.visible = other === layer;
      this.#studio.layers.touch();
      this.#studio.grew.value++;
    });
  }
}

/** The border between two layers, and their names, over the picture. */
export function compareOverlay(studio: Studio, overlay: HTMLElement): void {
  const label = () => h("div", { class: "pane-name", hidden: true });
  const left = label();
  const right = label();
  const border = h("button", { class: "swipe", hidden: true, "aria-label": "Border between the layers", "data-test": "swipe" });
  overlay.append(left, right, border);
  border.addEventListener("pointerdown", (event) => {
    border.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent) => {
      const box = overlay.getBoundingClientRect();
      studio.comparing.patch({ at: Math.max(0.02, Math.min(0.98, (moved.clientX - box.left) / box.width)) });
    };
    border.addEventListener("pointermove", move);
    border.addEventListener("pointerup", () => border.removeEventListener("pointermove", move), { once: true });
  });
  border.addEventListener("keydown", (event) => {
    const way = event.key === "ArrowLeft" ? -0.02 : event.key === "ArrowRight" ? 0.02 : 0;
    if (way === 0) return;
    event.preventDefault();
    event.stopPropagation();
    studio.comparing.patch({ at: Math.max(0.02, Math.min(0.98, studio.comparing.value.at + way)) });
  });
  const show = () => {
    const { mode, a, b, at } = studio.comparing.value;
    const first = studio.layer(a);
    const second = studio.layer(b);
    const on = mode !== "off" && first !== null && second !== null;
    for (const element of [left, right, border]) element.hidden = !on;
    if (!on) return;
    const tag = (element: HTMLElement, layer: Layer) => {
      const swatch = h("i");
      swatch.style.background = layerColour(layer.number);
      fill(element, swatch, h("span", { class: "cut" }, layer.card.name));
    };
    tag(left, first);
    tag(right, second);
    left.style.left = "58px";
    right.style.right = "12px";
    border.style.left = `${(mode === "side" ? 0.5 : at) * 100}%`;
    border.classList.toggle("fixed", mode === "side");
  };
  studio.comparing.on(show);
  studio.layers.on(show);
}
