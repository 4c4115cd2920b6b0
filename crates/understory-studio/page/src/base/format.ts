// Numbers for people: three or four significant digits, thin spaces between thousands, SI units.

/** 1234567 → "1 234 567" with narrow spaces. */
export function whole(value: number): string {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** A number with about `digits` significant digits and without needless zeros. */
export function short(value: number, digits = 4): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(Math.max(0, digits - 2)).replace("-", "−").replace("e+", "e").replace("e−", "e−");
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const text = value.toFixed(Math.min(decimals, 8));
  const trimmed = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return trimmed.replace("-", "−");
}

/** 1234567 → "1.23 M". */
export function compact(value: number): string {
  if (value >= 999_500) return `${short(value / 1e6, 3)} M`;
  if (value >= 9_995) return `${short(value / 1e3, 3)} k`;
  return whole(value);
}

/** Bytes with their unit. */
export function bytes(value: number): string {
  if (value >= 1e9) return `${short(value / 1e9, 3)} GB`;
  if (value >= 1e6) return `${short(value / 1e6, 3)} MB`;
  if (value >= 1e3) return `${short(value / 1e3, 3)} kB`;
  return `${value} B`;
}

/** Seconds as "0.25 s", "12 s" or "3 min 05 s". */
export function seconds(value: number): string {
  if (value < 60) return `${short(value, value < 10 ? 2 : 3)} s`;
  const rest = Math.round(value % 60);
  return `${Math.floor(value / 60)} min ${rest.toString().padStart(2, "0")} s`;
}

/** Splits a key of the files into words and unit: "range_max_m" → ["range max", "m"]. */
export function keyUnit(key: string): [string, string] {
  const units: [string, string][] = [
    ["_m_s2", "m/s²"], ["_m_s", "m/s"], ["_deg_s", "°/s"], ["_per_m2", "1/m²"], ["_per_m", "1/m"], ["_mm_h", "mm/h"], ["_g_m3", "g/m³"],
    ["_kg_m3", "kg/m³"], ["_rpm", "rpm"], ["_mrad", "mrad"], ["_rad", "rad"], ["_deg", "°"], ["_nm", "nm"], ["_mm", "mm"], ["_um", "µm"], ["_cm", "cm"],
    ["_km", "km"], ["_ns", "ns"], ["_us", "µs"], ["_ms", "ms"], ["_hz", "Hz"], ["_khz", "kHz"], ["_mhz", "MHz"], ["_kg", "kg"], ["_m2", "m²"], ["_m3", "m³"],
    ["_percent", "%"], ["_db", "dB"], ["_w", "W"], ["_j", "J"], ["_s", "s"], ["_m", "m"],
  ];
  for (const [suffix, unit] of units) {
    if (key.endsWith(suffix) && key.length > suffix.length) return [words(key.slice(0, -suffix.length)), unit];
  }
  return [words(key), ""];
}

function words(key: string): string {
  return key.replace(/_xyz$/, "").replaceAll("_", " ");
}
