// Icons of 24 × 24 as strokes.

import { svg } from "./dom";

const PATHS = {
  tree: "M12 3c4 2.5 6.5 6 6.5 9.5a6.5 6.5 0 0 1-13 0C5.5 9 8 5.5 12 3zM12 9v12M12 15l3-2.5M12 13l-3-2.5",
  play: "M7 5l12 7-12 7z",
  pause: "M8 5v14M16 5v14",
  stop: "M6 6h12v12H6z",
  scan: "M12 12m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0M7.8 7.8a6 6 0 0 0 0 8.4M16.2 7.8a6 6 0 0 1 0 8.4M5 5a10 10 0 0 0 0 14M19 5a10 10 0 0 1 0 14",
  three: "M6 7h12M6 12h12M6 17h12M3 7h.01M3 12h.01M3 17h.01",
  layers: "M12 3l9 5-9 5-9-5zM3 13l9 5 9-5",
  eye: "M2 12s3.5-7 10-7 10 7 10 7-3.5 7-10 7-10-7-10-7zM12 12m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
  hidden: "M3 3l18 18M10.6 5.1A10.6 10.6 0 0 1 12 5c6.5 0 10 7 10 7a17 17 0 0 1-3.2 4M6.6 6.6A17 17 0 0 0 2 12s3.5 7 10 7a10 10 0 0 0 5-1.3M9.9 9.9a3 3 0 0 0 4.2 4.2",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v6M14 11v6",
  export: "M12 15V3M8 7l4-4 4 4M4 14v6h16v-6",
  save: "M12 3v12M8 11l4 4 4-4M4 14v6h16v-6",
  open: "M3 7v12h18V9h-9l-2-2z",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M9 12h6M12 9v6",
  top: "M5 5h14v14H5zM12 9v6M9.5 12.5L12 15l2.5-2.5",
  side: "M5 5h14v14H5zM9 12h6M12.5 9.5L15 12l-2.5 2.5",
  perspective: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5",
  fly: "M3 12l18-8-6 17-4-7zM11 14l10-10",
  orbit: "M12 12m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0M12 5c5.5 0 9 3.1 9 7s-3.5 7-9 7-9-3.1-9-7c0-2 1-3.8 2.6-5M5.6 3.5V7H9",
  clip: "M4 8V4h4M20 8V4h-4M4 16v4h4M20 16v4h-4M8 8h8v8H8z",
  measure: "M3 16L16 3l5 5L8 21zM7 12l2 2M10 9l2 2M13 6l2 2",
  camera: "M3 7h4l2-3h6l2 3h4v12H3zM12 13m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0",
  film: "M3 5h18v14H3zM7 5v14M17 5v14M3 9.5h4M3 14.5h4M17 9.5h4M17 14.5h4",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4.2 4.2 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.4l-3 3a4.2 4.2 0 0 0 6 6l1-1",
  pack: "M12 3l8 4v10l-8 4-8-4V7zM4 7l8 4 8-4M12 11v10M8 5l8 4",
  compare: "M12 3v18M4 6h5v12H4zM15 6h5v12h-5z",
  learn: "M4 15c3-6 5-6 8 0s5 6 8 0M12 7m-4 0a4 2.5 0 1 0 8 0a4 2.5 0 1 0-8 0M12 18m-5 0a5 2 0 1 0 10 0a5 2 0 1 0-10 0",
  sun: "M12 12m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  help: "M12 12m-9 0a9 9 0 1 0 18 0a9 9 0 1 0-18 0M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 16.8h.01",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12.5l4.5 4.5L19 7.5",
  warn: "M12 4L2.5 20h19zM12 10v5M12 17.6h.01",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  down: "M6 9l6 6 6-6",
  right: "M9 6l6 6-6 6",
  edit: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  search: "M11 11m-6.5 0a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0M16 16l5 5",
  image: "M3 5h18v14H3zM3 16l5-5 4 4 3-3 6 5M15.5 9m-1.2 0a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0",
  palette: "M12 3a9 9 0 1 0 0 18c1.6 0 2-1 1.5-2-.7-1.3.1-2.8 1.5-2.8H18a3 3 0 0 0 3-3C21 7.400 17 3 12 3zM8 9h.01M12 7h.01M16 9h.01M7.500 13h.01",
  pulse: "M2 13h4l2-6 3 12 3-15 2.500 9H22",
  world: "M12 12m-9 0a9 9 0 1 0 18 0a9 9 0 1 0-18 0M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  undo: "M9 7L4 12l5 5M4 12h10a6 6 0 0 1 0 12",
  text: "M5 6h14M5 11h9M5 16h14M5 21h6",
  form: "M4 5h16v5H4zM4 14h16v5H4zM7 7.500h4M7 16.500h6",
  panelLeft: "M3 4h18v16H3zM9 4v16",
  panelRight: "M3 4h18v16H3zM15 4v16",
  sensor: "M5 20h14M8 20v-4h8v4M7 8h10v8H7zM9 8V5h6v3M2 9l3 1M22 9l-3 1",
} as const;

export type IconName = keyof typeof PATHS;

/** An icon, drawn in the colour of the text. */
export function icon(name: IconName, size = 18): SVGElement {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", width: size, height: size, fill: "none", stroke: "currentColor", "stroke-width": 1.7, "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true", class: "icon" },
    svg("path", { d: PATHS[name] }),
  );
}
