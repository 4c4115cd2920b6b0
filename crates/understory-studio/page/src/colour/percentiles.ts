// Limits of a scale: percentiles of a column, from an even sample where it is long.

const SAMPLE = 100_000;

/** A sorted sample of the finite numbers among `length`. */
export function sortedSample(length: number, value: (index: number) => number): Float32Array {
  const step = Math.max(1, length / SAMPLE);
  const out = new Float32Array(Math.ceil(length / step) + 1);
  let count = 0;
  for (let along = 0; along < length; along += step) {
    const found = value(Math.floor(along));
    if (Number.isFinite(found)) out[count++] = found;
  }
  return out.subarray(0, count).sort();
}

/** The number below which `percent` of a sorted sample lies, between neighbours on a line. */
export function percentile(sorted: Float32Array, percent: number): number {
  if (sorted.length === 0) return Number.NaN;
  const along = (Math.max(0, Math.min(100, percent)) / 100) * (sorted.length - 1);
  const low = Math.floor(along);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (along - low);
}

/** Counts in even bins between two limits. */
export function histogram(sorted: Float32Array, low: number, high: number, bins: number): number[] {
  const counts = new Array<number>(bins).fill(0);
  if (!(high > low)) return counts;
  for (const value of sorted) {
    const bin = Math.floor(((value - low) / (high - low)) * bins);
    if (bin >= 0 && bin < bins) counts[bin]++;
    else if (value === high) counts[bins - 1]++;
  }
  return counts;
}

/** Round numbers between two limits, about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [];
  const raw = span / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= raw) ?? power * 10;
  const out: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-6; value += step) out.push(Math.abs(value) < step * 1e-6 ? 0 : value);
  return out;
}
