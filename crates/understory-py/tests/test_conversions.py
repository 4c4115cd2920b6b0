"""Clouds as tables and clouds of other packages, and as bytes."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import understory
from conftest import needed
from understory import Cloud


def test_pandas(cloud: Cloud) -> None:
    pandas = needed("pandas")
    frame = cloud.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == len(cloud)
    flat = cloud.flat()
    assert list(frame.columns) == list(flat)
    for name, values in flat.items():
        assert frame[name].dtype == values.dtype
        assert np.array_equal(frame[name], values, equal_nan=values.dtype.kind == "f")
    assert frame.groupby("channel").size().sum() == len(cloud)


def test_arrow(cloud: Cloud) -> None:
    pyarrow = needed("pyarrow")
    table = cloud.to_arrow()
    assert table.num_rows == len(cloud) and table.column_names == list(cloud.columns)
    for name, (dtype, width) in understory.COLUMNS.items():
        kind = table.schema.field(name).type
        if width == 3:
            assert pyarrow.types.is_fixed_size_list(kind) and kind.list_size == 3
            kind = kind.value_type
        assert kind.to_pandas_dtype() == np.dtype(dtype).type
    column = table["range_m"].chunk(0)
    assert np.array_equal(column.to_numpy(zero_copy_only=False), cloud.range_m, equal_nan=True)
    assert column.null_count == 0


def test_arrow_of_rows_that_do_not_follow_each_other(cloud: Cloud) -> None:
    needed("pyarrow")
    table = cloud[::-3].to_arrow()
    assert table["pulse"].to_pylist() == cloud.pulse[::-3].tolist()
    flat = table["origin_xyz_m"].chunk(0).values.to_numpy()
    assert np.array_equal(flat.reshape(-1, 3), cloud.origin_xyz_m[::-3])
    assert cloud[:0].to_arrow().num_rows == 0


def test_open3d(cloud: Cloud) -> None:
    needed("open3d")
    points = cloud.to_open3d()
    returns = cloud.returns()
    assert np.array_equal(points.point.positions.numpy(), cloud.points)
    assert np.array_equal(points.point.intensity.numpy()[:, 0], returns.intensity)
    assert np.array_equal(points.point.label.numpy()[:, 0], returns.label)


def test_pickle_and_copies(cloud: Cloud) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(cloud[:500], protocol))
        assert again == cloud[:500] and again.known == cloud.known
    assert pickle.loads(pickle.dumps(cloud)).summary == cloud.summary
    deep = copy.deepcopy(cloud[:100])
    assert deep == cloud[:100] and not np.shares_memory(deep.range_m, cloud.range_m)


def test_columns_travel_outside_of_the_pickle(cloud: Cloud) -> None:
    """Ray and Dask move buffers of protocol 5 without copying them."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(cloud, protocol=5, buffer_callback=buffers.append)
    assert len(buffers) == len(cloud.columns)
    assert len(head) < 10_000
    assert pickle.loads(head, buffers=buffers) == cloud
