// A column that grows: numbers of a layer in the order of its points.

import type { Numbers } from "./blocks";

export class Growing {
  #values = new Float32Array(1024);
  length = 0;

  /** Puts numbers at a place; what lies before it and was never set is NaN. */
  put(first: number, numbers: Numbers): void {
    const end = first + numbers.length;
    if (end > this.#values.length) {
      const larger = new Float32Array(Math.max(end, Math.ceil(this.#values.length * 1.6)));
      larger.set(this.#values.subarray(0, this.length));
      this.#values = larger;
    }
    if (first > this.length) this.#values.fill(Number.NaN, this.length, first);
    this.#values.set(numbers, first);
    this.length = Math.max(this.length, end);
  }

  get(index: number): number {
    return index < this.length ? this.#values[index] : Number.NaN;
  }

  /** The numbers so far; a view, valid until more come. */
  all(): Float32Array {
    return this.#values.subarray(0, this.length);
  }

  /** Copies `out.length` numbers from `first` on; what is missing is NaN. */
  copy(first: number, out: Float32Array): void {
    const part = this.#values.subarray(first, Math.min(first + out.length, this.length));
    out.set(part);
    out.fill(Number.NaN, part.length);
  }
}
