// What can be taken along: the scenario, everything as a pack, a picture, a film, a link.

import { download } from "../base/dom";
import { showMenu } from "../base/menu";
import { file, get } from "../data/api";
import { FIRST_LOOK, type Look } from "../data/look";
import { address, type Shared } from "../data/link";
import type { Studio } from "../data/studio";
import type { Document } from "../protocol";
import type { Viewport } from "../view/viewport";

const FILM_S = 6;

export function saveMenu(studio: Studio, viewport: Viewport, anchor: HTMLElement): void {
  showMenu(
    anchor,
    [
      { name: "Scenario", help: "as TOML", icon: "text", act: () => saveText(studio) },
      { name: "Everything", help: "a pack: the scenario with all files that it names", icon: "pack", act: () => void savePack(studio) },
      { name: "World", help: "as glTF, for other programs", icon: "world", act: () => void saveWorld(studio) },
      "line",
      { name: "Picture", help: "PNG, as it is on the screen", icon: "camera", act: () => void savePicture(studio, viewport) },
      { name: "Film", help: `${FILM_S} s about what is looked at`, icon: "film", act: () => void saveFilm(studio, viewport) },
      { name: "Link", help: "reproduces the view; without the token", icon: "link", act: () => void saveLink(studio, viewport) },
    ],
    { width: 300 },
  );
}

function saveText(studio: Studio): void {
  const document_ = studio.document.value;
  if (document_) download(new Blob([document_.text], { type: "application/toml" }), `${document_.name}.toml`);
}

async function savePack(studio: Studio): Promise<void> {
  await studio.attempt(async () => {
    const { bytes, name } = await file("document/pack", undefined, `${studio.document.value?.name ?? "scenario"}.pack`);
    download(bytes, name);
    studio.say("good", `${name} is saved`);
  });
}

async function saveWorld(studio: Studio): Promise<void> {
  studio.say("info", "writing the world …");
  await studio.attempt(async () => {
    const { bytes, name } = await file("world/export", { format: "glb" }, `${studio.document.value?.name ?? "world"}.glb`);
    download(bytes, name);
    studio.say("good", `${name} is saved`);
  });
}

async function savePicture(studio: Studio, viewport: Viewport): Promise<void> {
  await viewport.settled();
  const blob = await new Promise<Blob | null>((resolve) => viewport.canvas.toBlob(resolve, "image/png"));
  if (blob) download(blob, `${studio.document.value?.name ?? "studio"}.png`);
}

/** Records the picture while the camera goes once around. */
export async function saveFilm(studio: Studio, viewport: Viewport, seconds = FILM_S): Promise<void> {
  const kind = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"].find((type) => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported(type));
  if (!kind) return studio.say("error", "this browser cannot record films; save pictures instead");
  const parts: Blob[] = [];
  const recorder = new MediaRecorder(viewport.canvas.captureStream(30), { mimeType: kind, videoBitsPerSecond: 12_000_000 });
  recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
  const ended = new Promise<void>((resolve) => recorder.addEventListener("stop", () => resolve(), { once: true }));
  const start = viewport.rig.view;
  studio.say("info", `recording ${seconds} s …`);
  recorder.start();
  const began = performance.now();
  await new Promise<void>((resolve) => {
    const step = (now: number) => {
      const along = Math.min(1, Math.max(0, (now - began) / (seconds * 1000)));
      viewport.rig.set({ azimuth: start.azimuth + along * 2 * Math.PI, flat: false });
      if (along < 1) requestAnimationFrame(step);
      else resolve();
    };
    requestAnimationFrame(step);
  });
  recorder.stop();
  await ended;
  viewport.rig.set(start);
  const name = `${studio.document.value?.name ?? "studio"}.${kind.includes("mp4") ? "mp4" : "webm"}`;
  download(new Blob(parts, { type: kind }), name);
  studio.say("good", `${name} is saved`);
}

/** What a link holds of the page. */
export async function shared(studio: Studio, viewport: Viewport): Promise<Shared | null> {
  const document_ = studio.document.value;
  if (!document_) return null;
  const look: Partial<Look> = {};
  for (const [key, value] of Object.entries(studio.look.value) as [keyof Look, never][]) {
    if (JSON.stringify(value) !== JSON.stringify(FIRST_LOOK[key])) look[key] = value;
  }
  const card = studio.library.value?.scenarios.find((known) => known.name === document_.name);
  return {
    scenario: card?.id ?? document_.name,
    text: document_.revision > 1 || !card ? document_.text : undefined,
    view: viewport.rig.view,
    look,
    scans: studio.layers.value
      .filter((layer) => layer.card.kind === "scan" && layer.card.source === document_.name)
      .slice(-4)
      .map(({ card: scan, made }) => ({ ...made, name: scan.name, seed: scan.seed ?? undefined, interval_s: made?.interval_s ?? scan.interval_s })),
  };
}

async function saveLink(studio: Studio, viewport: Viewport): Promise<void> {
  const view = await shared(studio, viewport);
  if (!view) return;
  const link = address(view);
  history.replaceState(null, "", link.address.slice(location.origin.length));
  try {
    await navigator.clipboard.writeText(link.address);
    studio.say("good", `The link is copied, and in the address bar.${link.whole ? "" : " The text was too long for it: send the scenario along."}`);
  } catch {
    studio.say("good", "The link is in the address bar.");
  }
}

/** Makes the page what a link says. */
export async function restore(studio: Studio, viewport: Viewport, view: Shared): Promise<void> {
  const current = studio.document.value;
  if (view.text !== undefined && view.text !== current?.text) await studio.open({ text: { name: view.scenario, text: view.text } });
  else if (view.text === undefined && current?.name !== view.scenario) await studio.open({ scenario: view.scenario });
  studio.look.patch(view.look);
  viewport.rig.set(view.view);
  const document_ = await get<Document>("document");
  if (document_.good_revision === 0) return;
  const known = studio.layers.value;
  for (const scan of view.scans.slice(0, 4)) {
    if (known.some((layer) => layer.card.name === scan.name && layer.card.seed === (scan.seed ?? null))) continue;
    await studio.scan(scan);
  }
}
