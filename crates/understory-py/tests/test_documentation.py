"""Examples in docstrings and in the guide run as they stand."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest
import understory

ROOT = Path(__file__).parents[3]
MODULES = ["understory"] + [
    f"understory.{module.name}"
    for module in pkgutil.iter_modules(understory.__path__)
    if module.name != "_native"
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.failed == 0


def test_there_are_examples_at_all() -> None:
    finder = doctest.DocTestFinder()
    count = sum(
        len(test.examples)
        for name in MODULES
        for test in finder.find(importlib.import_module(name))
    )
    assert count > 30


def test_everything_public_is_documented() -> None:
    missing = []
    for name in understory.__all__:
        thing = getattr(understory, name)
        if name.startswith("__") or not (inspect.isclass(thing) or callable(thing)):
            continue
        if not inspect.getdoc(thing):
            missing.append(name)
        if inspect.isclass(thing) and thing.__module__.startswith("understory"):
            for member, value in vars(thing).items():
                documented = isinstance(value, property) or inspect.isfunction(value)
                if not member.startswith("_") and documented and not inspect.getdoc(value):
                    missing.append(f"{name}.{member}")
    assert missing == []


def test_snippets_of_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The snippets of docs/python.md run one after another, as a reader runs them."""
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    snippets = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(snippets) > 8
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for number, snippet in enumerate(snippets):
        if "# not run" in snippet.splitlines()[0]:
            continue
        # The courtyard takes long without optimisation; the room shows the same.
        code = snippet.replace('"courtyard"', '"first-scan"')
        exec(compile(code, f"docs/python.md, snippet {number + 1}", "exec"), names)
