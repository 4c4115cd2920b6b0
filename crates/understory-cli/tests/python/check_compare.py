"""Works out anew with NumPy what `understory compare` says of two static recordings (.npy).

Usage: check_compare.py REAL SIMULATED RESULT.json. Nothing here is shared with the program.
"""

import json
import sys

import numpy as np

NO_RETURN, OUTSIDE = 1 << 40, 1 << 39


def load(path, region):
    rows = np.load(path)
    rows = rows[rows["return_number"] <= 1]
    azimuth = np.rint(rows["azimuth_deg"].astype(float) / 0.09).astype(int) % 4000
    key = rows["sensor"].astype(int) * 1_000_000_000 + rows["channel"].astype(int) * 4000 + azimuth
    hit = rows["return_number"] > 0
    range_m = rows["range_m"].astype(float)
    bins = np.full(len(rows), NO_RETURN)
    bins[hit] = np.rint(range_m[hit] / 0.002).astype(int)
    points = np.stack([rows["x_m"], rows["y_m"], rows["z_m"]], axis=1)
    if region["range_m"] is not None:
        low, high = region["range_m"]
        inside = hit & (range_m >= low) & (range_m <= high)
        bins[hit & ~inside] = OUTSIDE
    else:
        inside = hit
    return key, bins, points[inside]


def by_orientation(key, bins):
    order = np.argsort(key, kind="stable")
    key, bins = key[order], bins[order]
    names, starts = np.unique(key, return_index=True)
    return dict(zip(names.tolist(), np.split(bins, starts[1:])))


def coarser(bins, factor):
    result = bins.copy()
    fine = bins < OUTSIDE
    result[fine] = (bins[fine] + factor // 2) // factor
    return result


def distance(pairs, factor):
    shared = n = m = 0.0
    for a, b in pairs:
        a, b = coarser(a, factor), coarser(b, factor)
        values, counts = np.unique(a, return_counts=True)
        others = dict(zip(*[x.tolist() for x in np.unique(b, return_counts=True)]))
        shared += sum(np.sqrt(c * others.get(v, 0)) for v, c in zip(values.tolist(), counts.tolist()))
        n, m = n + len(a), m + len(b)
    return -np.log(shared / np.sqrt(n * m))


def scores(a, b):
    everywhere = np.unique(np.concatenate([a, b]))
    cdf = lambda of, at: np.searchsorted(np.sort(of), at, side="right") / len(of)
    found = {
        "ks": np.abs(cdf(a, everywhere) - cdf(b, everywhere)).max(),
        "no_return": abs((a == NO_RETURN).mean() - (b == NO_RETURN).mean()),
    }
    x, y = 0.002 * b[b < OUTSIDE], 0.002 * a[a < OUTSIDE]
    if len(x) and len(y):
        at = np.unique(np.concatenate([x, y]))
        gaps = np.abs(cdf(x, at) - cdf(y, at))[:-1]
        found["wasserstein_m"] = (gaps * np.diff(at)).sum()
        if len(x) > 1:
            apart = np.abs(x[:, None] - x[None, :]).sum() / (2 * len(x) * (len(x) - 1))
            found["crps_m"] = np.abs(x[:, None] - y[None, :]).mean() - apart
    return found


def nearest(a, b):
    result = np.empty(len(a))
    for start in range(0, len(a), 500):
        part = a[start : start + 500]
        result[start : start + 500] = np.sqrt(
            ((part[:, None, :] - b[None, :, :]) ** 2).sum(axis=2).min(axis=1)
        )
    return result


def close(name, ours, theirs, relative=1e-6, absolute=1e-9):
    if not abs(ours - theirs) <= absolute + relative * abs(theirs):
        sys.exit(f"{name}: the program says {ours}, NumPy {theirs}")
    print(f"{name}: {ours:.9g} and {theirs:.9g}")


def main():
    result = json.load(open(sys.argv[3]))
    real_key, real_bins, real_points = load(sys.argv[1], result["region"])
    key, bins, points = load(sys.argv[2], result["region"])
    real, simulated = by_orientation(real_key, real_bins), by_orientation(key, bins)
    seen = [o for o, of in real.items() if (of < OUTSIDE).any()]
    both = [o for o in seen if o in simulated]
    pairs = [(real[o], simulated[o]) for o in both]
    assert result["orientations"] == len(both) > 50
    assert result["orientations_unpartnered"] == len(seen) - len(both)
    assert result["pulses"]["real"] == sum(len(a) for a, _ in pairs)
    assert result["no_return"]["simulated"] == sum((b == NO_RETURN).sum() for _, b in pairs)
    for found, factor in zip(result["distances"], [1, 5, 25]):
        close(f"D at {found['range_bin_m']} m", found["distance"], distance(pairs, factor))
    singles = [scores(a, b) for a, b in pairs]
    for name in ["ks", "no_return", "wasserstein_m", "crps_m"]:
        values = np.array([single[name] for single in singles if name in single])
        ours = result["orientation_scores"][name]
        assert ours["orientations"] == len(values)
        close(f"mean {name}", ours["mean"], values.mean())
        close(f"rms {name}", ours["rms"], np.sqrt((values**2).mean()))
        close(f"median {name}", ours["median"], np.median(values))
        close(f"95 % {name}", ours["p95"], np.quantile(values, 0.95))
    there, back = nearest(real_points, points), nearest(points, real_points)
    cloud = result["cloud"]
    assert cloud["real_points"] == len(real_points) and cloud["simulated_points"] == len(points)
    close("Chamfer", cloud["chamfer_m"], there.mean() + back.mean())
    precision, recall = (back <= 0.05).mean(), (there <= 0.05).mean()
    close("F-score", cloud["f_score"], 2 * precision * recall / (precision + recall))


main()
