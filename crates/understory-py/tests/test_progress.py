"""Bars in notebooks."""

from __future__ import annotations

from pathlib import Path

from conftest import needed

CELL = """
import understory
from understory.progress import Bar

print(Bar(0.0)._notebook)
seen = []
show = Bar._show
Bar._show = lambda bar, line: (seen.append(line), show(bar, line))
simulation = understory.Simulation(understory.Scenario("first-scan").replace(duration_s=2.0))
cloud = simulation.run(progress=True)
print(seen[0].split()[0], seen[-1] == "")
"""


def test_a_bar_is_drawn_in_the_cell(tmp_path: Path) -> None:
    nbformat = needed("nbformat")
    nbclient = needed("nbclient")
    needed("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    client = nbclient.NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    outputs = notebook.cells[0].outputs
    printed = "".join(o.text for o in outputs if o.output_type == "stream" and o.name == "stdout")
    assert printed == "True\nsimulating True\n"
    # One display, which is drawn anew and empty in the end.
    drawn = [output for output in outputs if output.output_type == "display_data"]
    assert len(drawn) == 1 and drawn[0].data["text/plain"] == ""
    assert not [o for o in outputs if o.output_type == "stream" and o.name == "stderr"]
