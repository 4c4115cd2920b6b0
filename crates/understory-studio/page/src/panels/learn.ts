// Learning a site from a layer: what to learn, progress, and then its volumes as a scenario to scan.

import { fill, h } from "../base/dom";
import { icon } from "../base/icons";
import { get, send } from "../data/api";
import type { Layer } from "../data/layer";
import type { Studio } from "../data/studio";
import type { Job, Library } from "../protocol";
import { field } from "./look";

const MODELS = [
  ["likelihood", "likelihood: most likely volumes"],
  ["voxel", "voxel: one volume per cell"],
  ["top-down", "top-down: cells that are divided"],
  ["bottom-up", "bottom-up: clusters that are joined"],
  ["surface", "surface: hard ground and walls too"],
];

export class Learn {
  readonly #studio: Studio;
  readonly #dialog = h("dialog", { class: "sheet", "aria-label": "Learn a site", "data-test": "learn" });
  readonly #seen = new Map<number, Job["state"]>();
  readonly #mine = new Map<number, Layer>();
  readonly banner = h("div", { class: "banner", hidden: true });

  constructor(studio: Studio) {
    this.#studio = studio;
    document.body.append(this.#dialog);
    studio.jobs.on((jobs) => this.#follow(jobs));
  }

  open(layer: Layer): void {
    const model = h("select", { "aria-label": "Model", "data-test": "learn-model" }, MODELS.map(([value, title]) => h("option", { value }, title)));
    const cell = h("input", { type: "number", min: 0.01, max: 100, step: "any", placeholder: "the model's own", "aria-label": "Edge of the cells in metres" });
    const name = h("input", { type: "text", placeholder: "made of the layer's", "aria-label": "Name of the scenario" });
    const start = h("button", { class: "primary", "data-test": "learn-start", onclick: () => void this.#start(layer, model.value, Number(cell.value), name.value.trim()) }, icon("learn", 16), "Learn");
    fill(
      this.#dialog,
      h("h2", null, `Learn a site from ${layer.card.name}`),
      h("p", { class: "soft", style: { "margin-bottom": "14px" } }, "A learned site is made of small volumes that stop light as often as the recorded beams were stopped. It becomes a scenario: see the volumes, scan them with any sensor, compare with the recording."),
      h("div", { style: { display: "grid", gap: "9px" } }, field("model", model), field("cells, m", cell), field("name", name)),
      h("div", { class: "row", style: { "justify-content": "flex-end", "margin-top": "16px" } }, h("button", { onclick: () => this.#dialog.close() }, "Cancel"), start),
    );
    this.#dialog.showModal();
  }

  async #start(layer: Layer, model: string, cell: number, name: string): Promise<void> {
    const body = { layer: layer.id, model, ...(cell > 0 ? { cell_m: cell } : {}), ...(name ? { name } : {}) };
    const job = await this.#studio.attempt(() => send<Job>("POST", "learn", body));
    if (!job) return;
    this.#mine.set(job.id, layer);
    this.#dialog.close();
    this.#studio.jobs.value = [...this.#studio.jobs.value.filter((known) => known.id !== job.id), job];
  }

  #follow(jobs: readonly Job[]): void {
    const running = jobs.find((job) => job.state === "running");
    this.banner.hidden = !running;
    if (running) {
      const bar = h("progress", { max: 1 });
      if (running.share > 0) bar.value = running.share;
      bar.style.width = "140px";
      fill(this.banner, h("span", { class: "spin" }), h("span", null, `${running.name}: ${running.doing || "learning"}`), bar, h("button", { class: "small", onclick: () => void this.#studio.attempt(() => send("POST", `jobs/${running.id}/cancel`)) }, "Stop"));
    }
    for (const job of jobs) {
      if (this.#seen.get(job.id) === job.state) continue;
      this.#seen.set(job.id, job.state);
      if (job.state === "failed") this.#studio.say("error", job.problem?.sentence ?? `${job.name} failed`);
      if (job.state === "cancelled") this.#studio.say("info", `${job.name} was stopped`);
      if (job.state === "done" && this.#mine.has(job.id)) void this.#done(job);
    }
  }

  /** Opens the learned scenario and tells what was learned. */
  async #done(job: Job): Promise<void> {
    await this.#studio.attempt(async () => {
      this.#studio.library.value = await get<Library>("library");
      if (job.scenario) await this.#studio.open({ scenario: job.scenario });
    });
    const facts = h("table", { class: "facts-table" }, h("tbody", null, job.facts.map(([name, value]) => h("tr", null, h("td", null, name), h("td", { class: "value" }, value)))));
    fill(
      this.#dialog,
      h("h2", null, "The site is learned"),
      h("p", { class: "soft", style: { "margin-bottom": "10px" } }, "Its volumes are in the picture, as clear as they let light through. Scan it and compare with what it was learned from."),
      h("div", { style: { "max-height": "44vh", overflow: "auto" } }, facts),
      h("div", { class: "row", style: { "justify-content": "flex-end", "margin-top": "16px" } },
        h("button", { onclick: () => this.#dialog.close() }, "Look at it"),
        h("button", { class: "primary", "data-test": "learn-scan", onclick: () => {
          this.#dialog.close();
          void this.#studio.scan();
        } }, icon("scan", 16), "Scan it")),
    );
    if (!this.#dialog.open) this.#dialog.showModal();
  }
}
