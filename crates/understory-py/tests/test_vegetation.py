"""Plants, leaf area that is known, and leaf area that is estimated."""

from __future__ import annotations

import numpy as np
import pytest
import understory
from understory import Scenario

#: A box of leaves of known area before a scanner that stands still, sees it from one side and misses.
BOX = """
version = 1
seed = 5
duration_s = 0.1
[[world.plant]]
name = "leaves"
species = "leaf-volume"
variants = 1
override = { size_x_m = 2.0, size_y_m = 2.0, size_z_m = 2.0, leaf_area_index = 1.5, leaf_area_m2 = 1e-3 }
instances = [{ position_m = [6.0, 0.0, 0.0] }]
[[sensor]]
name = "s"
preset = "os1-128-rev7"
position_m = [0.0, 0.0, 1.0]
[sensor.override.beam]
sampling = "single"
"""


@pytest.fixture(scope="module")
def box() -> Scenario:
    return Scenario.from_toml(BOX)


def test_plants_are_listed_and_one_is_measured() -> None:
    listed = {plant["name"]: plant for plant in understory.plants()}
    assert listed["oak"]["kind"] == "grown" and "bare" in listed["oak"]["seasons"]
    figures = understory.plant("leaf-volume", seed=3)
    assert figures["leaf_area_index"] == pytest.approx(2.0)
    assert figures["mean_inclination_deg"] == pytest.approx(57.3, abs=0.6)
    with pytest.raises(understory.ArgumentError, match="tall-grass"):
        understory.plant("triffid")
    with pytest.raises(understory.ArgumentError, match="all year"):
        understory.plant("wheat", season="bare")


def test_the_truth_of_a_box_is_what_it_claims(box: Scenario) -> None:
    truth = understory.truth(box, cell_m=0.5, region_m=[[4.5, -1.5, -0.5], [7.5, 1.5, 2.5]])
    assert truth.leaf_area_m2 == pytest.approx(6.0, rel=1e-5)
    assert truth.wood_area_m2 == 0.0 and truth.stems == []
    density = truth.voxels["leaf_area_density_m2_m3"]
    assert density.shape == (6, 6, 6)
    assert density.sum() * 0.125 == pytest.approx(6.0, rel=1e-5)
    # Inside, away from the faces, the box has 0.75 m² in a m³; 94 leaves a voxel.
    assert density[2:4, 2:4, 2:4].mean() == pytest.approx(0.75, rel=0.15)
    shares = truth.inclination_shares
    assert shares is not None and shares.sum() == pytest.approx(1.0)
    assert truth.origin_m.tolist() == [4.5, -1.5, -0.5] and truth.cell_m.tolist() == [0.5] * 3
    assert repr(truth).startswith("<Truth: leaf area index 0.6667")


def test_the_leaf_area_of_a_box_is_found_by_a_scan(box: Scenario) -> None:
    truth = understory.truth(box)
    cloud = understory.run(box)
    region = [[4.9, -1.1, -0.1], [7.1, 1.1, 2.1]]
    found = understory.leaf_area(
        cloud, cell_m=0.55, region_m=region, weights="first", leaf_width_m=0.036
    )
    # From one side, by some thousand pulses: about 4 %.
    assert found.leaf_area_index_filled * found.ground_area_m2 == pytest.approx(
        truth.leaf_area_m2, rel=0.2
    )
    low, high = found.leaf_area_interval_m2
    assert low < found.leaf_area_m2 < high
    density = found.voxels["leaf_area_density_m2_m3"]
    unknown = np.isnan(density)
    assert (found.voxels["pulses"][unknown] == 0).all()
    assert found.unknown == pytest.approx(unknown.mean())
    assert set(found.by_estimator_m2) >= {"contact-frequency", "bias-corrected"}
    assert found.voxels["map_leaf_area_index"].shape == density.shape[:2]
    shares = truth.inclination_shares
    assert shares is not None
    given = understory.leaf_area(cloud, cell_m=0.55, region_m=region, leaf_angle=shares)
    named = understory.leaf_area(cloud, cell_m=0.55, region_m=region)
    assert given.leaf_area_m2 == pytest.approx(named.leaf_area_m2, rel=0.03)


def test_what_cannot_be_is_refused(box: Scenario) -> None:
    cloud = understory.run(box)
    with pytest.raises(understory.ArgumentError, match="cell_m"):
        understory.truth(box, cell_m=0.0)
    with pytest.raises(understory.ScenarioError, match="choose voxels"):
        understory.truth(box, cell_m=1e-4)
    with pytest.raises(understory.ArgumentError, match="choose voxels"):
        understory.leaf_area(cloud, cell_m=1e-4)
    with pytest.raises(understory.ArgumentError, match="leaf_angle"):
        understory.leaf_area(cloud, leaf_angle="upside-down")
    with pytest.raises(understory.ArgumentError, match="shares"):
        understory.leaf_area(cloud, leaf_angle=[-1.0, 2.0])
    with pytest.raises(understory.ArgumentTypeError, match="recordings"):
        understory.leaf_area(3)  # type: ignore[arg-type]
