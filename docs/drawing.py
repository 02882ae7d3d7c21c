"""Draw the house as folders and imports: ``make drawing`` writes docs/images/house.svg.

A box is a folder, or loose modules of one folder that stand at one height; its number counts modules.
Everything stands above what it imports. A line that follows from others is left out: who imports what a room
imports is not drawn to reach past it. What is in a circle of imports, where there is no above and below, is
red.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "house.svg"
PACKAGES = (
    "kbpo",
    "annotations",
    "crowd",
    "evaluation",
    "marketplace",
    "kbpo_client",
    "kbpo_estimators",
    "kbpo_formats",
)
FOLDERS = dict.fromkeys(("kbpo_client", "kbpo_estimators", "kbpo_formats"), "client")  # not at the top
LEFT_OUT = {"migrations", "management", "templatetags", "apps", "admin", "urls", "hit_urls", "settings"}

WIDTH, MARGIN, GAP, ROW, LINE, LETTER = 1_240, 16, 12, 46, 15, 6.4

Graph = Mapping[str, set[str]]


@dataclass(frozen=True)
class Box:
    """What is drawn as one: its heading, the names in it, how many modules they are."""

    heading: str
    names: tuple[str, ...]
    modules: int
    in_circle: bool

    @property
    def lines(self) -> list[str]:
        """The words in the box, a line each."""
        if not self.names:
            return [f"{self.heading} {self.modules}"]
        lines, line = [f"{self.heading}:"], ""
        for name in self.names:
            if len(line) + len(name) > 28 and line:
                lines.append(line + ",")
                line = ""
            line += f", {name}" if line else name
        return [*lines, line]

    @property
    def width(self) -> float:
        """In units of the picture."""
        return max(map(len, self.lines)) * LETTER + 16

    @property
    def height(self) -> float:
        """In units of the picture."""
        return len(self.lines) * LINE + 10


def read_rooms(root: Path) -> tuple[dict[str, int], dict[str, set[str]]]:
    """Return how many modules each room of a tree has, and the rooms that it imports.

    A room is a folder right below a package, with all that is in it, or a module of the package's own.
    """
    modules = {
        ".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__"): path
        for package in PACKAGES
        for base in [root / FOLDERS.get(package, "")]
        for path in sorted((base / package).rglob("*.py"))
        if not LEFT_OUT & set(path.relative_to(base).with_suffix("").parts)
    }
    rooms = {module: ".".join(module.split(".")[:2]) for module in modules}
    sizes: dict[str, int] = defaultdict(int)
    imports: dict[str, set[str]] = defaultdict(set)
    for module, path in modules.items():
        if path.name == "__init__.py" and module in PACKAGES:
            continue
        sizes[rooms[module]] += path.name != "__init__.py"
        for name in _imported(path):
            target = next((one for one in (name, name.rpartition(".")[0]) if one in rooms), None)
            if target and target not in PACKAGES and rooms[target] != rooms[module]:
                imports[rooms[module]].add(rooms[target])
    return dict(sizes), {room: imports[room] for room in sizes}


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name


def find_circles(graph: Graph) -> dict[str, frozenset[str]]:
    """Return for each room all that reach it and that it reaches, itself among them."""
    below = {room: reachable(graph, room) for room in graph}
    return {room: frozenset({room, *(one for one in below[room] if room in below[one])}) for room in graph}


def reachable(graph: Graph, room: str) -> set[str]:
    """Return the rooms that a room imports, directly or not."""
    found: set[str] = set()
    todo = list(graph[room])
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo += graph[one]
    return found


def heights(graph: Graph, circles: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """Return at which height each room stands: one above the highest that it imports; 0 for none."""
    known: dict[frozenset[str], int] = {}

    def height(circle: frozenset[str]) -> int:
        if circle not in known:
            outside = {circles[one] for room in circle for one in graph[room]} - {circle}
            known[circle] = max((height(one) + 1 for one in outside), default=0)
        return known[circle]

    return {room: height(circles[room]) for room in graph}


def put_in_boxes(
    sizes: Mapping[str, int],
    height: Mapping[str, int],
    circles: Mapping[str, frozenset[str]],
    folders: set[str],
) -> dict[Box, list[str]]:
    """Group rooms: each folder by itself, modules of one package and height together."""
    groups: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for room in sorted(sizes):
        package = room.split(".")[0]
        alone = room in folders
        groups[(room,) if alone else (package, height[room], len(circles[room]) > 1)].append(room)
    boxes = {}
    for rooms in groups.values():
        package, _, name = rooms[0].partition(".")
        alone = rooms[0] in folders
        box = Box(
            f"{package}/{name}" if alone else package,
            () if alone else tuple(room.partition(".")[2] for room in rooms),
            sum(sizes[room] for room in rooms),
            any(len(circles[room]) > 1 for room in rooms),
        )
        boxes[box] = rooms
    return boxes


def draw(root: Path = ROOT) -> str:
    """Return the drawing of a tree as SVG."""
    sizes, graph = read_rooms(root)
    circles = find_circles(graph)
    height = heights(graph, circles)
    folders = {
        room
        for room in sizes
        if (root / FOLDERS.get(room.split(".")[0], "") / room.replace(".", "/")).is_dir()
    }
    boxes = put_in_boxes(sizes, height, circles, folders)
    box_of = {room: box for box, rooms in boxes.items() for room in rooms}
    rows: dict[int, list[Box]] = defaultdict(list)
    for box, rooms in boxes.items():
        rows[height[rooms[0]]].append(box)
    places: dict[Box, tuple[float, float]] = {}
    y: float = MARGIN
    for level in sorted(rows, reverse=True):
        for line in _in_lines(sorted(rows[level], key=lambda box: box.heading)):
            x = (WIDTH - sum(box.width + GAP for box in line) + GAP) / 2
            for box in line:
                places[box] = x, y
                x += box.width + GAP
            y += max(box.height for box in line) + GAP
        y += ROW - GAP
    arrows = _arrows(
        {box: {box_of[one] for room in rooms for one in graph[room]} - {box} for box, rooms in boxes.items()}
    )
    return _svg(places, arrows, y - ROW + MARGIN)


def _in_lines(boxes: Iterable[Box]) -> Iterator[list[Box]]:
    line: list[Box] = []
    for box in boxes:
        if line and sum(one.width + GAP for one in line) + box.width > WIDTH - 2 * MARGIN:
            yield line
            line = []
        line.append(box)
    yield line


def _arrows(graph: Mapping[Box, set[Box]]) -> list[tuple[Box, Box]]:
    """List the imports that do not follow from others."""
    below: dict[Box, set[Box]] = {}
    for box in graph:
        found, todo = set(), list(graph[box])
        while todo:
            one = todo.pop()
            if one not in found:
                found.add(one)
                todo += graph[one]
        below[box] = found
    return [
        (box, target)
        for box, targets in graph.items()
        for target in targets
        if not any(target in below[other] for other in targets - {target} if box not in below[other])
    ]


def _svg(places: Mapping[Box, tuple[float, float]], arrows: Iterable[tuple[Box, Box]], height: float) -> str:
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height:.0f}" fill="#fff"/>',
    ]
    for box, target in sorted(
        arrows, key=lambda one: (one[0].heading, one[0].names, one[1].heading, one[1].names)
    ):
        (x1, y1), (x2, y2) = places[box], places[target]
        red = box.in_circle and target.in_circle
        start, end = (x1 + box.width / 2, y1 + box.height), (x2 + target.width / 2, y2)
        if y2 <= y1:
            start, end = (start[0], y1 + box.height / 2), (end[0], y2 + target.height / 2)
        bend = (start[1] + end[1]) / 2
        colour = "#c0392b" if red else "#9aa5b1"
        parts.append(
            f'<path d="M{start[0]:.0f} {start[1]:.0f}C{start[0]:.0f} {bend:.0f} {end[0]:.0f} {bend:.0f} '
            f'{end[0]:.0f} {end[1]:.0f}" fill="none" stroke="{colour}"/>'
        )
    for box, (x, y) in sorted(places.items(), key=lambda one: (one[1][1], one[1][0])):
        stroke, fill = ("#c0392b", "#fdecea") if box.in_circle else ("#52606d", "#f5f7fa")
        parts.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{box.width:.0f}" height="{box.height:.0f}" rx="4" '
            f'fill="{fill}" stroke="{stroke}"/>'
        )
        for number, line in enumerate(box.lines):
            weight = ' font-weight="bold"' if number == 0 else ""
            parts.append(
                f'<text x="{x + 8:.0f}" y="{y + 17 + number * LINE:.0f}"{weight} fill="#1f2933">'
                f"{escape(line)}</text>"
            )
    return "\n".join([*parts, "</svg>\n"])


if __name__ == "__main__":
    PICTURE.write_text(draw(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT), encoding="utf-8")
