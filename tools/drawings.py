"""The drawings of the book, as SVG: python3 tools/drawings.py writes docs/images/drawings.

Each drawing is a function that returns the elements of a picture. Curves are computed by the same
formulas as in the text beside them; colours work on light and on dark paper.
"""

import math
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images" / "drawings"
INK, GREEN, BLUE, RED, FAINT = "#5b6670", "#2f8f4e", "#2b6cb0", "#c0392b", "#b8c2ca"


def line(x1, y1, x2, y2, colour=INK, width=1.5, dash="", arrow=False):
    end = ' marker-end="url(#arrow)"' if arrow else ""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{colour}" stroke-width="{width}"{dashes}{end}/>')


def text(x, y, words, size=13, anchor="middle", colour=INK, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{colour}" font-weight="{weight}">{words}</text>')


def box(x, y, width, height, words, below="", colour=BLUE):
    found = [f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="7" fill="{colour}" '
             f'fill-opacity="0.12" stroke="{colour}"/>',
             text(x + width / 2, y + height / 2 + (0 if below else 5), words, 14, weight="bold")]
    if below:
        found.append(text(x + width / 2, y + height / 2 + 17, below, 11))
    return "".join(found)


def curve(points, colour=BLUE, width=2.0, fill="none", opacity=1.0):
    path = " ".join(f"{'M' if i == 0 else 'L'}{x:.1f},{y:.1f}" for i, (x, y) in enumerate(points))
    return (f'<path d="{path}" stroke="{colour}" stroke-width="{width}" fill="{fill}" '
            f'fill-opacity="{opacity}"/>')


def dot(x, y, radius=4.0, colour=GREEN, opacity=1.0):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}" fill-opacity="{opacity:.2f}"/>'


def pulse_path():
    """The steps of one pulse, in the order of the code."""
    steps = [("platform", "time → pose"), ("pattern", "direction, time"), ("beam", "sub-rays"),
             ("world", "what they meet"), ("air", "less light, fog"), ("signal", "light that returns"),
             ("detection", "returns"), ("error", "measured ranges"), ("record", "one row each")]
    found = []
    for index, (name, what) in enumerate(steps):
        row, column = divmod(index, 5)
        x, y = 10 + column * 148, 20 + row * 110
        colour = GREEN if name in ("world", "air") else BLUE
        found.append(box(x, y, 122, 58, name, what, colour))
        if column < 4 and index + 1 < len(steps):
            found.append(line(x + 124, y + 29, x + 143, y + 29, arrow=True))
    found.append(line(663, 80, 663, 104) + line(663, 104, 71, 104) + line(71, 104, 71, 126, arrow=True))
    found.append(text(680, 160, "truth goes beside", 12, "middle") + text(680, 176, "every measurement", 12))
    return 760, 200, found


def footprint():
    """Nine sub-rays over a footprint, and a blade that some of them meet."""
    found = [line(40, 130, 640, 62, FAINT), line(40, 130, 640, 198, FAINT), dot(40, 130, 6, INK)]
    found.append(text(40, 158, "sensor"))
    for k in range(3):
        offset = (k - 1) * 48
        blade = k == 0
        end = 430 if blade else 640
        y = 130 + offset * (end - 40) / 600
        found.append(line(40, 130, end, y, GREEN if blade else BLUE, 1.8))
        found.append(dot(end, y, 4, GREEN if blade else BLUE))
    found.append(curve([(425, 30), (432, 112)], GREEN, 6))
    found.append(line(640, 20, 640, 240, INK, 5))
    found.append(text(425, 22, "a blade of grass", 13, "middle", GREEN))
    found.append(text(655, 134, "a wall", 13, "start"))
    found.append(text(250, 214, "footprint = divergence × range", 13))
    found.append(text(330, 246, "each sub-ray carries its share of the light; both surfaces return some", 12))
    return 760, 260, found


def windows():
    """The same echo as windows of hits, and as a waveform."""
    found = [line(50, 190, 720, 190, INK, 1.5, arrow=True), text(700, 210, "range")]
    blade, wall = 250.0, 520.0
    for x, share, colour in [(blade, 0.33, GREEN), (wall, 0.67, BLUE)]:
        found.append(f'<rect x="{x - 45}" y="{190 - 140 * share:.1f}" width="90" height="{140 * share:.1f}" '
                     f'fill="{colour}" fill-opacity="0.15" stroke="{colour}" stroke-dasharray="4 3"/>')
        found.append(text(x, 208, "window", 11, colour=colour))

    def light(x):
        return sum(a * math.exp(-((x - m) / 22.0) ** 2 / 2) for m, a in [(blade, 0.33), (wall, 0.67)])

    found.append(curve([(x, 190 - 140 * light(x)) for x in range(60, 700, 2)], RED))
    found.append(line(60, 190 - 140 * 0.12, 700, 190 - 140 * 0.12, INK, 1, "5 4"))
    found.append(text(150, 166, "threshold", 11, colour=INK))
    found.append(text(blade, 128, "first", 13, colour=GREEN) + text(wall, 82, "strongest, last", 13, colour=BLUE))
    found.append(text(380, 30, "hits nearer together than the cutoff are one window; or the waveform (red) crosses a threshold", 12))
    return 760, 230, found


def volume():
    """A Gaussian volume, rays at several distances from its middle, and what passes."""
    found = []
    for k in range(6, 0, -1):
        found.append(f'<ellipse cx="230" cy="130" rx="{24 * k}" ry="{15 * k}" fill="{GREEN}" fill-opacity="0.09"/>')
    depth = 1.2
    for k, offset in enumerate([0.0, 1.0, 2.0, 3.0]):
        y = 130 - offset * 30
        passes = math.exp(-depth * math.exp(-offset ** 2 / 2))
        found.append(line(40, y, 230, y, BLUE, 2.4))
        found.append(line(230, y, 430, y, BLUE, 0.4 + 2.0 * passes, arrow=True))
        found.append(text(436, y + 4, f"d = {k}:  {100 * passes:.0f} % pass", 12, "start"))
    found.append(text(230, 250, "a volume: mean, covariance, optical depth", 13))
    found.append(text(655, 60, "passes = exp(−c · k(d))", 13) + text(655, 82, "k(d) = exp(−d²/2)", 13))
    found.append(text(655, 112, "d: Mahalanobis distance", 12) + text(655, 128, "of the ray's line", 12))
    found.append(text(655, 152, f"c = {depth} here", 12))
    return 760, 270, found


def frames():
    """World, platform and sensor."""
    found = []
    places = [(90, 210, 0.0, "world", "z up, metres, f64"), (350, 160, -12.0, "platform", "x ahead, y left, z up"),
              (560, 90, -12.0, "sensor", "x ahead, y left, z up")]
    for x, y, turn, name, what in places:
        angle = math.radians(turn)
        dx, dy = 52 * math.cos(angle), 52 * math.sin(angle)
        found.append(line(x, y, x + dx, y + dy, RED, 2.5, arrow=True) + text(x + dx + 12, y + dy + 4, "x", 12, colour=RED))
        found.append(line(x, y, x + dy, y - dx, BLUE, 2.5, arrow=True) + text(x + dy, y - dx - 10, "z", 12, colour=BLUE))
        found.append(line(x, y, x - 26, y - 20, GREEN, 2.5, arrow=True) + text(x - 36, y - 22, "y", 12, colour=GREEN))
        found.append(text(x + 10, y + 24, name, 14, weight="bold") + text(x + 10, y + 41, what, 11))
    found.append(line(150, 190, 335, 160, FAINT, 1.5, "5 4", True) + text(235, 164, "world_from_platform", 12))
    found.append(line(400, 136, 545, 94, FAINT, 1.5, "5 4", True) + text(462, 92, "platform_from_sensor", 12))
    return 760, 270, found


def house():
    """Crates: each uses only what stands below it."""
    rows = [("front ends", ["understory-cli", "understory-py", "understory-studio"]),
            ("around it", ["understory-papers", "understory-drive", "understory-view", "understory-live"]),
            ("the simulator", ["understory: scenario · run · sensor · pulse · world"]),
            ("what it knows", ["understory-learn", "understory-plants", "understory-compare"]),
            ("ground", ["understory-cloud", "understory-files", "understory-geometry", "understory-base"])]
    found = []
    for index, (room, crates) in enumerate(rows):
        y = 10 + index * 62
        found.append(text(120, y + 29, room, 13, "end", weight="bold"))
        width = (622 - 8 * (len(crates) - 1)) / len(crates)
        for k, crate in enumerate(crates):
            found.append(box(130 + k * (width + 8), y, width, 48, "", "", GREEN if index == 2 else BLUE))
            found.append(text(130 + k * (width + 8) + width / 2, y + 29, crate, 12))
    return 760, 322, found


DRAWINGS = {"pulse": pulse_path, "footprint": footprint, "windows": windows, "volume": volume,
            "frames": frames, "house": house}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, draw in DRAWINGS.items():
        width, height, elements = draw()
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                f'height="{height}" font-family="sans-serif"><title>{draw.__doc__}</title>'
                f'<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
                f'orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="{INK}"/></marker></defs>')
        (FOLDER / f"{name}.svg").write_text(head + "\n" + "\n".join(elements) + "\n</svg>\n")


if __name__ == "__main__":
    main()
