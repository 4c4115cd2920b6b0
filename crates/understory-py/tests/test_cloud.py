"""Clouds: columns, rows, joining, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import understory
from understory import Cloud


def test_every_column_has_the_kind_that_is_told(cloud: Cloud) -> None:
    assert set(cloud.columns) == set(understory.COLUMNS)
    assert list(cloud) == list(cloud.columns)
    for name, (dtype, width) in understory.COLUMNS.items():
        values = cloud[name]
        assert values.dtype == np.dtype(dtype), name
        assert values.shape == ((len(cloud),) if width == 1 else (len(cloud), width)), name
        assert getattr(cloud, name) is values


def test_points_are_the_returns(cloud: Cloud) -> None:
    assert 0 < len(cloud.points) <= len(cloud)
    assert np.array_equal(cloud.points, cloud.world_xyz_m[cloud.return_number > 0])
    assert np.isfinite(cloud.points).all()
    assert len(cloud.returns()) + len(cloud.misses()) == len(cloud)
    assert len(cloud.points) == cloud.summary["returns"]


def test_a_return_lies_on_its_beam(cloud: Cloud) -> None:
    returns = cloud.returns()
    reached = returns.origin_xyz_m + returns.direction_xyz * returns.range_m[:, None].astype(float)
    assert np.abs(reached - returns.world_xyz_m).max() < 1e-4
    true = returns.origin_xyz_m + returns.direction_xyz * returns.true_range_m[:, None].astype(
        float
    )
    # A footprint's mean lies off its axis by less than the footprint.
    assert np.linalg.norm(true - returns.true_xyz_m, axis=1).max() < 0.1
    assert np.abs(np.linalg.norm(cloud.direction_xyz, axis=1) - 1).max() < 1e-6


def test_misses_have_a_beam_and_no_range(field: understory.Scenario) -> None:
    misses = understory.run(field).misses()
    assert len(misses) > 100
    assert np.isnan(misses.range_m).all() and np.isnan(misses.world_xyz_m).all()
    assert np.isfinite(misses.origin_xyz_m).all() and np.isfinite(misses.direction_xyz).all()
    assert (misses.return_count == 0).all() and (misses.object == 0).all()


def test_rows_are_picked_by_slices_masks_and_numbers(cloud: Cloud) -> None:
    assert np.array_equal(cloud[3:9].pulse, cloud.pulse[3:9])
    assert np.array_equal(cloud[::-1].pulse, cloud.pulse[::-1])
    near = cloud[cloud.range_m < 3.0]
    assert 0 < len(near) < len(cloud) and near.range_m.max() < 3.0
    assert cloud[[5, 1, 1]].pulse.tolist() == cloud.pulse[[5, 1, 1]].tolist()
    assert len(cloud[[]]) == 0
    assert cloud[3:9].known == cloud.known


def test_equality_is_to_the_last_bit(cloud: Cloud) -> None:
    assert cloud == cloud[:]
    other = Cloud({name: cloud[name].copy() for name in cloud})
    assert other == cloud
    other.range_m[7] = np.nextafter(other.range_m[7], np.float32(99))
    assert other != cloud
    assert cloud != cloud[1:]
    assert cloud != "a cloud"
    assert cloud != np.arange(3) and np.arange(3) != cloud
    with pytest.raises(TypeError):
        hash(cloud)


def test_concat_joins_in_order(cloud: Cloud) -> None:
    parts = [cloud[:100], cloud[100:5000], cloud[5000:]]
    assert understory.concat(parts) == cloud
    assert understory.concat(iter(parts)) == cloud
    assert len(understory.concat([])) == 0
    plain = Cloud({"range_m": [1.0]})
    assert understory.concat([cloud, plain]).known == frozenset({"range"})


def test_columns_of_ones_own() -> None:
    cloud = Cloud({"range_m": [1, 2.5], "channel": [0, 15], "origin_xyz_m": np.zeros((2, 3))})
    assert cloud.range_m.dtype == np.float32 and cloud.channel.tolist() == [0, 15]
    assert np.isnan(cloud.world_xyz_m).all() and cloud.label.tolist() == [0, 0]
    assert cloud.known == frozenset({"range", "channel"})
    assert len(Cloud({})) == 0
    reversed_column = Cloud({"pulse": np.arange(5)[::-1]})
    assert reversed_column.pulse.tolist() == [4, 3, 2, 1, 0]


def test_large_whole_numbers_are_kept() -> None:
    largest = 2**64 - 1
    assert Cloud({"pulse": np.array([largest], dtype=np.uint64)}).pulse.tolist() == [largest]
    assert Cloud({"pulse": [largest]}).pulse.tolist() == [largest]
    assert Cloud({"pulse": [2**53 + 1, 0]}).pulse.tolist() == [2**53 + 1, 0]


def test_beams_become_a_cloud() -> None:
    cloud = Cloud.from_beams(
        [[0, 0, 1]] * 3, [[2, 0, 0], [0, 1, 0], [0, 0, 1]], [5.0, np.inf, np.nan], [0.5, 0, 0]
    )
    assert cloud.points.tolist() == [[5.0, 0.0, 1.0]]
    assert cloud.return_number.tolist() == [1, 0, 0]
    assert cloud.intensity[0] == np.float32(0.5)
    assert {"origin", "misses", "range"} <= cloud.known


def test_structured_rows(cloud: Cloud) -> None:
    rows = cloud.to_numpy()
    assert rows.shape == (len(cloud),) and rows.dtype.names == cloud.columns
    for name in cloud:
        assert np.array_equal(rows[name], cloud[name], equal_nan=cloud[name].dtype.kind == "f")


def test_flat_columns(cloud: Cloud) -> None:
    flat = cloud.flat()
    assert all(values.ndim == 1 for values in flat.values())
    assert np.shares_memory(flat["world_y_m"], cloud.world_xyz_m)
    assert "velocity_z_m_s" in flat and "direction_x" in flat and "range_m" in flat


# How far positions may be off: what the format rounds to.
FORMATS = [
    ("npy", 0.0),
    ("parquet", 0.0),
    ("csv", 1e-3),
    ("ply", 1e-5),
    ("pcd", 1e-5),
    ("laz", 1e-3),
    ("las", 1e-3),
    ("e57", 1e-3),
]


@pytest.mark.parametrize(("ending", "tolerance_m"), FORMATS)
def test_files_give_the_points_back(
    cloud: Cloud, tmp_path: Path, ending: str, tolerance_m: float
) -> None:
    small = cloud[:2000]
    small.save(tmp_path / f"a.{ending}")
    again = understory.read(tmp_path / f"a.{ending}")
    assert again.points.shape == small.points.shape
    assert np.abs(again.points - small.points).max() <= tolerance_m
    assert "position" in again.known


def test_npy_keeps_every_column(cloud: Cloud, tmp_path: Path) -> None:
    assert cloud.save(tmp_path / "a.npy") == []
    again = understory.read(tmp_path / "a.npy")
    assert again == cloud
    assert again.known >= {"origin", "range", "truth", "misses"}


def test_rows_in_any_order_are_written(cloud: Cloud, tmp_path: Path) -> None:
    cloud[::-7].save(tmp_path / "a.npy")
    assert understory.read(tmp_path / "a.npy") == cloud[::-7]


def test_columns_that_are_not_aligned_are_taken(tmp_path: Path) -> None:
    raw = np.zeros(8 * 5 + 1, dtype=np.uint8)[1:]
    times = raw.view(np.float64)
    assert not times.flags.aligned
    cloud = Cloud({"time_s": times, "range_m": np.arange(5.0)})
    assert cloud.time_s.flags.aligned
    cloud.save(tmp_path / "a.npy")


def test_misses_can_be_left_out(field: understory.Scenario, tmp_path: Path) -> None:
    cloud = understory.run(field)
    cloud.save(tmp_path / "a.npy", misses=False)
    assert understory.read(tmp_path / "a.npy") == cloud.returns()


def test_the_format_can_be_named(cloud: Cloud, tmp_path: Path) -> None:
    assert cloud[:100].save(tmp_path / "points", format="ply") == []
    assert (tmp_path / "points").read_bytes()[:3] == b"ply"
    told = cloud[:100].save(tmp_path / "points.e57")
    assert "the truth" in told, "what a format cannot keep is told"


def test_a_pose_puts_points_into_the_world(tmp_path: Path) -> None:
    (tmp_path / "a.xyz").write_text("1 0 0\n0 2 0\n")
    cloud = understory.read(tmp_path / "a.xyz", pose=[10, 0, 0, 0, 0, 90], points_in="sensor")
    assert np.allclose(cloud.points, [[10, 1, 0], [8, 0, 0]])


def test_repr_counts(cloud: Cloud) -> None:
    assert repr(cloud[:0]) == "<Cloud of 0 rows: 0 returns, 0 misses>"
