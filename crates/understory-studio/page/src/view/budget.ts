// How many points a picture may have, so that the page always answers.
//
// Without a graphics card a million points take a second. No picture is asked for before the card is done
// with the last, and the time which that took says how many points the next may have. While the view
// moves that is an even sample of all; when it rests, the others are drawn over it part by part.

/** What a picture is: one of a moving view, the first of a view that rests, a part drawn over it. */
export type Kind = "moving" | "still" | "more";

/** Milliseconds that pictures should take. */
const WANTED: Record<Kind, number> = { moving: 45, still: 120, more: 120 };
/** What takes too long with so few is not taken from the points: the world alone may be as slow. */
const LEAST: Record<Kind, number> = { moving: 15_000, still: 40_000, more: 30_000 };
const MOST = 40_000_000;

export class Budget {
  readonly #points: Record<Kind, number>;

  /** `software`: the card is a program on the processor. */
  constructor(software: boolean) {
    this.#points = software ? { moving: 30_000, still: 80_000, more: 80_000 } : { moving: 2_000_000, still: 4_000_000, more: 4_000_000 };
  }

  /** Points that the next picture may have. */
  points(kind: Kind): number {
    return this.#points[kind];
  }

  /** Learns from a picture: how many points it had, of how many that there were, and how long it took. */
  learn(kind: Kind, drawn: number, all: number, ms: number): void {
    const now = this.#points[kind];
    const wanted = WANTED[kind];
    // What a small picture takes is not the points' fault, and says nothing of large ones.
    if (ms > wanted * 1.25) this.#points[kind] = Math.max(LEAST[kind], Math.min(now, drawn) * Math.max(0.5, wanted / ms));
    else if (ms < wanted * 0.8 && drawn < all) this.#points[kind] = Math.min(MOST, now * Math.min(1.6, wanted / Math.max(ms, 1)));
  }
}
