// A value that tells when it changes. Listeners run at once, in the order in which they came.

export class Signal<T> {
  #value: T;
  readonly #listeners = new Set<(value: T, before: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set value(next: T) {
    const before = this.#value;
    if (Object.is(before, next)) return;
    this.#value = next;
    for (const listener of [...this.#listeners]) listener(next, before);
  }

  /** Changes some fields of an object and tells. */
  patch(fields: Partial<T>): void {
    this.value = { ...this.#value, ...fields };
  }

  /** Tells although the value is the same object, because what is in it changed. */
  touch(): void {
    for (const listener of [...this.#listeners]) listener(this.#value, this.#value);
  }

  /** Calls `listener` at each change; the answer ends that. */
  on(listener: (value: T, before: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `listener` now and at each change. */
  watch(listener: (value: T) => void): () => void {
    listener(this.#value);
    return this.on(listener);
  }
}
