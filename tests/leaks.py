"""What everybody can read of a corpus' released epoch, and what of that nobody should."""

import base64
import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from django.test import Client
from django.utils import timezone

from evaluation.models import (
    ArchiveKey,
    DocumentSample,
    Edition,
    Epoch,
    ScoreRecord,
    Submission,
)
from kbpo.accounts.models import User

HIDDEN, WITHDRAWN, VEILED = "Zanzibar the hidden", "Zanzibar the withdrawn", "Zanzibar the anonymous"
LABORATORY, SOCIETY = "Zanzibar laboratory", "Zanzibar society"


def veil(system: str) -> None:
    """Make a system anonymous for a month."""
    until = timezone.now() + timedelta(days=30)
    Submission.objects.filter(name=system).update(anonymous_until=until, alias=1, alias_run=1)


def read_archive(archive: Edition) -> dict[str, bytes]:
    """Return the files of an archive, by what they are."""
    with zipfile.ZipFile(archive.open()) as files:
        return {f"archive {name}": files.read(name) for name in files.namelist()}


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the files of training data, by what they are."""
    files = (one for one in folder.rglob("*") if one.is_file())
    return {f"training {one.name} {one.parent.name}": one.read_bytes() for one in files}


def read_addresses(client: Client, tag: str, systems: Sequence[int]) -> dict[str, bytes]:
    """Return what whoever is not signed in reads of a corpus and some of its systems, by address.

    Pages, files and API: board, data, snapshots, the comparison of the first two systems, and of each system
    its page, its history, and its scores as they were when they changed last.
    """
    corpus, api = f"/corpora/{tag}/", f"/api/v1/corpora/{tag}/"
    kept = Edition.objects.filter(epoch__corpus__tag=tag, kind=Edition.Kind.LEADERBOARD)
    changes = [ScoreRecord.objects.filter(submission=pk).latest("change") for pk in systems]
    assert kept
    numbers = [one.number for one in kept]
    found = {}
    for address in (
        *(
            corpus,
            f"{corpus}snapshots/",
            f"{corpus}data/",
            f"{api}snapshots/",
            f"{api}data/",
            f"{api}leaderboard/",
        ),
        f"{corpus}compare/?a={systems[0]}&b={systems[1]}",
        *(f"{corpus}snapshots/{number}{end}" for number in numbers for end in ("/", ".csv")),
        *(f"{api}snapshots/{number}/" for number in numbers),
        *(f"/submissions/{pk}/{name}" for pk in systems for name in ("", "history.csv", "history.json")),
        *(f"/api/v1/submissions/{pk}/history/" for pk in systems),
        *(f"/submissions/{one.submission_id}/scores/{one.change}/" for one in changes),
    ):
        answer = client.get(address)
        assert answer.status_code == 200, address
        found[address] = b"".join(answer)
    for one in kept:
        found |= {f"/{one.number} {name}": content for name, content in read_archive(one).items()}
    return found


def planted() -> Mapping[str, set[str]]:
    """Return what nobody may read whatever the task, by what it is."""
    return {
        "people": set(User.objects.values_list("email", flat=True)),
        "names": {HIDDEN, WITHDRAWN, VEILED, LABORATORY, SOCIETY},
        "keys": {
            *Epoch.objects.filter(released_at=None).values_list("secret", flat=True),
            *DocumentSample.objects.values_list("secret", flat=True),
            *ArchiveKey.objects.values_list("key", flat=True),
        },
    }


def forms(text: str) -> set[str]:
    """Return a text as it may stand somewhere: itself, in JSON, in base 64, and its digest."""
    data = text.encode()
    return {
        text,
        json.dumps(text)[1:-1],
        base64.b64encode(data).decode().rstrip("=")[:-1],
        hashlib.sha256(data).hexdigest(),
    }


def leaks(told: Mapping[str, bytes], sealed: Mapping[str, set[str]]) -> Iterator[tuple[str, str, str]]:
    """Yield what is told and should not be: what it is, the text, and where it stands."""
    contents = {where: data.decode() for where, data in told.items()}
    for what, texts in sealed.items():
        assert texts, what
        for text in texts:
            every = forms(text)
            for where, content in contents.items():
                if any(form in content for form in every):
                    yield what, text, where
