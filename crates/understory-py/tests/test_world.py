"""Worlds built in code, against what must be seen in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import understory
from conftest import needed
from understory import Scenario, Sensor, World

#: A VLP-16 without errors and with a single ray a pulse: its ranges have an answer on paper.
EXACT = {
    "beam": {"sampling": "single"},
    "range_error": {"sigma_m": 0.0},
    "detector": {"range_quantum_m": 0.0, "range_min_m": 0.1},
}


def scan(world: World, duration_s: float = 0.1) -> understory.Cloud:
    """One revolution at the origin."""
    return understory.run(
        Scenario.build(world, Sensor("vlp-16", override=EXACT), duration_s=duration_s)
    )


def box_mesh() -> tuple[np.ndarray, np.ndarray]:
    """A box of 2 m around the origin."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    sides = [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]  # fmt: skip
    return corners, np.array(sides)


def test_a_wall_is_where_it_stands() -> None:
    world = World().add_object(
        "wall", "plane", size_m=[40, 40], position_m=[7, 0, 0], rotation_deg=[0, -90, 0]
    )
    cloud = scan(world).returns()
    assert len(cloud) > 3000
    assert np.abs(cloud.true_xyz_m[:, 0] - 7).max() < 1e-5
    ahead = cloud.true_range_m.astype(float) * cloud.direction_xyz[:, 0]
    # Directions are known to half a step of the encoder, 0.005°.
    off = np.abs(cloud.origin_xyz_m[:, 0] + ahead - 7)
    assert (off < np.radians(0.0051) * cloud.true_range_m + 1e-5).all()


def queried() -> understory.Simulation:
    """A plane at 1 m and a box of 2 m on it that goes 3 m/s to the left."""
    world = World().add_object(
        "ground", "plane", size_m=[20, 20], position_m=[0, 0, 1], label="terrain", material="grass"
    )
    way = [{"time_s": 0.0, "position_m": [4, 0, 1]}, {"time_s": 1.0, "position_m": [4, 3, 1]}]
    world.add_object(
        "box", "box", size_m=[2, 2, 2], label="car", material="brick", motion={"keyframes": way}
    )
    return understory.Simulation(Scenario.build(world, Sensor("vlp-16"), duration_s=1.0))


def test_the_ground_is_known() -> None:
    found = queried().ground([[0.0, 0.0], [4.0, 0.0], [30.0, 0.0]])
    # What stands on the ground is not the ground.
    assert np.allclose(found["height_m"], [1.0, 1.0, np.nan], equal_nan=True)
    assert np.allclose(found["normal"][:2], [0.0, 0.0, 1.0])
    assert found["object"][0] == found["object"][1] > 0 == found["object"][2]


def test_rays_meet_what_stands_there_at_the_time() -> None:
    simulation = queried()
    origins = [[0.0, 0.0, 2.0], [0.0, 0.0, 2.0], [0.0, 0.0, 2.0]]
    directions = [[1.0, 0.0, 0.0], [0.0, 0.0, -2.0], [-1.0, 0.0, 0.0]]
    found = simulation.cast_rays(origins, directions, time_s=0.0)
    assert np.allclose(found["distance_m"], [3.0, 1.0, np.nan], equal_nan=True)
    assert np.allclose(np.abs(found["normal"][:2]), [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    names = simulation.objects
    assert [names[n] for n in found["object"][:2]] == ["box", "ground"] and found["object"][2] == 0
    later = simulation.cast_rays(origins, directions, time_s=1.0)
    assert np.isnan(later["distance_m"][0]) and later["distance_m"][1] == 1.0
    near = simulation.cast_rays(origins, directions, range_max_m=2.0)
    assert np.isnan(near["distance_m"][0])


def test_objects_are_where_they_have_gone() -> None:
    poses = queried().poses(time_s=0.5)
    assert np.allclose(poses["box"]["pose"][:, 3], [4.0, 1.5, 1.0])
    size = poses["box"]["high_m"] - poses["box"]["low_m"]
    assert np.allclose(size, 2.0) and poses["ground"]["number"] != poses["box"]["number"]


def test_cells_that_hold_a_surface_are_occupied() -> None:
    simulation = queried()
    low, high = [2.25, -1.75, 0.25], [5.75, 1.75, 3.75]
    cells = simulation.occupancy(low, high, 0.5)
    assert cells.shape == (7, 7, 7)
    # A box is its shell: sides between 3 and 5, −1 and 1, 1 and 3 m, and the ground at 1 m.
    x, y, z = (low[axis] + 0.5 * np.arange(8) for axis in range(3))
    inside = lambda edges, a, b: (edges[1:] > a) & (edges[:-1] < b)  # noqa: E731
    at = lambda edges, values: sum((edges[:-1] < v) & (edges[1:] > v) for v in values) > 0  # noqa: E731
    in_x, in_y, in_z = inside(x, 3, 5), inside(y, -1, 1), inside(z, 1, 3)
    on_x, on_y, on_z = at(x, (3, 5)), at(y, (-1, 1)), at(z, (1, 3))
    shell = (
        (on_x[:, None, None] & in_y[:, None] & in_z)
        | (in_x[:, None, None] & on_y[:, None] & in_z)
        | (in_x[:, None, None] & in_y[:, None] & on_z)
    )
    wanted = shell | at(z, (1,))[None, None, :]
    assert np.array_equal(cells, wanted)


def test_a_mesh_of_arrays_is_the_box_that_it_is() -> None:
    corners, sides = box_mesh()
    place = {"position_m": [4.0, 0.0, 0.0], "rotation_deg": [0.0, 0.0, 30.0], "material": "brick"}
    mesh = scan(World().add_mesh("a", corners, sides, **place))
    box = scan(
        World().add_object(
            "a", "box", size_m=[2, 2, 2], **{**place, "position_m": [4.0, 0.0, -1.0]}
        )
    )
    assert np.array_equal(mesh.return_number, box.return_number)
    assert len(mesh.points) > 300
    assert np.nanmax(np.abs(mesh.true_range_m - box.true_range_m)) < 1e-5
    assert np.array_equal(mesh.material, box.material)


def test_a_trimesh_is_taken() -> None:
    trimesh = needed("trimesh")
    corners, sides = box_mesh()
    moved = corners + [4, 0, 0]
    made = trimesh.Trimesh(moved, sides, process=False)
    assert scan(World().add_mesh("a", made)) == scan(World().add_mesh("a", moved, sides))


def test_a_mesh_file_is_taken(tmp_path: Path) -> None:
    corners, sides = box_mesh()
    moved = corners + [4, 0, 0]
    lines = [f"v {x} {y} {z}" for x, y, z in moved] + [
        f"f {a + 1} {b + 1} {c + 1}" for a, b, c in sides
    ]
    (tmp_path / "box.obj").write_text("\n".join(lines))
    for file in (tmp_path / "box.obj", str(tmp_path / "box.obj")):
        assert scan(World().add_mesh("a", file)) == scan(World().add_mesh("a", moved, sides))


def test_changing_an_array_later_changes_nothing() -> None:
    corners, sides = box_mesh()
    corners += [4, 0, 0]
    scenario = Scenario.build(World().add_mesh("a", corners, sides), "vlp-16", duration_s=0.02)
    before = understory.run(scenario)
    simulation = understory.Simulation(scenario)
    corners += 100
    assert simulation.run() == before
    assert understory.run(scenario) == before, "a scenario holds what it was built of"


def test_any_layout_of_numbers_makes_the_same_mesh() -> None:
    corners, sides = box_mesh()
    corners += [4, 0, 0]
    wanted = scan(World().add_mesh("a", corners, sides), 0.02)
    fortran = np.asfortranarray(corners), np.asfortranarray(sides)
    for vertices, triangles in (
        fortran,
        (corners.tolist(), sides.tolist()),
        (corners[::-1][::-1], sides.astype(np.uint8)),
        (corners.astype(np.float32), sides.astype(np.uint64)),
    ):
        assert scan(World().add_mesh("a", vertices, triangles), 0.02) == wanted
    read_only = corners.copy()
    read_only.flags.writeable = False
    assert scan(World().add_mesh("a", read_only, sides), 0.02) == wanted


def test_plants_stand_on_the_terrain() -> None:
    world = World().set_terrain(
        plane={"size_m": [20, 20], "spacing_m": 0.5, "height_m": -1.0}, material="soil"
    )
    world.add_plant(
        "shrub",
        "hazel",
        override={"height_m": 2.0, "leaf_count_max": 6000},
        variants=1,
        instances=[{"position_m": [4.0, 0.0, 0.0]}],
    )
    simulation = understory.Simulation(Scenario.build(world, "vlp-16", duration_s=0.1))
    names = list(simulation.objects.values())
    assert "terrain" in names and any(name.startswith("shrub") for name in names)
    cloud = simulation.run().returns()
    is_ground = cloud.object == names.index("terrain") + 1
    assert np.abs(cloud.true_xyz_m[is_ground, 2] + 1.0).max() < 1e-3
    shrub = cloud[~is_ground]
    assert len(shrub) > 50
    assert np.hypot(shrub.true_xyz_m[:, 0] - 4, shrub.true_xyz_m[:, 1]).max() < 3.0
    assert set(shrub.label.tolist()) <= {70, 71}
    assert "soil" in simulation.materials.values()


def test_fog_takes_returns_away() -> None:
    def wall(world: World) -> World:
        return world.add_object(
            "wall", "plane", size_m=[60, 60], position_m=[40, 0, 0], rotation_deg=[0, -90, 0]
        )

    def far(world: World) -> int:
        return int((scan(wall(world), 0.02).returns().true_range_m > 39).sum())

    clear = far(World())
    assert clear > 300
    assert far(World().set_atmosphere(fog={"visibility_m": 20.0})) < clear / 2


def test_a_material_of_ones_own() -> None:
    world = World().add_material("dim", reflectance=0.2).add_material("bright", reflectance=0.8)
    for name, place in (("dim", [3, 0, 0]), ("bright", [-3, 0, 0])):
        world.add_object(name, "sphere", radius_m=1.0, position_m=place, material=name)
    simulation = understory.Simulation(Scenario.build(world, "vlp-16", duration_s=0.1))
    cloud = simulation.run().returns()
    number = {name: i for i, name in simulation.objects.items()}
    ratio = (
        cloud.intensity[cloud.object == number["bright"]].mean()
        / cloud.intensity[cloud.object == number["dim"]].mean()
    )
    assert abs(ratio - 4.0) < 0.2


def test_a_site_is_part_of_a_world(cloud: understory.Cloud, tmp_path: Path) -> None:
    site = understory.learn(cloud, model="voxel", cell_m=0.2)
    site.save(tmp_path / "room.site")
    sensor = Sensor("vlp-16", position_m=(0, 0, 1.2))
    seen = []
    for given in (site, tmp_path / "room.site"):
        world = World().add_site("room", given, label=50)
        seen.append(understory.run(Scenario.build(world, sensor, duration_s=0.05)))
    assert seen[0] == seen[1]
    assert (seen[0].returns().volume > 0).all() and len(seen[0].points) > 5000


def test_worlds_are_chained_and_shown() -> None:
    world = World(vegetation_lod="off").add_object("a", "sphere", radius_m=1)
    assert world.add_object("b", "disc", radius_m=1) is world
    assert world.set_wind(heading_deg=10.0) is world
    assert world.table()["wind"] == {"heading_deg": 10.0}
    assert repr(world) == "<World: 2 of object>" and repr(World()) == "<World: empty>"


def test_a_world_can_be_built_upon_after_a_scenario_was_made_of_it() -> None:
    world = World().add_object("a", "sphere", radius_m=1, position_m=[4, 0, 0])
    first = Scenario.build(world, "vlp-16", duration_s=0.02)
    seen = understory.run(first)
    world.add_object("b", "sphere", radius_m=1, position_m=[0, 4, 0])
    assert understory.run(first) == seen
