// Pictures of the program, drawn into a canvas: they come with the token, which an <img> cannot send.

import { call } from "../data/api";

const cache = new Map<string, Promise<ImageBitmap | null>>();

function load(path: string, query?: Record<string, string | number>): Promise<ImageBitmap | null> {
  return call("GET", path, { query })
    .then((answer) => answer.blob())
    .then((blob) => createImageBitmap(blob))
    .catch(() => null);
}

/** Draws a picture so that it covers the canvas; false where there is none. */
export async function cover(canvas: HTMLCanvasElement, path: string, query?: Record<string, string | number>): Promise<boolean> {
  const key = `${path} ${JSON.stringify(query ?? {})}`;
  let picture = cache.get(key);
  if (!picture) {
    picture = load(path, query);
    cache.set(key, picture);
  }
  const bitmap = await picture;
  if (!bitmap) {
    cache.delete(key);
    return false;
  }
  const context = canvas.getContext("2d");
  if (!context) return false;
  const scale = Math.max(canvas.width / bitmap.width, canvas.height / bitmap.height);
  const width = bitmap.width * scale;
  const height = bitmap.height * scale;
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
  return true;
}

/** Draws a picture in its own size; false where there is none. */
export async function whole(canvas: HTMLCanvasElement, path: string, query?: Record<string, string | number>): Promise<boolean> {
  const bitmap = await load(path, query);
  if (!bitmap) return false;
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
  return true;
}
