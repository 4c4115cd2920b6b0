// A link that reproduces the view: the scenario by its name (or its text, where it was edited and is
// short), the camera, the look, and how the layers were made. It never holds the token.

import type { StartScan } from "../protocol";
import type { View } from "../view/rig";
import type { Look } from "./look";

export interface Shared {
  scenario: string;
  /** The text, where it is not the library's. */
  text?: string;
  view: View;
  look: Partial<Look>;
  scans: Partial<StartScan>[];
}

const MOST = 24_000;

/** The view as letters of an address. */
export function encode(shared: Shared): string {
  const json = JSON.stringify(shared, (_, value: unknown) => (typeof value === "number" ? Number(value.toPrecision(7)) : value));
  const bytes = new TextEncoder().encode(json);
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The view of such letters, or none where they are no view. */
export function decode(letters: string): Shared | null {
  try {
    const text = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
    const json = new TextDecoder().decode(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
    const shared = JSON.parse(json) as Shared;
    const whole = typeof shared.scenario === "string" && typeof shared.view === "object" && Array.isArray(shared.view.target) && shared.view.target.every(Number.isFinite);
    return whole ? shared : null;
  } catch {
    return null;
  }
}

/** The address of a view; the text is left out where it would make it too long. */
export function address(shared: Shared): { address: string; whole: boolean } {
  const full = encode(shared);
  const fits = full.length <= MOST;
  const letters = fits ? full : encode({ ...shared, text: undefined });
  return { address: `${location.origin}${location.pathname}#view=${letters}`, whole: fits };
}
