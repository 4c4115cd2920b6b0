// What there is to open: scenarios with their pictures, sensors, recordings of the served folder.

import { fill, h } from "../base/dom";
import { bytes, compact, seconds, short } from "../base/format";
import { icon } from "../base/icons";
import { cover } from "../base/picture";
import { call, send } from "../data/api";
import type { Studio } from "../data/studio";
import type { Layer as Card, ScenarioCard } from "../protocol";
import { useSensor } from "./topbar";

type Tab = "scenarios" | "sensors" | "recordings";

export class Chooser {
  readonly dialog = h("dialog", { class: "chooser", "aria-label": "Choose", "data-test": "chooser" });
  readonly #studio: Studio;
  readonly #body = h("div", { class: "scroll" });
  readonly #search = h("input", { type: "search", class: "search", placeholder: "Search", "aria-label": "Search: Enter takes the first", oninput: () => this.#show(), onkeydown: (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    this.#body.querySelector<HTMLElement>(".card:not(:disabled), .pick")?.click();
  } });
  readonly #tabs: Record<Tab, HTMLButtonElement>;
  #tab: Tab = "scenarios";
  #watcher: IntersectionObserver | null = null;

  constructor(studio: Studio) {
    this.#studio = studio;
    const tab = (name: Tab, title: string) => h("button", { role: "tab", onclick: () => this.#go(name) }, title);
    this.#tabs = { scenarios: tab("scenarios", "Scenarios"), sensors: tab("sensors", "Sensors"), recordings: tab("recordings", "Recordings") };
    const close = h("button", { class: "plain square", "aria-label": "Close", onclick: () => this.dialog.close() }, icon("close"));
    fill(this.dialog, h("header", null, h("h2", null, "Choose"), h("div", { class: "tabs", role: "tablist" }, Object.values(this.#tabs)), this.#search, close), this.#body);
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
    studio.library.on(() => {
      if (this.dialog.open) this.#show();
    });
  }

  open(tab: Tab): void {
    this.#search.value = "";
    if (!this.dialog.open) this.dialog.showModal();
    this.#go(tab);
    this.#search.focus();
    // Folders change and sites are learned while the page is open.
    void call("GET", "library").then(async (answer) => (this.#studio.library.value = await answer.json())).catch(() => {});
  }

  #go(tab: Tab): void {
    this.#tab = tab;
    for (const [name, button] of Object.entries(this.#tabs)) button.setAttribute("aria-selected", String(name === tab));
    this.#show();
    this.#body.scrollTop = 0;
  }

  #show(): void {
    const { value: library } = this.#studio.library;
    this.#watcher?.disconnect();
    if (!library) return fill(this.#body, h("div", { class: "empty" }, h("span", { class: "spin" })));
    const wanted = this.#search.value.trim().toLowerCase();
    const fits = (...words: (string | null)[]) => wanted === "" || words.join(" ").toLowerCase().includes(wanted);
    if (this.#tab === "scenarios") {
      const cards = library.scenarios.filter((card) => fits(card.name, card.title, card.sensors.join(" ")));
      const rank = { learned: 0, folder: 1, "built-in": 2 };
      const favourite = ["demo", "forest-plot", "forest-trail", "drive", "orchard", "courtyard", "maize-field", "acre", "crossing", "airborne-strip", "people-walking", "rain", "snow", "fog", "dust", "tripod-scan", "mirror", "rolling-stones"];
      const place = (card: ScenarioCard) => (favourite.includes(card.name) ? favourite.indexOf(card.name) : 99);
      cards.sort((a, b) => rank[a.source] - rank[b.source] || place(a) - place(b));
      this.#watcher = new IntersectionObserver((seen) => {
        for (const { target, isIntersecting } of seen) {
          if (!isIntersecting) continue;
          this.#watcher?.unobserve(target);
          void cover(target as HTMLCanvasElement, `library/thumbnail/${encodeURIComponent((target as HTMLElement).dataset.id ?? "")}`);
        }
      }, { root: this.#body, rootMargin: "200px" });
      fill(this.#body, cards.length > 0 ? h("div", { class: "cards" }, cards.map((card) => this.#card(card))) : h("div", { class: "empty" }, "nothing like this"));
      return;
    }
    if (this.#tab === "sensors") {
      const rows = library.sensors.filter((sensor) => fits(sensor.name, sensor.title, sensor.pattern));
      const row = (sensor: (typeof rows)[number]) =>
        h("tr", { class: "pick", tabindex: 0, title: "Scan with it", onclick: () => this.#sensor(sensor.name), onkeydown: (event: KeyboardEvent) => event.key === "Enter" && this.#sensor(sensor.name) },
          h("td", null, h("b", null, sensor.title || sensor.name), h("div", { class: "faint" }, sensor.name)),
          h("td", null, sensor.pattern),
          h("td", { class: "number" }, sensor.channels),
          h("td", { class: "number" }, compact(sensor.pulse_rate_hz)),
          h("td", { class: "number" }, `${sensor.wavelength_nm} nm`),
          h("td", { class: "number" }, `${short(sensor.range_m[0], 2)} – ${short(sensor.range_m[1], 3)} m`));
      fill(this.#body, h("table", { class: "table-list" }, h("thead", null, h("tr", null, h("th", null, "sensor"), h("th", null, "pattern"), h("th", { class: "number" }, "lasers"), h("th", { class: "number" }, "pulses/s"), h("th", { class: "number" }, "wavelength"), h("th", { class: "number" }, "range"))), h("tbody", null, rows.map(row))));
      return;
    }
    const files = library.recordings.filter((file) => fits(file.name, file.format));
    const folder = this.#studio.hello.value?.folder ?? "";
    fill(
      this.#body,
      library.remarks.map((remark) => h("p", { class: "soft", style: { padding: "10px 18px 0" } }, remark)),
      files.length === 0
        ? h("div", { class: "empty" }, icon("open", 30), h("strong", null, "No recordings here"), h("span", null, `Start the studio in a folder with recordings (LAS, LAZ, PCD, PLY, E57, MCAP, PCAP, NPY, CSV …); this one is ${folder}.`))
        : h("table", { class: "table-list" }, h("thead", null, h("tr", null, h("th", null, `file in ${folder}`), h("th", null, "format"), h("th", { class: "number" }, "size"))), h("tbody", null, files.map((file) =>
            h("tr", { class: "pick", tabindex: 0, onclick: () => void this.#recording(file.id), onkeydown: (event: KeyboardEvent) => event.key === "Enter" && void this.#recording(file.id) }, h("td", null, file.name), h("td", null, file.format ?? "?"), h("td", { class: "number" }, bytes(file.bytes)))))),
    );
  }

  #card(card: ScenarioCard): HTMLElement {
    const canvas = h("canvas", { width: 448, height: 280 });
    canvas.dataset.id = card.id;
    if (card.thumbnail) this.#watcher?.observe(canvas);
    const picture = card.thumbnail ? canvas : h("div", { class: "nothing" }, icon(card.source === "learned" ? "learn" : "tree", 40));
    return h(
      "button",
      { class: "card", title: card.problem ?? card.title, disabled: card.problem !== null, "data-scenario": card.name, onclick: () => void this.#open(card.id) },
      picture,
      h("div", { class: "words" }, h("b", null, card.name), h("p", null, card.problem ?? card.title), h("div", { class: "tags" },
        card.source === "built-in" ? null : h("span", { class: "tag accent" }, card.source === "learned" ? "learned" : "your folder"),
        card.sensors.slice(0, 2).map((sensor) => h("span", { class: "tag" }, sensor)),
        h("span", { class: "tag" }, seconds(card.duration_s)),
        card.moving ? h("span", { class: "tag" }, "moving") : null)),
    );
  }

  async #open(id: string): Promise<void> {
    if (await this.#studio.open({ scenario: id })) this.dialog.close();
  }

  #sensor(name: string): void {
    this.dialog.close();
    void useSensor(this.#studio, name);
  }

  async #recording(id: string): Promise<void> {
    const card = await this.#studio.attempt(() => send<Card>("POST", "recordings", { file: id }));
    if (!card) return;
    this.dialog.close();
    this.#studio.adopt(card).fresh = true;
  }
}
