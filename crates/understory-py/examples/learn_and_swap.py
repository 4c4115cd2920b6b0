"""Learns a site from a VLP-16, drives an HDL-32E through it, and judges it by the true scene."""

# %% [markdown]
# # Learn a site and swap the sensor
#
# A recording knows only what its own sensor saw. A site learned from it answers what another sensor
# would see there. Here the recording is simulated, so the answer can be judged by the true scene.

# %%
import os
from pathlib import Path

import understory

#: Small work for tests.
QUICK = os.environ.get("UNDERSTORY_QUICK") == "1"


def garden() -> understory.World:
    """Hazels and a wall on a lawn."""
    world = understory.World().add_object(
        "lawn", "plane", size_m=[30.0, 30.0], material="grass", label="terrain"
    )
    world.add_object(
        "wall", "box", size_m=[0.3, 12.0, 2.5], position_m=[8.0, 0.0, 0.0], material="brick"
    )
    places = [[4.0, -2.5, 0.0], [5.0, 2.0, 0.0], [-4.0, 3.0, 0.0]]
    return world.add_plant(
        "hazel",
        "hazel",
        override={"height_m": 2.0, "crown_width_m": 1.6},
        variants=2,
        instances=[{"position_m": place} for place in places],
    )


def main(out: Path = Path("out/learn-and-swap"), quick: bool = QUICK) -> None:
    """Records, learns, swaps the sensor and compares."""
    # %%
    duration_s = 0.1 if quick else 2.0
    way = [
        {"time_s": 0.0, "position_m": [-1.0, 0.0, 0.0]},
        {"time_s": duration_s, "position_m": [1.0, 0.0, 0.0]},
    ]
    vlp_16 = understory.Sensor("vlp-16", position_m=(0.0, 0.0, 1.5))
    scene = understory.Scenario.build(
        garden(), vlp_16, duration_s=duration_s, platform={"waypoints": way}
    )
    recording = understory.run(scene, seed=1)
    print(f"recorded: {recording}")

    # %% [markdown]
    # Learning wants misses too: a pulse that returned nothing says that nothing stood in its way.

    # %%
    site = understory.learn(recording, cell_m=0.2, range_m=(0.5, 60.0), sensor="vlp-16")
    print(f"learned: {site}")
    out.mkdir(parents=True, exist_ok=True)
    site.save(out / "garden.site")

    # %% [markdown]
    # Another sensor on the same way, once in the true scene and once in nothing but the site.

    # %%
    hdl_32e = understory.Sensor("hdl-32e", position_m=(0.0, 0.0, 1.5))
    other = scene.with_sensors(hdl_32e)
    truth = understory.run(other, seed=2)
    swapped = understory.run(other.in_site(site), seed=3)
    print(f"HDL-32E in the true scene: {truth}")
    print(f"HDL-32E in the site:       {swapped}")

    # %% [markdown]
    # The floor is what chance alone leaves between two runs of one world; the excess is what the
    # site is to blame for. The last line says what the best site could reach: the true scene. An
    # HDL-32E looks down to −31° and a VLP-16 to −15°: what was never seen cannot be learned, so
    # only beams that both fire are compared.

    # %%
    again = understory.run(other, seed=4)
    for name, cloud in (("site", swapped), ("true scene, other seed", again)):
        found = understory.compare(
            truth, cloud, mode="moving", drawings=0, range_m=(1.0, 15.0), elevation_deg=(-14, 10)
        )
        print(f"{name}: {found}")


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/learn-and-swap"))
    parser.add_argument("--quick", action="store_true", default=QUICK)
    main(**vars(parser.parse_args()))
