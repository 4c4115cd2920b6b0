// What the page says by itself: notices that go away, the state of the program, keys.

import { fill, h } from "../base/dom";
import { icon } from "../base/icons";
import type { Studio } from "../data/studio";

export function toasts(studio: Studio): void {
  const box = h("div", { class: "toast", role: "status", hidden: true, "data-test": "toast" });
  document.body.append(box);
  let end = 0;
  studio.notice.on((notice) => {
    if (!notice) return;
    clearTimeout(end);
    box.hidden = false;
    box.className = `toast ${notice.kind}`;
    fill(box, icon(notice.kind === "error" ? "warn" : notice.kind === "good" ? "check" : "scan"), h("span", { class: "grow" }, notice.text), h("button", { class: "plain small square", "aria-label": "Close", onclick: () => (box.hidden = true) }, icon("close", 14)));
    end = setTimeout(() => (box.hidden = true), notice.kind === "error" ? 12_000 : 4_000);
  });
}

/** Banners over the picture: the program is gone, the world is built, it could not be. */
export function banners(studio: Studio): HTMLElement {
  const box = h("div", { class: "banner", hidden: true, role: "status", "data-test": "banner" });
  const show = () => {
    const { state } = studio.live.connection.value;
    const { busy, problem } = studio.building.value;
    box.hidden = false;
    if (state === "lost") {
      box.className = "banner bad";
      fill(box, h("span", { class: "spin" }), "The program does not answer. What is here stays; the page connects again when the program is back.");
    } else if (state === "refused") {
      box.className = "banner bad";
      fill(box, icon("warn", 17), "The program was started anew: open the address that it printed.");
    } else if (busy) {
      box.className = "banner";
      fill(box, h("span", { class: "spin" }), "building the world …");
    } else if (problem) {
      box.className = "banner bad";
      fill(box, icon("warn", 17), problem);
    } else box.hidden = true;
  };
  studio.live.connection.on(show);
  studio.building.on(show);
  return box;
}

const KEYS: [string, string][] = [
  ["Ctrl Enter", "scan; Escape stops"],
  ["Ctrl Z", "take back the last edit of the scenario"],
  ["drag", "turn about what is looked at (fly: look about)"],
  ["right-drag, Shift drag", "move the view"],
  ["wheel", "nearer, farther, at the mouse"],
  ["W A S D Q E", "fly: forward, left, back, right, down, up"],
  ["arrows", "turn"],
  ["double click", "look at this place"],
  ["click", "a point: its values and its pulse; a surface: its object, which can be dragged"],
  ["F  1  2  3", "fit, at an angle, from above, from the side"],
  ["M  C  R", "measure, clipping box, range image"],
  ["X  V", "cut walls away, points over surfaces"],
  ["Space", "play the time"],
  ["O  [  ]", "choose a scenario, left side, right side"],
  ["T", "dark or light"],
];

export function helpSheet(): HTMLDialogElement {
  const dialog = h("dialog", { class: "sheet", "aria-label": "Keys" });
  fill(dialog, h("h2", null, "Keys"), h("div", { class: "keys" }, KEYS.flatMap(([keys, what]) => [h("span", null, keys.split("  ").map((key) => [h("kbd", null, key), " "])), h("span", { class: "soft" }, what)])), h("div", { class: "row", style: { "justify-content": "flex-end", "margin-top": "16px" } }, h("button", { onclick: () => dialog.close() }, "Close")));
  document.body.append(dialog);
  return dialog;
}
