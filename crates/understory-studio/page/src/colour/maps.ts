// Scales of colour: from 0..1 to sRGB, and tables of 256 colours for the shader.

/** Scales by name, as evenly spaced stops. */
const STOPS = {
  viridis: "440154482475414487355f8d2a788e21918c22a88444bf707ad151bddf26fde725",
  turbo: "30123b4145ab4675ed39a2fc1bcfd424eca661fc6ca4fc3bd1e834f3c63afe9b2df36315d93806b119017a0402",
  inferno: "000004160b39420a686a176e932667bc3754dd513af37819fca50af6d746fcffa4",
  canopy: "10231d14452f1c6b3f3f8f475fae4f9cc85fd3d983f4e7b0",
  cividis: "00204d00306f2a406c48526b5e626e727374878479a08f77b9a670d3bd63f0d94d",
  coolwarm: "3b4cc06788ee9abbffc9d7f0dddddeedd1c2f7a889e26952b40426",
  grey: "0a0a0af5f5f5",
} as const;

export type ScaleName = keyof typeof STOPS;
export const SCALES = Object.keys(STOPS) as ScaleName[];

const tables = new Map<string, Uint8Array>();

/** 256 colours of a scale as RGBA bytes. */
export function scaleTable(name: ScaleName, reversed = false): Uint8Array {
  const key = reversed ? `-${name}` : name;
  const known = tables.get(key);
  if (known) return known;
  const hex = STOPS[name];
  const count = hex.length / 6;
  const stop = (at: number, channel: number) => parseInt(hex.slice(at * 6 + channel * 2, at * 6 + channel * 2 + 2), 16);
  const table = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) {
    const along = ((reversed ? 255 - i : i) / 255) * (count - 1);
    const low = Math.min(Math.floor(along), count - 2);
    for (let channel = 0; channel < 3; channel++) {
      table[i * 4 + channel] = Math.round(stop(low, channel) + (stop(low + 1, channel) - stop(low, channel)) * (along - low));
    }
    table[i * 4 + 3] = 255;
  }
  tables.set(key, table);
  return table;
}

/** Colours that are told apart easily, for things without an order. */
const DISTINCT = [
  "4e9af1", "f28e2b", "59c36a", "e15759", "b07aa1", "edc948", "76d7c4", "ff9da7", "9c755f", "a0cbe8", "8cd17d", "d37295", "f1ce63", "499894", "86bcb6", "c48eea",
];

/** Colours of SemanticKITTI's classes, as people of the field know them, by their numbers. */
const LABELS: Record<number, string> = {
  0: "8a8f98", 1: "c04040", 10: "6496f5", 11: "64e6f5", 13: "6450fa", 15: "1e3c96", 16: "0000ff", 18: "501eb4", 20: "5a50c8", 30: "ff1e1e", 31: "ff28c8", 32: "961e5a",
  40: "d05cd0", 44: "ff96ff", 48: "7d3c7d", 49: "af004b", 50: "ffc800", 51: "ff7832", 52: "ff9600", 60: "96ffaa", 70: "2fb344", 71: "a5682a", 72: "96c850", 80: "ffe08c",
  81: "ff3b3b", 99: "32ffff", 252: "6496f5", 253: "ff28c8", 254: "ff1e1e", 255: "961e5a", 256: "0000ff", 257: "6450fa", 258: "501eb4", 259: "5a50c8",
};

/** Colour of a category as `#rrggbb`. */
export function categoryColour(column: string, value: number): string {
  const known = column === "label" ? LABELS[value] : undefined;
  return `#${known ?? DISTINCT[((value % DISTINCT.length) + DISTINCT.length) % DISTINCT.length]}`;
}

/** 1024 colours of categories by number (numbers beyond repeat). */
export function categoryTable(column: string): Uint8Array {
  const table = new Uint8Array(4096);
  for (let value = 0; value < 1024; value++) {
    const hex = parseInt(categoryColour(column, value).slice(1), 16);
    table.set([hex >> 16, (hex >> 8) & 255, hex & 255, 255], value * 4);
  }
  return table;
}

/** Colour of the layer with this number in the list. */
export function layerColour(number: number): string {
  return `#${DISTINCT[number % DISTINCT.length]}`;
}
