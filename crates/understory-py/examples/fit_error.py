"""Fits a sensor's error to recordings of walls, and sets it beside what the sensor was given."""

# %% [markdown]
# # Fit an error model
#
# A sensor that stands before a wall tells its own error: what is left after the plane. Here the
# sensor is simulated, with biases of its own, so what comes out can be set beside what went in.

# %%
import os
from pathlib import Path

import understory

#: Small work for tests.
QUICK = os.environ.get("UNDERSTORY_QUICK") == "1"

#: What the VLP-16's preset says: the typical accuracy of its data sheet, taken as σ.
SIGMA_M = 0.03
#: A bias for each channel that the preset does not have.
BIASES_M = [0.01 if channel % 2 else -0.01 for channel in range(16)]


def wall(distance_m: float, duration_s: float) -> understory.Scenario:
    """A wall before a VLP-16 that stands still."""
    world = understory.World().add_object(
        "wall",
        "plane",
        size_m=[8.0, 16.0],
        position_m=[distance_m, 0.0, 0.0],
        rotation_deg=[0.0, -90.0, 0.0],
        material="target-50",
    )
    sensor = understory.Sensor("vlp-16", override={"range_error": {"bias_m": BIASES_M}})
    return understory.Scenario.build(world, sensor, duration_s=duration_s)


def main(out: Path = Path("out/fit-error"), quick: bool = QUICK) -> None:
    """Records walls, fits, and writes the TOML of the error."""
    # %%
    distances_m = [3.0, 6.0] if quick else [2.0, 4.0, 8.0, 12.0]
    duration_s = 0.2 if quick else 1.0
    recordings = [understory.run(wall(distance_m, duration_s)) for distance_m in distances_m]
    fit = understory.fit_error(recordings, sensor="vlp-16")
    for plane in fit.planes:
        print(f"plane at {plane['distance_m']:.3f} m: {plane['points']} points")

    # %% [markdown]
    # σ by range, beside the preset's, and the bias of each channel beside the one that was given.
    # A bias that all channels share cannot be told from a wall that stands elsewhere.

    # %%
    for cell in fit.sigma:
        print(
            f"σ at {cell['range_m']:5.2f} m: {cell['sigma_m']:.4f} ± {cell['error_m']:.4f} m, "
            f"given {SIGMA_M} m"
        )
    for bias in fit.biases[:4]:
        given = BIASES_M[bias["channel"]]
        print(
            f"bias of channel {bias['channel']:2d}: {bias['bias_m']:+.4f} "
            f"± {bias['error_m']:.4f} m, given {given:+.4f} m"
        )

    # %% [markdown]
    # As TOML: the `[range_error]` of a sensor file, or the `override` of a preset.

    # %%
    out.mkdir(parents=True, exist_ok=True)
    (out / "range-error.toml").write_text(fit.to_toml(), encoding="utf-8")
    print(fit.to_toml())


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/fit-error"))
    parser.add_argument("--quick", action="store_true", default=QUICK)
    main(**vars(parser.parse_args()))
