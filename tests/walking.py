"""Pages that are carried out: their commands are run, and what these print is written back.

A page has blocks of two kinds, by what stands behind their three backticks:

``console``
    Commands of a shell, each after ``$``, and what they print. Lines that begin with ``>`` go on.
``python``
    A cell; a block of ``text`` behind it has what it prints. All cells together are a script.

A word behind that says who else does it: ``operator``, where the service runs; ``mail``, whoever reads
it, which sets LINK; ``token``, whoever made one in a browser, which sets TOKEN, or KBPO_TOKEN in a cell.
"""

import os
import re
import selectors
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import kbpo_client

SITE = "http://localhost:8000"  # as the pages have it
LOOK = 0.2  # seconds between looks at what else is to be done
SHOWN = 20  # lines of what a command prints
LONGEST = 160  # characters of such a line
_BLOCK = re.compile(
    r"^```(\w+)( \w+)?\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?(?:\n\*[\d.]+ s\*\n)?", re.DOTALL | re.MULTILINE
)
_TOTAL = re.compile(r"^\*Walked .*\*$", re.MULTILINE)
_ENDED = "what was asked ended with status"
_CELLS = f"""
import ast, sys, traceback
space = {{"__name__": "__main__"}}
while size := sys.stdin.readline():
    status = 0
    try:
        tree = ast.parse(sys.stdin.read(int(size)))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), space)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), space) if last else None
        if value is not None:
            print(value)
    except BaseException:
        status = 1
        traceback.print_exc(file=sys.stdout)
    print("{_ENDED}", status, flush=True)
"""


class Service(Protocol):
    """What is done on the service's side, where it runs."""

    def operate(self, words: list[str]) -> str:
        """Carry out a command of its operators; return what it prints."""

    def link(self) -> str:
        """Return the address in the newest mail."""

    def token(self) -> str:
        """Return a token of somebody in the team Wren."""

    def work(self) -> None:
        """Do what is due, if nobody else does."""


@dataclass(frozen=True)
class Block:
    """A block of a page.

    Attributes
    ----------
    kind : str
        ``console`` or ``python``; all others are left alone.
    role : str
        ``operator``, ``mail``, or empty.
    commands : tuple of str
        A cell is one.
    start, end : int
        Where it stands on the page, with what came of it.
    """

    kind: str
    role: str
    commands: tuple[str, ...]
    start: int
    end: int


@dataclass
class Walked:
    """What came of a page: its text with what was printed, and the times."""

    page: str
    seconds: float = 0.0


class Failed(Exception):
    """A command of a page failed."""


def blocks(page: str) -> Iterator[Block]:
    """Yield what a page has done, in order."""
    for found in _BLOCK.finditer(page):
        kind, role, body = found[1], (found[2] or "").strip(), found[3]
        if kind == "python":
            yield Block(kind, role, (body,), found.start(), found.end())
        elif kind == "console":
            commands = re.findall(r"^\$ (.*(?:\n> .*)*)$", body, re.MULTILINE)
            joined = tuple(command.replace("\n> ", "\n") for command in commands)
            yield Block(kind, role, joined, found.start(), found.end())


def script(page: str) -> str:
    """Return the cells of a page as a script."""
    title = page.partition("\n")[0].removeprefix("# ")
    cells = []
    for block in blocks(page):
        if block.kind == "python":
            cells.append(block.commands[0].rstrip())
        elif block.role == "operator":
            cells.append("\n".join(f"# Where the service runs: {command}" for command in block.commands))
    return f'"""{title}."""\n\n' + "\n\n".join(f"# %%\n{cell}" for cell in cells) + "\n"


def walk(page: str, *, site: str, service: Service, folder: Path, where: str = "") -> Walked:
    """Carry out a page.

    Parameters
    ----------
    page : str
    site : str
        Stands for `SITE`.
    service : Service
    folder : Path
        In which its commands run.
    where : str
        What is said of the machine, beside the times.

    Raises
    ------
    Failed
        If a command does.
    """
    done = Walked("")
    at = 0
    sessions: dict[str, Session] = {}
    try:
        for block in blocks(page):
            if block.kind not in sessions:
                sessions[block.kind] = Session(block.kind, folder, service.work)
            session = sessions[block.kind]
            began = time.monotonic()
            printed = []
            for command in block.commands:
                meant = command.replace(SITE, site)
                if block.role == "operator":
                    output = service.operate(shlex.split(meant))
                elif block.role == "mail":
                    output = session.run(f"LINK={shlex.quote(service.link())}")
                elif block.role == "token":
                    output = session.run(_with_token(block, meant, service.token()))
                else:
                    output = session.run(meant)
                printed.append(output)
            seconds = time.monotonic() - began
            done.seconds += seconds
            shown = [_shown(output.replace(site, SITE), folder) for output in printed]
            done.page += page[at : block.start] + _written(block, shown, seconds)
            at = block.end
    finally:
        for session in sessions.values():
            session.close()
    done.page += page[at:]
    against = ", ".join(filter(None, ["the demo", where]))
    words = f"*Walked on {time.strftime('%Y-%m-%d')} against {against}: {done.seconds:.0f} s in all.*"
    done.page = _TOTAL.sub(words, done.page)
    return done


def _with_token(block: Block, command: str, token: str) -> str:
    if block.kind == "console":
        return f"TOKEN={shlex.quote(token)}"
    return f"import os\n\nos.environ['KBPO_TOKEN'] = {token!r}\n{command}"


def _written(block: Block, shown: list[str], seconds: float) -> str:
    role = f" {block.role}" if block.role else ""
    took = f"\n*{seconds:.1f} s*\n"
    if block.kind == "python":
        printed = f"\n```text\n{shown[0]}```\n" if shown[0] else ""
        return f"```python{role}\n{block.commands[0]}```\n{printed}{took}"
    pairs = zip(block.commands, shown, strict=True)
    lines = "".join("$ " + command.replace("\n", "\n> ") + f"\n{output}" for command, output in pairs)
    return f"```console{role}\n{lines}```\n{took}"


def _shown(output: str, folder: Path) -> str:
    """Shorten what was printed; secrets and folders of one walk are not shown."""
    text = re.sub(r"kbpo_[\w-]{20,}", "kbpo_…", output.replace(str(folder), ".")).lstrip("\n")
    lines = [line if len(line) <= LONGEST else line[: LONGEST - 1] + "…" for line in text.splitlines()]
    if len(lines) > SHOWN:
        lines = [*lines[: SHOWN - 2], f"… {len(lines) - SHOWN + 1} more lines", lines[-1]]
    return "".join(f"{line.rstrip()}\n" for line in lines)


class Session:
    """A shell, or Python, that keeps its variables from one command to the next.

    Parameters
    ----------
    kind : {"console", "python"}
    folder : Path
        In which it runs.
    work : callable
        Called again and again while a command runs.
    """

    def __init__(self, kind: str, folder: Path, work: Callable[[], None]) -> None:
        self.kind, self.work = kind, work
        bins = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        kept = {name: os.environ[name] for name in ("LANG",) if name in os.environ}
        client = str(Path(kbpo_client.__file__).resolve().parents[1])  # of this checkout, wherever it runs
        words = (
            ["bash", "--noprofile", "--norc"] if kind == "console" else [sys.executable, "-u", "-c", _CELLS]
        )
        self.process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**kept, "PATH": bins, "HOME": str(folder), "PYTHONPATH": client},
        )
        if kind == "console":
            self.run('kbpo() { python -m kbpo_client "$@"; }')  # a checkout has no such command

    def run(self, command: str) -> str:
        """Carry out a command; return what it prints.

        Raises
        ------
        Failed
            If it fails.
        """
        assert self.process.stdin is not None
        code = command.encode()
        if self.kind == "console":
            sent = code + f"\nprintf '\\n{_ENDED} %d\\n' $?\n".encode()
        else:
            sent = f"{len(command)}\n".encode() + code
        self.process.stdin.write(sent)
        self.process.stdin.flush()
        output, status = self._read()
        if status:
            raise Failed(f"{command}\n{output}")
        return output

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def _read(self) -> tuple[str, int]:
        assert self.process.stdout is not None
        ended = re.compile(rf"\n?{_ENDED} (\d+)\n\Z".encode())
        found = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(LOOK):
                    self.work()
                    continue
                piece = os.read(self.process.stdout.fileno(), 1 << 16)
                found += piece
                end = ended.search(found)
                if end or not piece:
                    output = found[: end.start()] if end else found
                    text = output.decode("utf-8", "replace")
                    return text + "\n" * bool(text and not text.endswith("\n")), int(end[1]) if end else 1


def find_link(mail: str) -> str:
    """Return the address in a mail that confirms another; empty where there is none."""
    found = re.search(r"https?://\S+/accounts/confirm-email/\S+", mail)
    return found[0] if found else ""
