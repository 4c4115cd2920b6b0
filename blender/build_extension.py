"""Puts the extension together: ``blender/understory_blender``, the schema and a wheel → a zip.

    python build_extension.py --wheel understory-…whl --out target/blender
    python build_extension.py --native libunderstory_native.so --out target/blender

With ``--native`` the wheel is made of the sources beside a library that cargo has built: that is what the tests
install. The zip holds the platform of the wheel in its manifest, so Blender refuses it elsewhere.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import re
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "blender" / "understory_blender"
PACKAGE = ROOT / "crates" / "understory-py" / "python" / "understory"

#: Blender's name of the platform by what a wheel's tag begins and ends with.
PLATFORMS = {
    ("linux", "x86_64"): "linux-x64",
    ("manylinux", "x86_64"): "linux-x64",
    ("win", "amd64"): "windows-x64",
    ("win", "arm64"): "windows-arm64",
    ("macosx", "arm64"): "macos-arm64",
    ("macosx", "x86_64"): "macos-x64",
}

#: The time of all entries, so that the same sources give the same bytes.
_TIME = (2025, 1, 1, 0, 0, 0)


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content, compresslevel=1)


def version() -> str:
    """That of the workspace."""
    text = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    return re.search(r'^version = "([^"]+)"', text, re.MULTILINE)[1]


def wheel_of(native: Path, folder: Path) -> Path:
    """A wheel of the package's sources and its native half."""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"cp310-abi3-{platform}"
    path = folder / f"understory-{version()}-{tag}.whl"
    facts = f"understory-{version()}.dist-info"
    files = {
        f"understory/{file.relative_to(PACKAGE).as_posix()}": file.read_bytes()
        for file in sorted(PACKAGE.rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts and file.suffix != ".so"
    }
    ending = ".pyd" if native.suffix == ".dll" else ".abi3.so"
    files[f"understory/_native{ending}"] = native.read_bytes()
    files[f"{facts}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: understory\nVersion: {version()}\nRequires-Python: >=3.10\n".encode()
    )
    files[f"{facts}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: build_extension.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    )
    record = []
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            _add(archive, name, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}")
        record.append(f"{facts}/RECORD,,")
        _add(archive, f"{facts}/RECORD", ("\n".join(record) + "\n").encode())
    return path


def platform_of(wheel: Path) -> str:
    """Blender's name of a wheel's platform."""
    tag = wheel.stem.rpartition("-")[2]
    for (start, end), platform in PLATFORMS.items():
        if tag.startswith(start) and tag.endswith(end):
            return platform
    raise SystemExit(f"{wheel.name}: Blender has no platform for {tag}; build on Linux, Windows or macOS")


def build(wheel: Path, out: Path) -> Path:
    """The zip with a wheel."""
    platform = platform_of(wheel)
    manifest = (SOURCES / "blender_manifest.toml").read_text(encoding="utf-8")
    manifest = re.sub(r'^version = "[^"]+"', f'version = "{version()}"', manifest, flags=re.MULTILINE)
    manifest = re.sub(
        r"^# cargo xtask.*\nwheels = \[\]",
        f'wheels = ["./wheels/{wheel.name}"]\nplatforms = ["{platform}"]',
        manifest,
        flags=re.MULTILINE,
    )
    path = out / f"understory-{version()}-{platform}.zip"
    partial = path.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w") as archive:
        _add(archive, "blender_manifest.toml", manifest.encode())
        for file in sorted(SOURCES.glob("*.py")):
            _add(archive, file.name, file.read_bytes())
        _add(archive, "sensor.schema.json", (ROOT / "schema" / "sensor.schema.json").read_bytes())
        for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
            _add(archive, licence, (ROOT / licence).read_bytes())
        # A wheel is compressed already.
        archive.write(wheel, f"wheels/{wheel.name}", zipfile.ZIP_STORED)
    partial.replace(path)
    return path


def main() -> None:
    """Reads the arguments and prints the path of the zip."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--wheel", type=Path)
    which.add_argument("--native", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "blender")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    wheel = arguments.wheel or wheel_of(arguments.native, arguments.out)
    print(build(wheel, arguments.out))


if __name__ == "__main__":
    main()
