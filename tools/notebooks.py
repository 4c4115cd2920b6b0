"""Makes the notebooks of the Python examples from their scripts.

What enters: scripts whose cells begin with ``# %%`` or ``# %% [markdown]``. What leaves: a notebook
of each, in ``notebooks/``. A script's ``main()`` becomes cells of its own: its parameters become
assignments of their defaults, and its body is moved to the left.

    python tools/notebooks.py            # writes them
    python tools/notebooks.py --check    # says which are not up to date
"""

from __future__ import annotations

import ast
import json
import sys
import textwrap
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "crates" / "understory-py" / "examples"
NAMES = [
    "first_scan",
    "tall_grass",
    "learn_and_swap",
    "semantic_kitti",
    "fit_error",
    "deschaud_table1",
]


def cells(source: str) -> list[tuple[str, str]]:
    """The cells of a script: ``"markdown"`` or ``"code"``, and the text."""
    lines = source.splitlines()
    main = next(
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == "main"
    )
    body = main.body[1:] if ast.get_docstring(main) else main.body
    # Comments before the first statement belong to the body: the docstring's last line ends it.
    docstring_end = main.body[0].end_lineno or main.lineno
    head = lines[: main.lineno - 1]
    parameters = [
        f"{argument.arg} = {ast.get_source_segment(source, default)}"
        for argument, default in zip(main.args.args, main.args.defaults)
    ]
    inner = textwrap.dedent("\n".join(lines[docstring_end : body[-1].end_lineno])).splitlines()
    return _split([*head, "# %%", *parameters, *inner])


def _split(lines: list[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("# %%"):
            found.append(("markdown" if "[markdown]" in line else "code", []))
        elif found:  # What stands before the first marker is the script's docstring.
            found[-1][1].append(line)
    texts = []
    for kind, content in found:
        if kind == "markdown":
            content = [line.removeprefix("#").removeprefix(" ") for line in content]
        text = "\n".join(content).strip("\n")
        if text:
            texts.append((kind, text))
    return texts


def notebook(source: str) -> str:
    """A script as the text of a notebook."""
    made = []
    for number, (kind, text) in enumerate(cells(source)):
        cell: dict[str, object] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        cell["source"] = text.splitlines(keepends=True)
        made.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {
        "cells": made,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    """Writes or checks; 1 where some are not up to date."""
    checking = "--check" in sys.argv[1:]
    stale = 0
    for name in NAMES:
        target = EXAMPLES / "notebooks" / f"{name}.ipynb"
        text = notebook((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))
        if target.is_file() and target.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if checking:
            print(f"{target} is not up to date; run python tools/notebooks.py")
        else:
            target.parent.mkdir(exist_ok=True)
            target.write_text(text, encoding="utf-8")
            print(f"written: {target}")
    return 1 if checking and stale else 0


if __name__ == "__main__":
    sys.exit(main())
