// How the picture looks: what colours mean, how large points are, what is shown and what is cut away.

import type { ScaleName } from "../colour/maps";

export interface Look {
  colourBy: string;
  scale: ScaleName;
  reversed: boolean;
  /** Percentiles of the values at the ends of the scale. */
  percentiles: [number, number];
  /** Ends of the scale themselves, in place of percentiles. */
  limits: [number, number] | null;
  size: number;
  /** Whether `size` is centimetres in the world instead of pixels. */
  metric: boolean;
  round: boolean;
  opacity: number;
  eyeDome: number;
  world: number;
  sensors: boolean;
  beams: boolean;
  path: boolean;
  weather: boolean;
  /** Leaves out what stands between the eye and the side of things that the sensor sees. */
  cutaway: boolean;
  /** Draws points over surfaces that hide them. */
  through: boolean;
  clip: { on: boolean; low: [number, number, number]; high: [number, number, number] };
}

export const FIRST_LOOK: Look = {
  colourBy: "height_m",
  scale: "viridis",
  reversed: false,
  percentiles: [1, 99],
  limits: null,
  size: 2,
  metric: false,
  round: false,
  opacity: 1,
  eyeDome: 0.6,
  world: 1,
  sensors: true,
  beams: false,
  path: true,
  weather: true,
  cutaway: false,
  through: false,
  clip: { on: false, low: [-50, -50, -5], high: [50, 50, 25] },
};
