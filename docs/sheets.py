"""Contact sheets: pictures of many pages in one, with their names."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

LINE, GAP = 18, 10  # px
#: What is looked at: how wide a picture is shown, how high at most, and how many stand beside each other.
LARGE = {360: (270, 1600, 7), 768: (380, 1500, 5), 1280: (640, 1500, 3)}
#: What is kept: the same, on one sheet for each world and scheme, the three widths beside each other.
SMALL = {360: (72, 150), 768: (130, 150), 1280: (184, 150)}
ACROSS = 4  # pages beside each other on a small sheet
_PAPER, _INK = "#d8d8d8", "#111111"


def write_large(out: Path, report: dict[str, Any]) -> list[Path]:
    """Write sheets to look at, a few pages on each: ``sheets/WORLD-WIDTH-SCHEME-NUMBER.png``."""
    folder = out / "sheets"
    folder.mkdir(exist_ok=True)
    written = []
    for world in report:
        for source in sorted(path for path in (out / world).iterdir() if path.is_dir()):
            shown, most, columns = LARGE[int(source.name.split("-")[0])]
            pictures = _pictures(source, report[world])
            for number, some in enumerate(_batches(pictures, columns), start=1):
                tiles = [_tile(path, name, shown, most) for name, path in some]
                path = folder / f"{world}-{source.name}-{number:02}.png"
                _beside(tiles, columns, shown).quantize(128).save(path)
                written.append(path)
    return written


def write_small(folder: Path, out: Path, report: dict[str, Any]) -> list[Path]:
    """Write a sheet for each world and scheme: ``contact-sheet-WORLD-SCHEME.webp``."""
    written = []
    for world in report:
        for scheme in ("light", "dark"):
            sources = {width: out / world / f"{width}-{scheme}" for width in SMALL}
            names = [name for name, _ in _pictures(sources[360], report[world])]
            tiles = [_row(name, sources) for name in names]
            if not tiles:
                continue
            path = folder / f"contact-sheet-{world}-{scheme}.webp"
            _beside(tiles, ACROSS, tiles[0].width).save(path, quality=40, method=4)
            written.append(path)
    return written


def _pictures(folder: Path, found: dict[str, Any]) -> list[tuple[str, Path]]:
    from docs.contact_sheet import file_name

    pairs = [(label, folder / f"{file_name(label)}.jpg") for label in found]
    return [(label, path) for label, path in pairs if path.exists()]


def _batches(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _shrunk(path: Path, shown: int, most: int) -> Image.Image:
    """Return a picture of this width; what is below its greatest height is cut off."""
    with Image.open(path) as whole:
        whole.draft("RGB", (2 * shown, 2 * shown))  # by which JPEG is read small at once
        kept = whole.crop((0, 0, whole.width, min(whole.height, round(most * whole.width / shown))))
        return kept.convert("RGB").resize(
            (shown, max(1, round(kept.height * shown / kept.width))), Image.Resampling.LANCZOS
        )


def _tile(path: Path, name: str, shown: int, most: int) -> Image.Image:
    picture = _shrunk(path, shown, most)
    tile = Image.new("RGB", (shown, picture.height + LINE), _PAPER)
    tile.paste(picture, (0, LINE))
    _write(tile, name)
    return tile


def _row(name: str, sources: dict[int, Path]) -> Image.Image:
    """Return the pictures of one page at all widths, beside each other under its name."""
    from docs.contact_sheet import file_name

    width = sum(shown for shown, _ in SMALL.values()) + 4 * (len(SMALL) - 1)
    tile = Image.new("RGB", (width, LINE + max(most for _, most in SMALL.values())), _PAPER)
    left = 0
    for at, (shown, most) in SMALL.items():
        path = sources[at] / f"{file_name(name)}.jpg"
        if path.exists():
            tile.paste(_shrunk(path, shown, most), (left, LINE))
        left += shown + 4
    _write(tile, name)
    return tile


def _write(tile: Image.Image, name: str) -> None:
    ImageDraw.Draw(tile).text((2, 2), name, fill=_INK, font=ImageFont.load_default(12))


def _beside(tiles: Sequence[Image.Image], columns: int, shown: int) -> Image.Image:
    """Return one picture of tiles in rows."""
    rows = list(_batches(tiles, columns))
    heights = [max(tile.height for tile in row) for row in rows]
    size = (columns * (shown + GAP) + GAP, sum(heights) + GAP * (len(rows) + 1))
    sheet = Image.new("RGB", size, _PAPER)
    top = GAP
    for row, height in zip(rows, heights, strict=True):
        for place, tile in enumerate(row):
            sheet.paste(tile, (GAP + place * (shown + GAP), top))
        top += height + GAP
    return sheet
