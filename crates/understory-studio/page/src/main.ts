// Puts the page together: sides, picture, dock, keys.

import { Vector3 } from "three";
import { fill, h } from "./base/dom";
import { compact, short } from "./base/format";
import { icon } from "./base/icons";
import { Refusal, sentence, takeToken } from "./data/api";
import { decode } from "./data/link";
import { Studio } from "./data/studio";
import { Chooser } from "./panels/chooser";
import { ComparePanel, compareOverlay } from "./panels/compare";
import { withoutWebgl } from "./panels/fallback";
import { inspector } from "./panels/inspector";
import { layersPanel } from "./panels/layers";
import { Learn } from "./panels/learn";
import { legend } from "./panels/legend";
import { lookPanel } from "./panels/look";
import { banners, helpSheet, toasts } from "./panels/notices";
import { RangeImage } from "./panels/range-image";
import { restore, saveMenu } from "./panels/save";
import { ScenarioPanel } from "./panels/scenario";
import { Timeline } from "./panels/timeline";
import { Toolbar } from "./panels/toolbar";
import { startOrStop, topBar } from "./panels/topbar";
import { currentTheme, toggleTheme } from "./base/theme";
import { FocusView } from "./view/focus";
import { Markers } from "./view/markers";
import { Measure } from "./view/measure";
import { Paint } from "./view/paint";
import { Scenery } from "./view/scenery";
import { typing } from "./view/steering";
import { Viewport } from "./view/viewport";

const PARTLY = "An even sample while the view moves; at rest the others are drawn over it part by part, so that the page answers also without a graphics card";

/** Points that are searched each time the mouse moves. */
const HOVER_POINTS = 600_000;

type Tab = "look" | "point" | "compare";

async function main(): Promise<void> {
  const { view } = takeToken();
  const studio = new Studio();
  currentTheme();
  const chooser = new Chooser(studio);
  const learn = new Learn(studio);
  const help = helpSheet();
  toasts(studio);

  const shell = h("div", { class: "shell" });
  const stage = h("div", { class: "stage-box" });
  const overlay = h("div", { class: "overlay" });
  const dock = h("div", { class: "dock" });
  const scenario = new ScenarioPanel(studio);
  const compare = new ComparePanel(studio);
  const panels = (side: "left" | "right") => shell.classList.toggle(`no-${side}`);

  document.body.append(shell);
  stage.append(overlay);
  let viewport: Viewport | null = null;
  try {
    viewport = new Viewport(stage, studio.material, studio.clouds);
    stage.prepend(viewport.canvas);
    studio.viewport = viewport;
  } catch {
    withoutWebgl(studio, stage);
  }

  const theme = () => {
    toggleTheme();
    paintSky(viewport);
  };
  const save = (anchor: HTMLElement) => {
    if (viewport) saveMenu(studio, viewport, anchor);
  };
  const top = topBar(studio, { choose: (tab) => chooser.open(tab), saveMenu: save, help: () => help.showModal(), theme, panels });

  const tabs = new Map<Tab, { button: HTMLButtonElement; body: HTMLElement }>();
  const sideBody = h("div", { class: "scroll" });
  const show = (tab: Tab) => {
    for (const [name, { button }] of tabs) button.setAttribute("aria-selected", String(name === tab));
    fill(sideBody, tabs.get(tab)?.body);
  };
  let toolbar: Toolbar | null = null;
  const layers = layersPanel(studio, {
    compare: (a, b) => {
      show("compare");
      compare.start(a, b);
    },
    learn: (layer) => learn.open(layer),
    recordings: () => chooser.open("recordings"),
    fit: (layer) => {
      const box = layer.cloud.bounds();
      if (!box || !viewport) return;
      const low = new Vector3(...box.low).add(layer.offset(studio.origin));
      const high = new Vector3(...box.high).add(layer.offset(studio.origin));
      toolbar?.extent();
      viewport.rig.fit(low.clone().add(high).multiplyScalar(0.5), low.distanceTo(high) * 0.3, viewport.width / viewport.height);
    },
  });
  const tab = (name: Tab, title: string, body: HTMLElement) => tabs.set(name, { button: h("button", { role: "tab", "data-test": `tab-${name}`, onclick: () => show(name) }, title), body });

  if (viewport) {
    const picture = viewport;
    const paint = new Paint(studio, picture);
    const scenery = new Scenery(studio, picture);
    const markers = new Markers(studio, picture, overlay);
    const measure = new Measure(picture, overlay);
    const focus = new FocusView(studio, picture, overlay);
    toolbar = new Toolbar(studio, picture, measure);
    const image = new RangeImage(studio, paint);
    const timeline = new Timeline(studio, scenery, markers);
    tab("look", "Look", lookPanel(studio, paint));
    tab("point", "Point", inspector(studio, focus));
    tab("compare", "Compare", compare.element);
    compareOverlay(studio, overlay);
    overlay.append(toolbar.element, legend(studio, paint), status(studio, picture), hint(studio, picture), banners(studio), learn.banner);
    dock.append(image.element, timeline.element);
    mouse(studio, picture, measure, () => show("point"));
    keys(studio, { toolbar, timeline, image, chooser, help, theme, panels });
    first(studio, picture, toolbar, view === null);
    studio.picked.on((picked) => {
      if (picked) show("point");
    });
    paintSky(picture);
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => {
      currentTheme();
      paintSky(picture);
    });
  } else {
    tab("compare", "Compare", compare.element);
    overlay.append(banners(studio), learn.banner);
  }

  const right = h("aside", { class: "side right", "aria-label": "Layers and look" }, h("div", { class: "layers-box" }, layers), h("div", { class: "tabs", role: "tablist" }, [...tabs.values()].map(({ button }) => button)), sideBody);
  fill(shell, top, scenario.element, h("main", { class: "centre" }, stage, dock), right);
  show(viewport ? "look" : "compare");

  try {
    await Promise.all([studio.begin(), scenario.begin()]);
    const wanted = view === null ? null : decode(view);
    if (view !== null && !wanted) studio.say("error", "the link holds no view: it was cut or changed on its way");
    if (wanted && viewport) await restore(studio, viewport, wanted);
  } catch (error) {
    gate(error);
  }
}

/** Looks at the world when a new one is opened. */
function first(studio: Studio, viewport: Viewport, toolbar: Toolbar, fit: boolean): void {
  let looked = !fit;
  let kept = !fit;
  let shown: string | null = null;
  // The world may come before its text does.
  studio.document.on((document_) => (shown ??= document_?.name ?? null));
  studio.world.on((world) => {
    toolbar.extent();
    for (const layer of studio.layers.value) layer.place(studio.origin);
    const name = studio.document.value?.name ?? null;
    const another = name !== null && shown !== null && name !== shown;
    if (world && (!looked || (another && !kept))) {
      toolbar.first();
      studio.chosenObject.value = 0;
      looked = true;
    }
    if (another) {
      // A link's own scenario comes with its own view.
      kept = false;
      shown = name;
    }
    viewport.redraw();
  });
  const met = new Set<number>();
  studio.grew.on(() => {
    toolbar.extent();
    for (const layer of studio.layers.value) {
      if (layer.cloud.count === 0 || met.has(layer.id)) continue;
      met.add(layer.id);
      if (layer.card.kind !== "recording" || !layer.fresh) continue;
      studio.lookElsewhere(layer);
      studio.lookAlone(layer);
      toolbar.extent();
      toolbar.fit(false);
      studio.say("info", `${layer.card.name} is shown alone. The eyes in the list and World under Look show the rest again.`);
    }
    if (!studio.world.value && studio.layers.value.length === 1 && studio.layers.value[0].cloud.count > 0) toolbar.fit(false);
  });
}

function mouse(studio: Studio, viewport: Viewport, measure: Measure, inspect: () => void): void {
  const limits = () => {
    const { uniforms } = viewport.points;
    return { low: uniforms.low.value as Vector3, high: uniforms.high.value as Vector3, span: [uniforms.span.value.x, uniforms.span.value.y] as [number, number] };
  };
  const place = (x: number, y: number): Vector3 | null => viewport.pointAt(x, y, 7, limits())?.position ?? viewport.surfaceAt(x, y)?.position ?? null;
  let waiting = 0;
  viewport.steering.onHover = (x, y) => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      const found = viewport.pointAt(x, y, 6, limits(), HOVER_POINTS);
      studio.hover.value = found ? { layer: found.layer, point: found.index } : null;
    });
  };
  viewport.canvas.addEventListener("pointerleave", () => {
    cancelAnimationFrame(waiting);
    studio.hover.value = null;
  });
  viewport.steering.onClick = (x, y) => {
    if (measure.on) {
      const at = place(x, y);
      if (at) measure.add(at);
      return;
    }
    const found = viewport.pointAt(x, y, 8, limits());
    const surface = viewport.surfaceAt(x, y);
    if (found) {
      studio.active.value = found.layer.id;
      studio.picked.value = { layer: found.layer, point: found.index };
      inspect();
    } else studio.picked.value = null;
    studio.chosenObject.value = !found && surface ? surface.object : 0;
  };
  viewport.steering.onDoubleClick = (x, y) => {
    const at = place(x, y);
    if (at) viewport.rig.travel({ target: [at.x, at.y, at.z], distance: Math.max(1.5, viewport.rig.eye().distanceTo(at) * 0.5) });
  };
}

function keys(studio: Studio, parts: { toolbar: Toolbar; timeline: Timeline; image: RangeImage; chooser: Chooser; help: HTMLDialogElement; theme: () => void; panels: (side: "left" | "right") => void }): void {
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      event.preventDefault();
      startOrStop(studio);
      return;
    }
    if ((event.ctrlKey || event.metaKey) && event.key === "z" && !typing(event.target)) {
      event.preventDefault();
      void studio.undo();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || document.querySelector("dialog[open]")) return;
    const acts: Record<string, (() => void) | undefined> = {
      f: () => parts.toolbar.fit(),
      "1": () => parts.toolbar.corner(),
      "2": () => parts.toolbar.top(),
      "3": () => parts.toolbar.side(),
      m: () => parts.toolbar.measure(),
      c: () => parts.toolbar.clip(),
      r: () => parts.image.toggle(),
      x: () => studio.look.patch({ cutaway: !studio.look.value.cutaway }),
      v: () => studio.look.patch({ through: !studio.look.value.through }),
      t: parts.theme,
      o: () => parts.chooser.open("scenarios"),
      "[": () => parts.panels("left"),
      "]": () => parts.panels("right"),
      "?": () => parts.help.showModal(),
    };
    if (event.key === " " && !(event.target instanceof HTMLButtonElement)) {
      event.preventDefault();
      parts.timeline.toggle();
    } else if (event.key === "Escape") {
      if (studio.layers.value.some((layer) => ["waiting", "building", "running"].includes(layer.card.state))) startOrStop(studio);
      studio.picked.value = null;
      studio.chosenObject.value = 0;
    } else {
      const act = acts[event.key.toLowerCase()];
      // The letter that opens a field is not meant for it.
      if (act) event.preventDefault();
      act?.();
    }
  });
}

/** How to move, at the lower right, until somebody does or points are there. */
function hint(studio: Studio, viewport: Viewport): HTMLElement {
  const box = h("div", { class: "how-to" }, h("kbd", null, "drag"), "turn", h("kbd", null, "wheel"), "nearer", h("kbd", null, "click"), "look inside", h("kbd", null, "?"), "keys");
  studio.grew.on(() => box.remove());
  for (const name of ["pointerdown", "wheel"]) viewport.canvas.addEventListener(name, () => box.remove(), { once: true, passive: true });
  return box;
}

/** Points, triangles and milliseconds at the upper right. */
function status(studio: Studio, viewport: Viewport): HTMLElement {
  const box = h("div", { class: "status", "data-test": "status" });
  let last = 0;
  const show = () => {
    last = performance.now();
    const { points, of } = viewport.shown;
    const { extra } = viewport.world;
    const recent = viewport.frames.slice(-8).sort((a, b) => a - b);
    const hover = studio.hover.value;
    const at = hover ? hover.layer.cloud.position(hover.point) : null;
    fill(
      box,
      at && hover ? h("span", null, at.map((value, axis) => (value + hover.layer.card.offset_m[axis]).toFixed(2)).join(", ")) : null,
      of > 0 ? h("span", points < of ? { title: PARTLY, "data-test": "sampled" } : null, points < of ? `${compact(points)} of ${compact(of)} points` : `${compact(of)} points`) : null,
      extra ? h("span", { title: extra.sentence ?? "every triangle of the world is drawn", "data-test": "detail" }, extra.drawn_triangles < extra.all_triangles ? `${compact(extra.drawn_triangles)} of ${compact(extra.all_triangles)} triangles` : `${compact(extra.drawn_triangles)} triangles`) : null,
      recent.length > 0 ? h("span", { title: "time to make a picture" }, `${short(recent[Math.floor(recent.length / 2)], 2)} ms`) : null,
    );
  };
  const marks = new Set<string>();
  const mark = (name: string, reached: boolean) => {
    if (!reached || marks.has(name)) return;
    marks.add(name);
    performance.mark(name);
  };
  let later = 0;
  viewport.onShown.push(() => {
    if (viewport.shown.world && !marks.has("understory-first-picture")) setTimeout(() => viewport.warm(), 0);
    mark("understory-first-picture", viewport.shown.world);
    mark("understory-first-points", viewport.shown.points > 0);
    clearTimeout(later);
    if (performance.now() - last > 250) show();
    else later = window.setTimeout(show, 250);
  });
  studio.hover.on(show);
  studio.grew.on(show);
  return box;
}

function paintSky(viewport: Viewport | null): void {
  const style = getComputedStyle(document.documentElement);
  const light = document.documentElement.dataset.theme === "light";
  viewport?.world.shared.quiet.value.setScalar(light ? 1.3 : 0.54);
  viewport?.sky(style.getPropertyValue("--sky-top").trim(), style.getPropertyValue("--sky-low").trim());
}

/** The page without the program, or without its token. */
function gate(error: unknown): void {
  const refused = error instanceof Refusal && (error.status === 401 || error.status === 403);
  const words = refused ? "This page needs the address that `understory studio` printed: it holds the token of this start of the program." : sentence(error);
  const retry = h("button", { class: "primary", onclick: () => location.reload() }, "Try again");
  document.body.append(h("div", { class: "gate", "data-test": "gate" }, h("div", null, icon("tree", 44), h("h1", null, refused ? "Open the address that the program printed" : "The program does not answer"), h("p", { class: "soft" }, words), retry)));
  if (!refused) {
    const again = setInterval(() => {
      void fetch("/", { method: "HEAD", cache: "no-store" }).then((answer) => {
        if (!answer.ok) return;
        clearInterval(again);
        location.reload();
      }).catch(() => {});
    }, 1_500);
  }
}

void main();
