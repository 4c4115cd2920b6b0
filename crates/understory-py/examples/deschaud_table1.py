"""Table I of Deschaud et al. 2012 for one target: tall grass."""

# %% [markdown]
# # Table I of Deschaud et al. (2012), for one target
#
# A standing HDL-64E looks at a target for many revolutions. A fifth of them teaches each model; the
# others judge it, at its training pose and from 1.5 m aside. The figure is the Bhattacharyya
# distance of the histograms of ranges; the floor is what no model can be below.

# %%
import json
import os
from pathlib import Path

import understory

#: Small work for tests.
QUICK = os.environ.get("UNDERSTORY_QUICK") == "1"


def main(
    out: Path = Path("out/deschaud-table1"), quick: bool = QUICK, target: str | None = None
) -> None:
    """Works the rows out and prints them beside the paper's."""
    # %%
    name = target or ("Plane" if quick else "Tall Grass")
    rows = understory.deschaud_table1(name, revolutions=10 if quick else 1000)
    print(f"{name}:")
    print("  model                pose      distance   floor  excess  paper")
    for row in rows:
        paper = "" if row["paper"] is None else f"{row['paper']:.3f}"
        print(
            f"  {row['model']:20s} {row['pose']:9s} {row['distance']:8.3f} {row['floor']:7.3f} "
            f"{row['excess']:+7.3f}  {paper}"
        )

    # %%
    out.mkdir(parents=True, exist_ok=True)
    (out / "table1.json").write_text(json.dumps(rows, indent=2), encoding="utf-8")
    print(f"written to {out / 'table1.json'}")


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/deschaud-table1"))
    parser.add_argument("--quick", action="store_true", default=QUICK)
    parser.add_argument("--target", help="name of a target in the table (Tall Grass)")
    main(**vars(parser.parse_args()))
