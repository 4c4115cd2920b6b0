// Without WebGL the program draws the picture itself.

import { h } from "../base/dom";
import { whole } from "../base/picture";
import type { Studio } from "../data/studio";

export function withoutWebgl(studio: Studio, holder: HTMLElement): void {
  const canvas = h("canvas", { "data-test": "program-picture" });
  const words = h("p", null, "This browser has no WebGL (3D graphics), so the picture below is drawn by the program. Everything else works: scenario, scans, exports, comparisons. To turn it on, use a browser with hardware acceleration, or start Chromium with --use-angle=swiftshader --enable-unsafe-swiftshader.");
  holder.append(h("div", { class: "no-webgl", "data-test": "no-webgl" }, words, canvas));
  let shown = "";
  const show = () => {
    const latest = studio.activeLayer;
    const path = latest?.card.state === "done" ? `layers/${latest.id}/picture` : "world/picture";
    const key = `${path} ${studio.document.value?.good_revision}`;
    if (key === shown) return;
    shown = key;
    void whole(canvas, path, path === "world/picture" ? { width: Math.max(320, holder.clientWidth), height: Math.max(200, holder.clientHeight - 60) } : undefined);
  };
  studio.document.on(show);
  studio.layers.on(show);
  show();
}
