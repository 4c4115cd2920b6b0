// The list of layers: every scan and every opened recording, newest last.

import { download, fill, h } from "../base/dom";
import { compact, seconds, short, whole } from "../base/format";
import { icon } from "../base/icons";
import { showMenu, type Entry } from "../base/menu";
import { layerColour } from "../colour/maps";
import { file, send } from "../data/api";
import type { Layer } from "../data/layer";
import type { Studio } from "../data/studio";
import type { Layer as Card } from "../protocol";

export interface LayerActs {
  compare: (a: Layer, b: Layer) => void;
  learn: (layer: Layer) => void;
  recordings: () => void;
  fit: (layer: Layer) => void;
}

export function layersPanel(studio: Studio, acts: LayerActs): HTMLElement {
  const count = h("span", { class: "count" });
  const list = h("div", { role: "list", "data-test": "layers" });
  const open = h("button", { class: "plain small", title: "Open a recording", onclick: acts.recordings }, icon("open", 15), "Open");
  const panel = h("div", { class: "section layers" }, h("header", null, icon("layers", 16), h("span", { class: "grow" }, "Layers ", count), open), list);

  const rows = new Map<number, ReturnType<typeof layerRow>>();
  const show = () => {
    const layers = studio.layers.value;
    count.textContent = layers.length > 0 ? String(layers.length) : "";
    for (const [id, row] of rows) {
      if (layers.some((layer) => layer.id === id)) continue;
      row.element.remove();
      rows.delete(id);
    }
    if (layers.length === 0) {
      fill(list, h("div", { class: "empty" }, icon("scan", 30), h("strong", null, "No scans yet"), h("span", null, "Press Scan: points appear here while they are made, and every scan stays.")));
      return;
    }
    list.querySelector(".empty")?.remove();
    for (const layer of layers) {
      let row = rows.get(layer.id);
      if (!row) {
        row = layerRow(studio, layer, acts);
        rows.set(layer.id, row);
        list.append(row.element);
      }
      row.update();
    }
  };
  studio.layers.on(show);
  studio.active.on((id) => {
    show();
    rows.get(id ?? -1)?.element.scrollIntoView({ block: "nearest" });
  });
  studio.grew.on(show);
  show();
  return panel;
}

function layerRow(studio: Studio, layer: Layer, acts: LayerActs): { element: HTMLElement; update: () => void } {
  const eye = h("button", { class: "plain small square", onclick: (event: Event) => {
    event.stopPropagation();
    layer.visible = !layer.visible;
    studio.layers.touch();
    studio.grew.value++;
  } });
  const swatch = h("span", { class: "swatch" });
  swatch.style.background = layerColour(layer.number);
  const name = h("input", {
    type: "text",
    class: "name cut",
    readonly: true,
    "aria-label": "Name of the layer",
    ondblclick: () => rename(),
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === "Enter") name.blur();
      if (event.key === "Escape") {
        name.value = layer.card.name;
        name.blur();
      }
    },
    onblur: () => {
      if (name.readOnly) return;
      name.readOnly = true;
      const wanted = name.value.trim();
      if (wanted === "" || wanted === layer.card.name) name.value = layer.card.name;
      else
        void studio.attempt(async () => {
          layer.card = { ...layer.card, name: (await send<Card>("PATCH", `layers/${layer.id}`, { name: wanted })).name };
          studio.layers.touch();
        });
    },
  });
  const rename = () => {
    name.readOnly = false;
    name.focus();
    name.select();
  };
  const stop = h("button", { class: "small", "data-test": "cancel", onclick: (event: Event) => {
    event.stopPropagation();
    void studio.attempt(() => send("POST", `layers/${layer.id}/cancel`));
  } }, icon("stop", 13), "Stop");
  const more = h("button", { class: "plain small square", title: "What can be done with it", "data-test": "layer-menu", onclick: (event: Event) => {
    event.stopPropagation();
    showMenu(more, menu(studio, layer, acts, rename));
  } }, icon("three", 15));
  const facts = h("div", { class: "facts" });
  const bar = h("progress", { max: 1, value: 0 });
  const trouble = h("div", { class: "trouble" });
  const element = h(
    "div",
    {
      class: "layer",
      role: "listitem",
      tabindex: 0,
      "data-layer": layer.id,
      onclick: () => (studio.active.value = layer.id),
      onkeydown: (event: KeyboardEvent) => {
        if (event.target !== element) return;
        if (event.key === "Enter") studio.active.value = layer.id;
        if (event.key === "Delete") void studio.remove(layer);
        if (event.key === "F2") rename();
        if (event.key === " ") {
          event.preventDefault();
          eye.click();
        }
      },
    },
    eye,
    h("div", { class: "row" }, swatch, name),
    h("div", { class: "acts" }, stop, more),
    facts,
    bar,
    trouble,
  );
  const update = () => {
    const { card } = layer;
    const working = card.state === "waiting" || card.state === "building" || card.state === "running";
    element.classList.toggle("active", studio.activeLayer === layer);
    element.classList.toggle("dim", !layer.visible);
    element.dataset.state = layer.streaming && !working ? "loading" : card.state;
    element.dataset.points = String(layer.cloud.count);
    fill(eye, icon(layer.visible ? "eye" : "hidden", 15));
    eye.title = layer.visible ? "Hide" : "Show";
    eye.setAttribute("aria-label", eye.title);
    if (name.readOnly) name.value = card.name;
    stop.hidden = !working;
    bar.hidden = !working;
    if (card.state === "waiting" || card.state === "building") bar.removeAttribute("value");
    else bar.value = card.share;
    const words = [
      `${compact(layer.cloud.count)} points`,
      working ? card.doing : `${compact(card.pulses)} pulses`,
      !working && card.seed !== null ? `seed ${card.seed}` : null,
      !working && card.seconds > 0 ? seconds(card.seconds) : null,
      card.state === "cancelled" ? "stopped" : null,
    ].filter((word): word is string => word !== null && word !== "");
    fill(facts, words.map((word) => h("span", null, word)));
    facts.title = [
      `${card.kind === "scan" ? "scan of" : "recording"} ${card.source}`,
      `sensors: ${card.sensors.join(", ")}`,
      `${whole(card.pulses)} pulses, ${whole(card.returns)} returns, ${whole(card.rows)} rows`,
      `from ${short(card.interval_s[0])} to ${short(card.interval_s[1])} s`,
      ...card.remarks,
    ].join("\n");
    trouble.textContent = layer.trouble ?? card.problem?.sentence ?? "";
    trouble.hidden = trouble.textContent === "";
  };
  return { element, update };
}

function menu(studio: Studio, layer: Layer, acts: LayerActs, rename: () => void): Entry[] {
  const formats = studio.library.value?.formats ?? [];
  const others = studio.layers.value.filter((other) => other !== layer);
  return [
    { name: "Look at it", icon: "fit", act: () => acts.fit(layer) },
    { name: "Rename", icon: "edit", act: rename },
    ...others.map((other): Entry => ({ name: `Compare with ${other.card.name}`, icon: "compare", act: () => acts.compare(layer, other) })),
    { name: "Learn a site from it", help: "volumes that return light as the scene did", icon: "learn", act: () => acts.learn(layer) },
    ...(layer.card.kind === "scan" ? [{ name: "Open its scenario", help: "as it was when it was scanned", icon: "text", act: () => void studio.open({ layer: layer.id }) } as Entry] : []),
    "line",
    { head: "Export" },
    ...formats.map((format): Entry => ({ name: format.title || format.name, help: format.keeps, icon: "export", act: () => void exportLayer(studio, layer, format.name, format.suffix) })),
    "line",
    { name: "Remove", icon: "trash", act: () => void studio.remove(layer) },
  ];
}

export async function exportLayer(studio: Studio, layer: Layer, format: string, suffix: string): Promise<void> {
  studio.say("info", `writing ${layer.card.name} as ${format} …`);
  await studio.attempt(async () => {
    const { bytes, name } = await file(`layers/${layer.id}/export`, { format }, `${layer.card.name}${suffix}`);
    download(bytes, name);
    studio.say("good", `${name} is saved`);
  });
}
