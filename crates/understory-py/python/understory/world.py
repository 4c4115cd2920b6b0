"""A world built in code: objects, meshes, plants, terrain, sites and weather.

Every keyword is a key of the scenario file (``docs/scenario.md``); what it says is checked when a
scenario is made of it, by the same rules and with the same sentences.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arrays import floats, indices, path, shown, text
from .errors import ArgumentError, ArgumentTypeError
from .site import Site

__all__ = ["World"]

#: Vertices, triangles, names of materials, material of each triangle.
_Mesh = tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32], list[str], npt.NDArray[np.uint16]]


class World:
    """What beams meet. Methods return the world, so that they can be chained.

    >>> import numpy, understory
    >>> world = understory.World()
    >>> world = world.add_object("wall", "box", size_m=[0.2, 4.0, 3.0], position_m=[6, 0, 0], material="brick")
    >>> corners = numpy.array([[0, -5, -1], [9, -5, -1], [0, 5, -1], [9, 5, -1]], dtype=float)
    >>> world = world.add_mesh("floor", corners, [[0, 1, 2], [1, 3, 2]], material="concrete")
    >>> scenario = understory.Scenario.build(world, understory.Sensor("vlp-16"), duration_s=0.1)
    >>> bool(len(understory.run(scenario).points) > 1000)
    True
    """

    def __init__(self, **keys: Any) -> None:
        """An empty world; ``keys`` are those of ``[world]``, such as ``vegetation_lod="auto"``."""
        self._table: dict[str, Any] = dict(keys)
        self._meshes: dict[str, _Mesh] = {}
        self._sites: dict[str, Site] = {}

    def _add(self, what: str, name: object, keys: Mapping[str, Any]) -> World:
        entry = {"name": text(name, "name"), **keys}
        self._table.setdefault(what, []).append(entry)
        return self

    def add_object(self, name: str, shape: str, **keys: Any) -> World:
        """A plane, box, sphere, cylinder, disc, person or car: a ``[[world.object]]``."""
        return self._add("object", name, {"shape": text(shape, "shape"), **keys})

    def add_mesh(
        self,
        name: str,
        mesh: npt.ArrayLike | str | os.PathLike[str] | Any,
        triangles: npt.ArrayLike | None = None,
        *,
        materials: Sequence[str] | None = None,
        triangle_materials: npt.ArrayLike | None = None,
        **keys: Any,
    ) -> World:
        """A mesh: V × 3 vertices in metres with T × 3 triangles, a trimesh, or the path of a file.

        A mesh in memory that is of several materials has their names in ``materials`` and the number
        of that of each triangle, from 0, in ``triangle_materials``. For a file ``materials`` is a
        dict: which material each material of the file is.
        """
        name = text(name, "name")
        if isinstance(mesh, (str, os.PathLike)):
            if triangles is not None:
                raise ArgumentError("a mesh from a file has its own triangles; leave triangles out")
            if triangle_materials is not None:
                raise ArgumentError("a mesh from a file has its own triangles; leave triangle_materials out")
            if materials is not None:
                keys["materials"] = materials
            file = os.path.abspath(path(mesh, "mesh"))
            return self._add("object", name, {"shape": "mesh", "file": file, **keys})
        if triangles is None:
            if not (hasattr(mesh, "vertices") and hasattr(mesh, "faces")):
                raise ArgumentTypeError(
                    f"mesh must be vertices with triangles, a trimesh or a path, and {shown(mesh)} came"
                )
            made: Any = mesh
            mesh, triangles = made.vertices, made.faces
        self.keep_mesh(name, mesh, triangles, materials=materials, triangle_materials=triangle_materials)
        return self._add("object", name, {"shape": "mesh", "file": f"memory:{name}", **keys})

    def keep_mesh(
        self,
        name: str,
        vertices: npt.ArrayLike,
        triangles: npt.ArrayLike | None,
        *,
        materials: Sequence[str] | None = None,
        triangle_materials: npt.ArrayLike | None = None,
    ) -> str:
        """Keeps a mesh in memory that is no object yet and returns the name by which tables of objects
        refer to it: ``file``, or ``files`` of ``frames``.

        >>> import numpy, understory
        >>> world = understory.World()
        >>> flag = numpy.array([[5, -1, 0], [5, 1, 0], [5, 0, 2]], dtype=float)
        >>> files = [world.keep_mesh(f"flag {k}", flag + [0, 0.1 * k, 0], [[0, 1, 2]]) for k in range(3)]
        >>> world = world.add_object("flag", "mesh", frames={"files": files, "step_s": 0.04})
        >>> understory.Scenario.build(world, "vlp-16", duration_s=0.1).sensors
        ['vlp-16']
        """
        if text(name, "name") in self._meshes:
            raise ArgumentError(f"there is another mesh called {name!r}; give it another name")
        # Copies: what is changed in the caller's arrays later changes no scenario.
        points = floats(vertices, "vertices", (None, 3)).copy()
        corners = indices(triangles, "triangles", (None, 3)).copy()
        names: list[str] = []
        numbers = np.zeros(0, np.uint16)
        if materials is not None or triangle_materials is not None:
            if materials is None or triangle_materials is None or isinstance(materials, (str, Mapping)):
                raise ArgumentTypeError(
                    "a mesh in memory has materials, a list of names, and triangle_materials; give both"
                )
            names = [text(one, "materials") for one in materials]
            given = indices(triangle_materials, "triangle_materials", (None,))
            if given.size and int(given.max()) >= max(len(names), 1):
                raise ArgumentError(
                    f"triangle_materials goes to {given.max()}, and there are {len(names)} materials"
                )
            numbers = given.astype(np.uint16)
        self._meshes[name] = (points, corners, names, numbers)
        return f"memory:{name}"

    def add_plant(self, name: str, species: str | None = None, **keys: Any) -> World:
        """Plants of a species, placed by a rule: a ``[[world.plant]]``."""
        if species is not None:
            keys["species"] = text(species, "species")
        return self._add("plant", name, keys)

    def add_ground_object(self, name: str, **keys: Any) -> World:
        """Rocks, logs, posts, fences or walls: a ``[[world.ground_object]]``."""
        return self._add("ground_object", name, keys)

    def add_material(self, name: str, **keys: Any) -> World:
        """A material of your own: a ``[[world.material]]``."""
        return self._add("material", name, keys)

    def add_plume(self, name: str, **keys: Any) -> World:
        """Dust or smoke: a ``[[world.plume]]``."""
        return self._add("plume", name, keys)

    def add_site(self, name: str, site: Site | str | os.PathLike[str], **keys: Any) -> World:
        """A learned site, or the path of one: a ``[[world.site]]``."""
        name = text(name, "name")
        if isinstance(site, Site):
            self._sites[name] = site
            file = f"memory:{name}"
        else:
            file = os.path.abspath(path(site, "site"))
        return self._add("site", name, {"file": file, **keys})

    def set_terrain(self, **keys: Any) -> World:
        """The ground: ``[world.terrain]``."""
        self._table["terrain"] = keys
        return self

    def set_atmosphere(self, **keys: Any) -> World:
        """The weather: ``[world.atmosphere]``, such as ``fog={"visibility_m": 50}``."""
        self._table["atmosphere"] = keys
        return self

    def set_wind(self, **keys: Any) -> World:
        """The wind: ``[world.wind]``."""
        self._table["wind"] = keys
        return self

    def set_physics(self, **keys: Any) -> World:
        """How bodies move: ``[world.physics]``."""
        self._table["physics"] = keys
        return self

    def table(self) -> dict[str, Any]:
        """The ``[world]`` table of a scenario."""
        return self._table

    def __repr__(self) -> str:
        parts = (f"{len(v)} of {k}" for k, v in self._table.items() if isinstance(v, list))
        return f"<World: {', '.join(parts) or 'empty'}>"
