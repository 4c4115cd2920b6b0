// The bar at the top: which scenario, which sensor, scan, save, how the page looks.

import { fill, h } from "../base/dom";
import { compact, short } from "../base/format";
import { icon } from "../base/icons";
import { showMenu, type Entry } from "../base/menu";
import { cover } from "../base/picture";
import { send } from "../data/api";
import type { Studio } from "../data/studio";

export interface TopActs {
  choose: (tab: "scenarios" | "sensors" | "recordings") => void;
  saveMenu: (anchor: HTMLElement) => void;
  help: () => void;
  theme: () => void;
  panels: (side: "left" | "right") => void;
}

/** What "scan with all three" means: a spinning one, a dense spinning one, one that wanders. */
const THREE = ["vlp-16", "os1-128-rev7", "livox-avia"];

export function topBar(studio: Studio, acts: TopActs): HTMLElement {
  const picture = h("canvas", { width: 132, height: 84 });
  const name = h("div", { class: "name cut" }, "…");
  const sub = h("div", { class: "sub cut" });
  const scenario = h("button", { class: "scenario-button", title: "Choose a scenario (O)", "data-test": "choose", onclick: () => acts.choose("scenarios") }, picture, h("span", { class: "grow" }, name, sub), icon("down", 14));

  const scan = h("button", { class: "primary", title: "Scan (Ctrl+Enter)", "data-test": "scan", onclick: () => startOrStop(studio) }, icon("scan"), "Scan");
  const sensorName = h("span", { class: "cut" }, "sensor");
  const sensor = h("button", { class: "with", title: "With which sensor", "data-test": "sensor", onclick: () => sensorMenu(studio, sensor) }, icon("sensor", 16), sensorName, icon("down", 14));
  const more = h("button", { class: "square", title: "More ways to scan", "data-test": "scan-more", "aria-label": "More ways to scan", onclick: () => moreMenu(studio, more) }, icon("down", 15));

  const save = h("button", { class: "plain", title: "Save: scenario, pack, picture, film, link", "data-test": "save", onclick: () => acts.saveMenu(save) }, icon("save"), "Save");
  const theme = h("button", { class: "plain square", title: "Dark or light", "aria-label": "Dark or light", "data-test": "theme", onclick: acts.theme }, icon("sun"));
  const help = h("button", { class: "plain square", title: "Keys and help (?)", "aria-label": "Keys and help", onclick: acts.help }, icon("help"));
  const left = h("button", { class: "plain square", title: "Show or hide the scenario ([)", "aria-label": "Show or hide the scenario", onclick: () => acts.panels("left") }, icon("panelLeft"));
  const right = h("button", { class: "plain square", title: "Show or hide layers and look (])", "aria-label": "Show or hide layers and look", onclick: () => acts.panels("right") }, icon("panelRight"));
  const dot = h("span", { class: "dot connecting", title: "connecting" });

  let shown = "";
  studio.document.watch((document_) => {
    if (!document_) return;
    name.textContent = document_.name;
    sub.textContent = document_.summary?.title ?? "";
    scenario.title = document_.summary?.title ?? "Choose a scenario (O)";
    const first = document_.summary?.sensors[0];
    const extra = (document_.summary?.sensors.length ?? 1) - 1;
    sensorName.textContent = first ? `${first.title || first.preset}${extra > 0 ? ` + ${extra}` : ""}` : "no sensor";
    sensor.title = document_.summary ? `With which sensor; it will fire ${compact(document_.summary.sensors.reduce((sum, each) => sum + each.pulses, 0))} pulses in ${short(document_.summary.duration_s)} s` : "With which sensor";
    scan.disabled = document_.good_revision === 0;
    if (document_.name !== shown) {
      shown = document_.name;
      const card = studio.library.value?.scenarios.find((known) => known.name === document_.name);
      if (card?.thumbnail) void cover(picture, `library/thumbnail/${encodeURIComponent(card.id)}`);
      else picture.getContext("2d")?.clearRect(0, 0, picture.width, picture.height);
    }
  });
  studio.library.on(() => {
    shown = "";
    studio.document.touch();
  });
  studio.layers.watch((layers) => {
    const working = layers.filter((layer) => ["waiting", "building", "running"].includes(layer.card.state));
    fill(scan, icon(working.length > 0 ? "stop" : "scan"), working.length > 0 ? "Stop" : "Scan");
    scan.title = working.length > 0 ? "Stop scanning (Escape)" : "Scan (Ctrl+Enter)";
    scan.dataset.working = String(working.length);
  });
  studio.live.connection.watch(({ state }) => {
    dot.className = `dot ${state === "open" ? "" : state === "connecting" ? "connecting" : "lost"}`;
    dot.title = state === "open" ? "connected with the program" : state === "connecting" ? "connecting" : "the program does not answer";
  });

  return h(
    "header",
    { class: "top" },
    h("div", { class: "brand" }, icon("tree", 22), h("span", null, "Understory ", h("small", null, "Studio"))),
    scenario,
    h("div", { class: "scan-group" }, scan, sensor, more),
    h("div", { class: "top-end" }, save, h("i", { class: "rule" }), left, right, theme, help, dot),
  );
}

/** Starts a scan, or stops those that run. */
export function startOrStop(studio: Studio): void {
  const working = studio.layers.value.filter((layer) => ["waiting", "building", "running"].includes(layer.card.state));
  if (working.length > 0) for (const layer of working) void studio.attempt(() => send("POST", `layers/${layer.id}/cancel`));
  else if ((studio.document.value?.good_revision ?? 0) > 0) void studio.scan();
}

function sensorMenu(studio: Studio, anchor: HTMLElement): void {
  const current = studio.document.value?.summary?.sensors[0]?.preset;
  const sensors = studio.library.value?.sensors ?? [];
  showMenu(
    anchor,
    sensors.map((sensor): Entry => ({
      name: sensor.title || sensor.name,
      help: `${sensor.name} · ${sensor.pattern} · ${sensor.channels} ${sensor.channels === 1 ? "laser" : "lasers"} · ${compact(sensor.pulse_rate_hz)} pulses/s · ${sensor.wavelength_nm} nm · to ${short(sensor.range_m[1], 3)} m`,
      on: sensor.name === current,
      act: () => void useSensor(studio, sensor.name),
    })),
    { search: "Which sensor?", width: 360 },
  );
}

/** Puts a preset in the place of the first sensor's. */
export async function useSensor(studio: Studio, preset: string): Promise<void> {
  const value = studio.document.value?.value as { sensor?: Record<string, unknown>[] } | null | undefined;
  const first = value?.sensor?.[0];
  const edits = [
    { path: ["sensor", 0, "preset"], value: preset as unknown },
    ...(first && "file" in first ? [{ path: ["sensor", 0, "file"], value: null }] : []),
    ...(first && "override" in first ? [{ path: ["sensor", 0, "override"], value: null }] : []),
  ];
  await studio.edit(edits);
}

function moreMenu(studio: Studio, anchor: HTMLElement): void {
  const { value: document_ } = studio.document;
  const known = studio.library.value?.sensors ?? [];
  const three = THREE.filter((name) => known.some((sensor) => sensor.name === name));
  const seed = document_?.summary?.seed ?? 1;
  const duration = document_?.summary?.duration_s ?? 1;
  const used = Math.max(seed, ...studio.layers.value.map((layer) => layer.card.seed ?? 0));
  showMenu(
    anchor,
    [
      { head: "Scan" },
      { name: "With all three", help: `${three.join(", ")}: the same world, each in a layer of its own`, icon: "three", act: () => void scanWith(studio, three) },
      { name: "With another seed", help: `seed ${used + 1}: the same world, other noise`, icon: "scan", act: () => void studio.scan({ seed: used + 1 }) },
      { name: "The first tenth", help: `the first ${short(duration / 10)} s`, icon: "play", act: () => void studio.scan({ interval_s: [0, duration / 10] }) },
      { name: "Each sensor by itself", help: "one layer per sensor of the scenario", icon: "layers", disabled: (document_?.summary?.sensors.length ?? 0) < 2, act: () => void each(studio) },
    ],
    { width: 340 },
  );
}

/** Scans the same world with several sensors, one layer each. */
export async function scanWith(studio: Studio, presets: readonly string[]): Promise<void> {
  for (const preset of presets) {
    const title = studio.library.value?.sensors.find((sensor) => sensor.name === preset)?.title ?? preset;
    if (!(await studio.scan({ preset, sensor: 0, name: title }))) return;
  }
  studio.look.patch({ colourBy: "layer", limits: null });
}

async function each(studio: Studio): Promise<void> {
  for (const sensor of studio.document.value?.summary?.sensors ?? []) await studio.scan({ sensor: sensor.index, name: sensor.name });
}
