"""What is promised not to be copied is not: shown by the addresses of memory."""

from __future__ import annotations

import gc

import numpy as np
import understory
from conftest import needed
from understory import Cloud, Simulation


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def test_a_column_is_one_array(cloud: Cloud) -> None:
    for name in cloud:
        assert getattr(cloud, name) is cloud[name]
    assert cloud.range_m is cloud["range_m"]


def test_arrays_own_the_simulator_s_memory(cloud: Cloud) -> None:
    """NumPy holds no buffer of its own: at the end of each chain is the Rust vector."""
    for name in cloud:
        array = cloud[name]
        assert not array.flags.owndata, name
        while isinstance(array.base, np.ndarray):
            array = array.base
        assert array.base is not None and not isinstance(array.base, np.ndarray), name
        assert "Rust" in type(array.base).__name__ or "Slice" in type(array.base).__name__, name
        assert cloud[name].flags.writeable and cloud[name].flags.c_contiguous, name


def test_scans_and_steps_own_theirs(field: understory.Scenario) -> None:
    simulation = Simulation(field)
    scan = next(simulation.scans(interval_s=(0, 0.02)))
    poses = [field.platform_pose(0.0), field.platform_pose(0.01)]
    step = simulation.step([0.0, 0.01], poses, interval_s=(0, 0.01))
    for cloud in (scan, step):
        for name in cloud:
            assert not cloud[name].flags.owndata


def test_points_are_the_column_where_nothing_was_missed(cloud: Cloud) -> None:
    returns = cloud.returns()
    assert returns.points is returns.world_xyz_m


def test_slices_and_flat_columns_are_views(cloud: Cloud) -> None:
    part = cloud[100:200]
    for name in cloud:
        assert np.shares_memory(part[name], cloud[name])
        assert address(part[name]) == address(cloud[name]) + 100 * cloud[name].strides[0]
    for values in cloud.flat().values():
        assert any(np.shares_memory(values, cloud[name]) for name in cloud)


def test_arrow_has_the_same_buffers(cloud: Cloud) -> None:
    needed("pyarrow")
    table = cloud.to_arrow()
    for name in cloud:
        column = table[name].chunk(0)
        flat = column if cloud[name].ndim == 1 else column.values
        assert flat.buffers()[1].address == address(cloud[name]), name


def test_open3d_has_the_same_positions(cloud: Cloud) -> None:
    needed("open3d")
    returns = cloud.returns()
    points = returns.to_open3d()
    assert np.shares_memory(points.point.positions.numpy(), returns.world_xyz_m)
    assert np.shares_memory(points.point.intensity.numpy(), returns.intensity)


def test_columns_of_ones_own_are_taken_as_they_are() -> None:
    ranges = np.ones(10, dtype=np.float32)
    cloud = Cloud({"range_m": ranges})
    assert cloud.range_m is ranges or np.shares_memory(cloud.range_m, ranges)


def test_memory_lives_as_long_as_an_array_does(room: Simulation) -> None:
    cloud = room.run(seed=1)
    wanted = cloud.range_m.copy()
    ranges, positions = cloud.range_m, cloud.world_xyz_m[5:50, 1]
    column = positions.copy()
    del cloud
    gc.collect()
    _ = [room.run(seed=2, interval_s=(0, 0.02)) for _ in range(3)]
    assert np.array_equal(ranges, wanted, equal_nan=True)
    assert np.array_equal(positions, column, equal_nan=True)
