"""The scene as beams meet it, beside the program's own shapes and readers."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix

import understory

#: Blender holds positions in 32 bits: at 20 m that is some micrometres.
CLOSE_M = 5e-5


def same_as(world: understory.World, done, preset="vlp-16", position_m=(0, 0, 1.5), **keys):
    """Compares a scan with the same sensor in a world of the program's own; gives both as rows."""
    scenario = understory.Scenario.build(
        world, understory.Sensor(preset, name="lidar"), seed=1, platform={"position_m": list(position_m)}, **keys
    )
    own, ours = understory.run(scenario), done.cloud
    assert len(own) == len(ours)
    assert (own.return_number > 0).sum() > 300
    # Rays along edges may fall to either side.
    differs = (own.return_number > 0) != (ours.return_number > 0)
    both = (own.return_number > 0) & (ours.return_number > 0)
    off = np.abs(own.true_range_m[both] - ours.true_range_m[both])
    assert differs.mean() < 1e-3
    assert (off > CLOSE_M).mean() < 2e-3, f"{(off > CLOSE_M).sum()} of {both.sum()} differ, by {off.max()}"
    assert (np.abs(own.intensity[both] - ours.intensity[both]) < 1e-3 * (1 + own.intensity[both])).mean() > 0.995
    return own[both], ours[both]


def test_boxes_are_the_program_s_boxes(make, scan):
    grey = make.principled("half", 0.5)
    make.plane("terrain", (60, 60), material=grey)
    make.box("car", (4.2, 1.8, 1.4), (6, 2, 0), 30, grey)
    make.box("building", (3, 8, 5), (-9, 0, 0), 10, grey)
    make.camera()
    world = understory.World()
    world.add_object("terrain", "plane", size_m=[60, 60], label="terrain")
    world.add_object("car", "box", size_m=[4.2, 1.8, 1.4], position_m=[6, 2, 0], rotation_deg=[0, 0, 30], label="car")
    world.add_object("building", "box", size_m=[3, 8, 5], position_m=[-9, 0, 0], rotation_deg=[0, 0, 10], label="building")
    own, ours = same_as(world, scan())
    assert (own.label == ours.label).mean() > 0.998 and (own.object == ours.object).mean() > 0.998
    assert (np.abs(own.incidence_deg - ours.incidence_deg) < 0.01).mean() > 0.998


def test_names_are_those_of_the_scene(make, scan):
    make.plane("terrain", (60, 60))
    make.box("Car", (4, 2, 1.5), (6, 0, 0))
    make.box("Car.001", (4, 2, 1.5), (-6, 0, 0))
    make.camera()
    done = scan()
    simulation = understory.Simulation(done.prepared.scenario)
    assert set(simulation.objects.values()) == {"terrain", "Car", "Car.001"}
    of_name = {name: number for number, name in simulation.objects.items()}
    behind = done.cloud.world_xyz_m[:, 0] < -3
    low = done.cloud.label == 10
    assert set(done.cloud.object[behind & low]) == {of_name["Car.001"]}


def test_classes_come_from_panels_properties_names_collections_and_pass_indices(make):
    from bl_ext.user_default.understory.labels import class_in, label_of

    assert class_in("Car.003") == 10 and class_in("carport") is None and class_in("other ground 2") == 49
    assert label_of("traffic-sign", "car", "person", [], 3) == 81
    assert label_of("", "car", "person", [], 3) == 10 and label_of("", 70, "person", [], 3) == 70
    assert label_of("", None, "person 1", ["car"], 3) == 30
    assert label_of("", None, "thing", ["Poles", "poles"], 3) == 3
    assert label_of("", None, "thing", ["pole.002"], 3) == 80
    assert label_of("", None, "thing", [], 7) == 7


def test_linked_copies_share_one_mesh_and_keep_their_names(make, scan):
    make.plane("terrain", (60, 60))
    first = make.box("pole", (0.4, 0.4, 3), (5, 0, 0))
    for number in range(1, 6):
        copy = make.link(bpy.data.objects.new(f"pole.{number:03}", first.data))
        copy.location = (5 * math.cos(number), 5 * math.sin(number), 0)
        copy.rotation_euler = (0, 0, number)
    make.camera()
    done = scan()
    names = understory.Simulation(done.prepared.scenario).objects
    assert {f"pole.{n:03}" for n in range(1, 6)} <= set(names.values())
    assert len(done.prepared.scenario._meshes) == 2
    assert len(set(done.cloud.object[done.cloud.label == 80])) == 6


def test_instances_of_collections_and_geometry_nodes_stay_instances(make, scan):
    make.plane("terrain", (60, 60))
    collection = bpy.data.collections.new("stand")
    tree = make.box("vegetation", (0.5, 0.5, 4), (0, 0, 0))
    bpy.context.scene.collection.objects.unlink(tree)
    collection.objects.link(tree)
    for number, place in enumerate([(6, 0, 0), (0, 7, 0), (-8, 0, 0)]):
        empty = make.link(bpy.data.objects.new(f"stand {number}", None))
        empty.instance_type, empty.instance_collection, empty.location = "COLLECTION", collection, place
    make.camera()
    done = scan()
    world = understory.World().add_object("terrain", "plane", size_m=[60, 60], label="terrain")
    world.add_object(
        "vegetation", "box", size_m=[0.5, 0.5, 4], label="vegetation",
        instances=[{"position_m": p} for p in ([6, 0, 0], [0, 7, 0], [-8, 0, 0])],
    )  # fmt: skip
    own, ours = same_as(world, done)
    assert len(done.prepared.scenario._meshes) == 2 and len(set(ours.object[ours.label == 70])) == 3


def _scattered(make, count):
    """A plane whose geometry nodes put boxes at its points."""
    box = make.box("vegetation", (0.3, 0.3, 1.5), (0, 0, 0))
    box.hide_render = True
    plane = make.mesh("field", [(4 + 0.9 * k, -10 + (7 * k) % 20, 0) for k in range(count)], [])
    group = bpy.data.node_groups.new("scatter", "GeometryNodeTree")
    group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    source, target = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    copies, info = group.nodes.new("GeometryNodeInstanceOnPoints"), group.nodes.new("GeometryNodeObjectInfo")
    info.inputs["Object"].default_value = box
    group.links.new(source.outputs[0], copies.inputs["Points"])
    group.links.new(info.outputs["Geometry"], copies.inputs["Instance"])
    group.links.new(copies.outputs[0], target.inputs[0])
    plane.modifiers.new("scatter", "NODES").node_group = group
    return plane


def test_geometry_nodes_place_ten_thousand_instances_of_one_mesh(make, scan):
    make.plane("terrain", (60, 60))
    _scattered(make, 10_000)
    make.camera()
    done = scan()
    assert len(done.prepared.scenario._meshes) == 2
    assert len(understory.Simulation(done.prepared.scenario).objects) == 10_001


def test_mirrored_stretched_and_sheared_objects(make, scan):
    grey = make.principled("half", 0.5)
    corners = [(0, 0, 0), (2, 0, 0), (0, 1, 0), (0, 0, 3)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    places = {
        "mirrored": Matrix(((-1, 0, 0, 6), (0, 1, 0, 1), (0, 0, 1, 0), (0, 0, 0, 1))),
        "stretched": Matrix(((0, -2, 0, -5), (1.5, 0, 0, 0), (0, 0, 0.8, 0), (0, 0, 0, 1))),
        "sheared": Matrix(((1, 0.5, 0, 0), (0, 1, 0.3, 6), (0, 0, 1, 0), (0, 0, 0, 1))),
        "upside down": Matrix(((1, 0, 0, 0), (0, 1, 0, -7), (0, 0, -1, 3), (0, 0, 0, 1))),
    }
    world = understory.World()
    for name, matrix in places.items():
        thing = make.mesh(name, corners, faces, grey)
        thing.matrix_world = matrix
        if name == "sheared":
            # Objects cannot be sheared by themselves; parents that are scaled unevenly do it.
            parent = make.link(bpy.data.objects.new("parent", None))
            thing.parent = parent
            parent.matrix_world = Matrix(((1, 0, 0, 0), (0, 2, 0, 6), (0, 0, 1, 0), (0, 0, 0, 1)))
            thing.matrix_parent_inverse = Matrix.Identity(4)
            thing.matrix_basis = Matrix.Rotation(0.5, 4, "Z")
            bpy.context.view_layer.update()
            matrix = thing.matrix_world
        placed = np.array([list(matrix @ __import__("mathutils").Vector(c)) for c in corners])
        turned = [f[::-1] for f in faces] if np.linalg.det(np.array(matrix)[:3, :3]) < 0 else faces
        world.add_mesh(name, placed, turned, material="grey")
    make.camera()
    same_as(world, scan())


def test_modifiers_and_curves_have_their_evaluated_shape(make, scan):
    grey = make.principled("half", 0.5)
    bar = make.box("bar", (0.4, 0.4, 2), (5, -3, 0), material=grey)
    array = bar.modifiers.new("array", "ARRAY")
    array.count, array.use_relative_offset, array.use_constant_offset = 4, False, True
    array.constant_offset_displace = (0, 1.5, 0)
    curve = bpy.data.curves.new("cable", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution = "3D", 0.2, 8
    spline = curve.splines.new("POLY")
    spline.points.add(1)
    spline.points[0].co, spline.points[1].co = (-4, -3, 1.5, 1), (-4, 3, 1.5, 1)
    curve.materials.append(grey)
    make.link(bpy.data.objects.new("cable", curve))
    make.camera()
    done = scan()
    world = understory.World()
    for k in range(4):
        world.add_object(f"bar {k}", "box", size_m=[0.4, 0.4, 2], position_m=[5, -3 + 1.5 * k, 0])
    scenario = understory.Scenario.build(world, understory.Sensor("vlp-16"), seed=1, platform={"position_m": [0, 0, 1.5]})
    own, ours = understory.run(scenario), done.cloud
    ahead = (np.abs(own.azimuth_deg) < 80) & (own.return_number > 0) & (ours.return_number > 0)
    assert ahead.sum() > 300
    assert (np.abs(own.true_range_m - ours.true_range_m)[ahead] > CLOSE_M).mean() < 5e-3
    # The cable is a round rod of 20 cm about a line at x = −4, z = 1.5, whose facets lie inside of it.
    behind = ours[(ours.azimuth_deg > 145) | (ours.azimuth_deg < -145)].returns()
    assert len(behind) > 100
    from_axis = np.hypot(behind.true_xyz_m[:, 0] + 4, behind.true_xyz_m[:, 2] - 1.5)
    assert from_axis.max() < 0.2001 and from_axis.min() > 0.2 * math.cos(math.pi / 18) - 1e-3


def test_hair_becomes_ribbons_of_its_radius():
    from bl_ext.user_default.understory.ribbons import ribbons

    points = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 2], [1, 1, 0], [1, 1, 3.0]])
    vertices, triangles, strand = ribbons(points, np.full(5, 0.1), np.array([3, 2]))
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    assert np.isclose(area[strand == 0].sum(), 2 * 0.2) and np.isclose(area[strand == 1].sum(), 3 * 0.2)
    assert len(triangles) == 6


def test_hair_curves_and_particle_hair_are_met(make, scan):
    hair = bpy.data.hair_curves.new("reeds")
    hair.add_curves([2] * 40)
    flat = [x for k in range(40) for x in (4, -4 + 0.2 * k, 0, 4, -4 + 0.2 * k, 3)]
    hair.attributes["position"].data.foreach_set("vector", flat)
    hair.attributes.new("radius", "FLOAT", "POINT").data.foreach_set("value", [0.03] * 80)
    make.link(bpy.data.objects.new("vegetation reeds", hair))
    lawn = make.plane("lawn", (4, 4), (-4, 0, 0))
    lawn.modifiers.new("hair", "PARTICLE_SYSTEM")
    settings = lawn.particle_systems[0].settings
    settings.type, settings.count, settings.hair_length = "HAIR", 400, 1.2
    settings.root_radius, settings.tip_radius, settings.radius_scale = 2.0, 1.0, 0.02
    make.camera(location=(0, 0, 1.0))
    cloud = scan().cloud.returns()
    reeds = cloud[cloud.label == 70]
    assert len(reeds) > 100 and np.abs(reeds.true_xyz_m[:, 0] - 4).max() < 0.031
    blades = cloud[(cloud.true_xyz_m[:, 0] < -1.9) & (cloud.true_xyz_m[:, 2] > 0.05)]
    assert len(blades) > 100 and blades.true_xyz_m[:, 2].max() < 1.3


def test_hidden_unseen_and_disabled_objects_are_not_met(make, scan):
    make.plane("terrain", (60, 60))
    for number, name in enumerate(("shown", "hidden", "disabled", "unseen", "excluded")):
        box = make.box(name, (1, 1, 3), (5 * math.cos(number), 5 * math.sin(number), 0))
        box.hide_set(name == "hidden")
        box.hide_render = name == "disabled"
        box.understory.is_unseen = name == "unseen"
    collection = bpy.data.collections.new("away")
    bpy.context.scene.collection.children.link(collection)
    bpy.context.scene.collection.objects.unlink(box)
    collection.objects.link(box)
    bpy.context.view_layer.layer_collection.children["away"].exclude = True
    make.camera()
    names = understory.Simulation(scan().prepared.scenario).objects.values()
    assert set(names) == {"terrain", "shown"}


def test_principled_materials(make):
    from bl_ext.user_default.understory import shaders

    assert shaders.surface(make.principled("plain", 0.3)).keys["reflectance"] == pytest.approx(0.3)
    coloured = shaders.surface(make.principled("red", (1.0, 0.0, 0.0))).keys
    assert coloured["reflectance"] == pytest.approx(0.2126) and coloured["color"] == "#ff0000"
    shiny = shaders.surface(make.principled("shiny", 0.3, specular=0.5, Roughness=0.3, IOR=1.5)).keys
    assert shiny["gloss"] == {"share": pytest.approx(0.04), "roughness": pytest.approx(0.09)}
    mirror = shaders.surface(make.principled("m", 0.95, Metallic=1.0, Roughness=0.0)).keys
    assert mirror["mirror"] == pytest.approx(0.95) and mirror["reflectance"] == 0
    glass = shaders.surface(make.principled("g", 1.0, Transmission_Weight=1.0, IOR=1.5))
    assert glass.keys["glass"]["index"] == 1.5 and glass.glass_by_mesh
    assert shaders.surface(make.principled("Grass.004", 0.9)).name == "grass"
    assert shaders.surface(None).name == "grey"
    own = make.principled("own", 0.1)
    own.understory.kind, own.understory.reflectance, own.understory.mirror = "CUSTOM", 0.2, 0.5
    assert shaders.surface(own).keys == {"reflectance": pytest.approx(0.2), "mirror": pytest.approx(0.5)}
    own.understory.reflectance = 0.7
    from bl_ext.user_default.understory.refusal import Refusal

    with pytest.raises(Refusal, match="sum to 1.20"):
        shaders.surface(own)


def test_glass_and_mirrors_beside_the_program_s_own(make, scan):
    """A pane, a solid block and a mirror before a wall."""
    make.box("wall", (0.3, 20, 6), (9.15, 0, 0), material=make.library("plaster"))
    pane = make.mesh("pane", [(4, -3, 0), (4, -1, 0), (4, -1, 4), (4, -3, 4)], [(0, 1, 2, 3)])
    pane.data.materials.append(make.principled("pane", 1.0, Transmission_Weight=1.0, IOR=1.5))
    make.box("block", (0.6, 1.5, 3), (4, 0.5, 0), 0, make.principled("block", 1.0, Transmission_Weight=1.0, IOR=1.5))
    make.box("mirror", (0.05, 2, 3), (4, 3.5, 0), 20, make.principled("mirror metal", 0.9, Metallic=1, Roughness=0))
    make.box("pole", (0.3, 0.3, 4), (-3, 4.5, 0), 0, make.library("wood"))
    make.camera("hdl-64e-blensor")
    done = scan()
    world = understory.World()
    world.add_material("thin", glass={"index": 1.5, "kind": "pane"})
    world.add_material("thick", glass={"index": 1.5, "kind": "solid"})
    world.add_material("silver", reflectance=0.0, mirror=0.9)
    world.add_object("wall", "box", size_m=[0.3, 20, 6], position_m=[9.15, 0, 0], material="plaster")
    corners = np.array([(4, -3, 0), (4, -1, 0), (4, -1, 4), (4, -3, 4)], dtype=float)
    world.add_mesh("pane", corners, [[0, 1, 2], [0, 2, 3]], material="thin")
    world.add_object("block", "box", size_m=[0.6, 1.5, 3], position_m=[4, 0.5, 0], material="thick")
    world.add_object("mirror", "box", size_m=[0.05, 2, 3], position_m=[4, 3.5, 0], rotation_deg=[0, 0, 20], material="silver")
    world.add_object("pole", "box", size_m=[0.3, 0.3, 4], position_m=[-3, 4.5, 0], material="wood")
    own, ours = same_as(world, done, "hdl-64e-blensor")
    bent = np.abs(np.linalg.norm(ours.true_xyz_m - [0, 0, 1.5], axis=1) - ours.true_range_m) > 0.01
    assert bent.sum() > 500


def test_pictures_give_each_face_its_shade(make, scan, tmp_path):
    image = bpy.data.images.new("board", 4, 1, float_buffer=True)
    image.colorspace_settings.name = "Non-Color"
    image.pixels.foreach_set(np.repeat([[0.1], [0.3], [0.6], [0.9]], 4, axis=1).astype(np.float32).ravel())
    material = make.principled("board", 0.5)
    tree = material.node_tree
    texture = tree.nodes.new("ShaderNodeTexImage")
    texture.image = image
    shader = next(n for n in tree.nodes if n.bl_idname == "ShaderNodeBsdfPrincipled")
    tree.links.new(texture.outputs["Color"], shader.inputs["Base Color"])
    # Four strips side by side at x = 5, each over a quarter of the picture.
    corners, faces, uvs = [], [], []
    for k in range(4):
        corners += [(5, 4 - 2 * k, 0), (5, 2 - 2 * k, 0), (5, 2 - 2 * k, 3), (5, 4 - 2 * k, 3)]
        faces.append(tuple(range(4 * k, 4 * k + 4)))
        uvs += [(k / 4, 0), ((k + 1) / 4, 0), ((k + 1) / 4, 1), (k / 4, 1)]
    board = make.mesh("board", corners, faces, material)
    layer = board.data.uv_layers.new(name="UVMap")
    layer.uv.foreach_set("vector", np.array(uvs, np.float32).ravel())
    make.camera("hdl-64e-blensor")
    cloud = scan().cloud.returns()
    strip = np.clip(((4 - cloud.true_xyz_m[:, 1]) / 2).astype(int), 0, 3)
    seen = [cloud.intensity[strip == k] / np.cos(np.radians(cloud.incidence_deg[strip == k])) * cloud.true_range_m[strip == k] ** 2 for k in range(4)]
    shades = np.array([np.median(one) for one in seen])
    # Sixteen shades: each stands in the middle of its sixteenth.
    expected = (np.floor(np.array([0.1, 0.3, 0.6, 0.9]) * 16) + 0.5) / 16
    # Strips to either side of the axis are seen alike.
    assert shades[3] / shades[0] == pytest.approx(expected[3] / expected[0], rel=0.02)
    assert shades[2] / shades[1] == pytest.approx(expected[2] / expected[1], rel=0.02)


def test_faces_keep_their_own_materials(make, scan):
    dark, light = make.principled("dark", 0.2), make.principled("light", 0.8)
    board = make.mesh("board", [(5, -4, 0), (5, 0, 0), (5, 4, 0), (5, -4, 3), (5, 0, 3), (5, 4, 3)], [(0, 1, 4, 3), (1, 2, 5, 4)], dark)
    board.data.materials.append(light)
    board.data.polygons[1].material_index = 1
    make.camera()
    done = scan()
    names = understory.Simulation(done.prepared.scenario).materials
    returns = done.cloud.returns()
    found = {names[m] for m in set(returns.material[returns.true_xyz_m[:, 1] > 0.1])}
    assert found == {"light"} and {names[m] for m in set(returns.material[returns.true_xyz_m[:, 1] < -0.1])} == {"dark"}
