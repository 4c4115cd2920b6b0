// Plots as SVG: the echo of a pulse with the detector's decisions, and histograms of two layers.

import { svg, type Child } from "../base/dom";
import { short } from "../base/format";
import { ticks } from "../colour/percentiles";
import type { Histogram, PulseAccount } from "../protocol";

const WIDTH = 300;
const LEFT = 40;
const BOTTOM = 18;

interface Axes {
  x: (value: number) => number;
  y: (value: number) => number;
  parts: Child[];
}

function axes(low: number, high: number, top: number, height: number, unit: string): Axes {
  const x = (value: number) => LEFT + ((value - low) / (high - low || 1)) * (WIDTH - LEFT - 6);
  const y = (value: number) => height - BOTTOM - (value / (top || 1)) * (height - BOTTOM - 8);
  const parts: Child[] = [];
  for (const tick of ticks(0, top, 3)) {
    parts.push(svg("line", { class: "grid", x1: LEFT, x2: WIDTH - 6, y1: y(tick), y2: y(tick) }));
    parts.push(svg("text", { x: LEFT - 4, y: y(tick) + 3, "text-anchor": "end" }, short(tick, 2)));
  }
  for (const tick of ticks(low, high, 4)) {
    parts.push(svg("line", { class: "axis", x1: x(tick), x2: x(tick), y1: height - BOTTOM, y2: height - BOTTOM + 3 }));
    parts.push(svg("text", { x: x(tick), y: height - 5, "text-anchor": "middle" }, short(tick, 5)));
  }
  parts.push(svg("line", { class: "axis", x1: LEFT, x2: WIDTH - 6, y1: height - BOTTOM, y2: height - BOTTOM }));
  if (unit) parts.push(svg("text", { x: WIDTH - 6, y: height - BOTTOM - 4, "text-anchor": "end" }, unit));
  return { x, y, parts };
}

/** The light that came back over range, with windows, thresholds and what was measured and true. */
export function echoPlot(pulse: PulseAccount): SVGElement {
  const height = 150;
  const { echo } = pulse;
  const marks = [...pulse.returns.flatMap((found) => [found.measured_m, found.window_m[0], found.window_m[1]]), ...pulse.sub_rays.flatMap((ray) => ray.hits.map((hit) => hit.distance_m))].filter(Number.isFinite);
  const shown = echo.range_m.filter((_, i) => echo.signal[i] > 0);
  const all = [...marks, ...(echo.kind === "sub-rays" ? echo.range_m : shown.length > 0 ? shown : echo.range_m)];
  let low = all.length > 0 ? all.reduce((a, b) => Math.min(a, b)) : 0;
  let high = all.length > 0 ? all.reduce((a, b) => Math.max(a, b)) : 1;
  const room = Math.max((high - low) * 0.08, 0.05);
  low -= room;
  high += room;
  const top = Math.max(echo.threshold ?? 0, echo.signal.reduce((a, b) => Math.max(a, b), 0)) * 1.08 || 1;
  const { x, y, parts } = axes(low, high, top, height, "range, m");
  const inside = (range: number) => range >= low && range <= high;
  for (const found of pulse.returns) {
    const from = Math.max(found.window_m[0], low);
    const to = Math.min(found.window_m[1], high);
    if (to > from) parts.push(svg("rect", { class: "window", x: x(from), y: 4, width: Math.max(1, x(to) - x(from)), height: height - BOTTOM - 4 }));
  }
  if (echo.kind === "waveform") {
    const places = echo.range_m.map((range, i): [number, number] => [range, echo.signal[i]]).filter(([range]) => inside(range));
    if (places.length > 1) {
      const line = places.map(([range, signal]) => `${x(range).toFixed(1)},${y(Math.max(0, signal)).toFixed(1)}`).join(" ");
      parts.push(svg("polygon", { class: "area", points: `${x(places[0][0]).toFixed(1)},${y(0)} ${line} ${x(places[places.length - 1][0]).toFixed(1)},${y(0)}` }));
      parts.push(svg("polyline", { class: "curve", points: line }));
    }
  } else {
    echo.range_m.forEach((range, i) => {
      if (!inside(range)) return;
      parts.push(svg("line", { class: "stem", x1: x(range), x2: x(range), y1: y(0), y2: y(echo.signal[i]) }));
      parts.push(svg("circle", { cx: x(range), cy: y(echo.signal[i]), r: 2.2, fill: "var(--accent)" }));
    });
  }
  if (echo.threshold !== null) parts.push(svg("line", { class: "threshold", x1: LEFT, x2: WIDTH - 6, y1: y(echo.threshold), y2: y(echo.threshold) }));
  pulse.returns.forEach((found, number) => {
    const truth = found.truth === null ? null : pulse.sub_rays[found.truth]?.hits[0]?.distance_m;
    if (typeof truth === "number" && inside(truth)) parts.push(svg("line", { class: "true", x1: x(truth), x2: x(truth), y1: 4, y2: height - BOTTOM }));
    if (!inside(found.measured_m)) return;
    parts.push(svg("line", { class: "measured", x1: x(found.measured_m), x2: x(found.measured_m), y1: 4, y2: height - BOTTOM }));
    parts.push(svg("text", { x: x(found.measured_m) + 3, y: 12 }, String(number + 1)));
  });
  return svg("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `Echo of pulse ${pulse.pulse}: ${pulse.returns.length} returns` }, ...parts);
}

/** Shares of two layers in the same bins, one over the other. */
export function pairPlot(pair: Histogram): SVGElement {
  const height = 104;
  const bins = Math.max(pair.real.length, pair.simulated.length);
  const top = Math.max(1e-9, ...pair.real, ...pair.simulated) * 1.05;
  const { x, y, parts } = axes(pair.from, pair.from + pair.step * bins, top * 100, height, pair.unit);
  const bars = (shares: readonly number[], name: string) =>
    shares.forEach((share, at) => {
      if (!(share > 0)) return;
      const left = x(pair.from + pair.step * at);
      const right = x(pair.from + pair.step * (at + 1));
      parts.push(svg("rect", { class: name, x: left.toFixed(2), y: y(share * 100).toFixed(2), width: Math.max(0.6, right - left).toFixed(2), height: Math.max(0, y(0) - y(share * 100)).toFixed(2) }));
    });
  bars(pair.real, "bar-a");
  bars(pair.simulated, "bar-b");
  return svg("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `Histogram of ${pair.name}` }, ...parts);
}
