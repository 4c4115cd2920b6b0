"""Sites that are learned, comparisons, and errors of sensors that are fitted."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import understory
from understory import Cloud, Scenario, Sensor, Site, World


#: Bins that hold several pulses each of one revolution.
LARGE: dict[str, Any] = {"range_bin_m": 0.1, "azimuth_bin_deg": 3.0}


@pytest.fixture(scope="module")
def site(cloud: Cloud) -> Site:
    return understory.learn(cloud, model="voxel", cell_m=0.2)


def test_a_site_tells_what_it_is(site: Site, cloud: Cloud) -> None:
    assert site.model == "voxel" and site.cell_m == 0.2 and site.origin_m.shape == (3,)
    volumes = site.volumes()
    assert {len(values) for values in volumes.values()} == {len(site)}
    assert volumes["mean_xyz_m"].shape == (len(site), 3)
    assert volumes["covariance_m2"].shape == (len(site), 3, 3)
    assert (np.linalg.eigvalsh(volumes["covariance_m2"]) > 0).all()
    assert ((volumes["permeability"] >= 0) & (volumes["permeability"] <= 1)).all()
    low, high = cloud.points.min(axis=0) - 0.2, cloud.points.max(axis=0) + 0.2
    assert ((volumes["mean_xyz_m"] > low) & (volumes["mean_xyz_m"] < high)).all()
    assert site.report is not None and site.report["volumes"] == len(site)
    assert site.report["points"] == len(cloud.points)
    assert site.provenance and site.surface() is None
    assert repr(site) == f"<Site of {len(site)} volumes by voxel>"


def test_permeability_is_what_passed(site: Site) -> None:
    volumes = site.volumes()
    met = volumes["stopped"].astype(float) + volumes["passed"]
    seen = met > 0
    wanted = volumes["passed"][seen] / met[seen]
    # Depths are single precision, and a volume that nothing passed is given a finite one.
    assert np.abs(volumes["permeability"][seen] - wanted).max() < 1e-4


@pytest.mark.parametrize("model", ["likelihood", "top-down", "bottom-up"])
def test_every_model_learns(cloud: Cloud, model: str) -> None:
    site = understory.learn(cloud, model=model, cell_m=0.3)
    assert site.model == model and len(site) > 50


def test_a_surface_is_learned(cloud: Cloud) -> None:
    site = understory.learn(cloud, model="surface", cell_m=0.15)
    surface = site.surface()
    assert surface is not None
    vertices, triangles = surface
    assert vertices.shape[1] == triangles.shape[1] == 3 and len(triangles) > 100
    assert triangles.max() < len(vertices)
    # It is a mesh like any other.
    scene = understory.RayScene(vertices, triangles)
    assert scene.triangle_count == len(triangles)


def test_files_teach_what_clouds_teach(cloud: Cloud, site: Site, tmp_path: Path) -> None:
    parts = [cloud[:10_000], cloud[10_000:]]
    files = []
    for number, part in enumerate(parts):
        part.save(tmp_path / f"{number}.npy")
        files.append(tmp_path / f"{number}.npy")
    for recordings in (parts, files):
        other = understory.learn(recordings, model="voxel", cell_m=0.2)
        for name, values in site.volumes().items():
            assert np.array_equal(other.volumes()[name], values), name


def test_sites_are_saved_sent_cropped_and_merged(site: Site, tmp_path: Path) -> None:
    site.save(tmp_path / "a.site")
    for again in (Site(tmp_path / "a.site"), pickle.loads(pickle.dumps(site))):
        assert len(again) == len(site) and again.report is None
        for name, values in site.volumes().items():
            assert np.array_equal(again.volumes()[name], values), name
    left = site.crop([-50, -50, -50], [0, 50, 50])
    right = site.crop([0, -50, -50], [50, 50, 50])
    assert 0 < len(left) < len(site) and 0 < len(right) < len(site)
    assert (left.volumes()["mean_xyz_m"][:, 0] <= 0.2).all()
    assert len(Site.merge([left, right])) >= len(site)


def test_a_learned_room_is_seen_like_the_room(cloud: Cloud, room: understory.Simulation) -> None:
    site = understory.learn(cloud, cell_m=0.2)
    inside = understory.run(room.scenario.in_site(site), seed=9)
    found = understory.compare(cloud, inside, drawings=0, **LARGE)
    assert found.excess < 0.1
    # Inside of a ball nothing is where it is in the room.
    ball = Scenario.build(World().add_object("ball", "sphere", radius_m=20), "vlp-16")
    other = understory.compare(cloud, understory.run(ball), drawings=0, **LARGE)
    assert other.distance == other.excess == np.inf
    for rays in ("nominal", "sampled", "cone"):
        few = understory.run(room.scenario.in_site(site, rays=rays), interval_s=(0, 0.01))
        assert len(few.points) > 0


def test_a_cloud_is_like_itself(cloud: Cloud, tmp_path: Path) -> None:
    cloud.save(tmp_path / "a.npy")
    for other in (cloud, tmp_path / "a.npy", str(tmp_path / "a.npy")):
        found = understory.compare(cloud, other, drawings=0, **LARGE)
        assert abs(found.distance) < 1e-9
    assert found.excess == pytest.approx(found.distance - found.floor)
    assert set(found.to_dict()) >= {"distances"}
    assert repr(found).startswith("<Comparison: distance ")
    # With one pulse in a bin chance cannot be told.
    assert np.isnan(understory.compare(cloud, cloud, drawings=0).floor)


def test_other_seeds_are_nearer_than_other_rooms(room: understory.Simulation, cloud: Cloud) -> None:
    alike = understory.compare(cloud, room.run(seed=2), drawings=0, **LARGE)
    moved = room.scenario.replace(platform={"position_m": [0.5, 0.3, 1.2]})
    unlike = understory.compare(cloud, understory.run(moved), mode="static", drawings=0, **LARGE)
    assert abs(alike.excess) < 0.05 < 0.3 < unlike.excess


def test_regions_narrow_what_is_compared(room: understory.Simulation, cloud: Cloud) -> None:
    other = room.run(seed=2)
    regions: list[dict[str, Any]] = [
        {"range_m": (1, 3)},
        {"azimuth_deg": (0, 90)},
        {"elevation_deg": (-20, 0)},
        {"box_m": [[-9, 9], [-9, 9], [0, 0.5]]},
        {"misses": False},
        {"returns": "last"},
        {"orientations": "direction"},
        {"points_max": 0},
    ]
    for region in regions:
        assert understory.compare(cloud, other, drawings=0, **region).distance >= 0


def test_moving_sensors_are_compared(field: Scenario) -> None:
    simulation = understory.Simulation(field)
    found = understory.compare(simulation.run(seed=1), simulation.run(seed=2), drawings=0)
    assert found.distance >= 0


def wall(distance_m: float, override: dict) -> Cloud:
    world = World().add_object(
        "wall",
        "plane",
        size_m=[8, 16],
        position_m=[distance_m, 0, 0],
        rotation_deg=[0, -90, 0],
        material="target-50",
    )
    scenario = Scenario.build(world, Sensor("vlp-16", override=override), duration_s=0.3)
    return understory.run(scenario, seed=6)


def test_the_fitted_error_is_the_one_that_was_given() -> None:
    sigma_m = 0.012
    recordings = [wall(d, {"range_error": {"sigma_m": sigma_m}}) for d in (3.0, 5.0)]
    fit = understory.fit_error(recordings, sensor="vlp-16")
    assert [round(plane["distance_m"]) for plane in fit.planes] == [3, 5]
    assert len(fit.biases) == 16
    for cell in fit.sigma:
        # Six standard errors: 2e-9 for each of a few cells.
        assert abs(cell["sigma_m"] - sigma_m) < 6 * cell["error_m"] + 1e-4
    for bias in fit.biases:
        assert abs(bias["bias_m"]) < 6 * bias["error_m"]
    assert "[range_error]" in fit.to_toml()
    assert set(fit.to_dict()) >= {"planes", "biases", "sigma"}


def test_a_target_of_deschaud_s_table() -> None:
    rows = understory.deschaud_table1("Plane", revolutions=10)
    assert {row["pose"] for row in rows} == {"same", "held-out"}
    assert {"surface", "voxel", "likelihood"} <= {row["model"] for row in rows}
    for row in rows:
        assert row["target"] == "Plane" and row["orientations"] > 0
        assert row["excess"] == pytest.approx(row["distance"] - row["floor"])
    papers = {row["model"]: row["paper"] for row in rows if row["paper"] is not None}
    assert papers["surface"] == 0.019


def test_clouds_of_beams_teach() -> None:
    """A plane that lets every other beam pass has a permeability of a half."""
    draw = np.random.default_rng(0)
    origins = np.zeros((4000, 3))
    ends = np.column_stack([np.full(4000, 5.5), draw.uniform(0.4, 0.6, (4000, 2))])
    ranges = np.linalg.norm(ends, axis=1)
    ranges[::2] = np.inf
    cloud = Cloud.from_beams(origins, ends, ranges)
    site = understory.learn(cloud, model="voxel", cell_m=1.0, tau=3.0)
    volumes = site.volumes()
    weight = volumes["stopped"] + volumes["passed"].astype(float)
    mean = (volumes["permeability"] * weight).sum() / weight.sum()
    assert mean == pytest.approx(0.5, abs=0.005)
