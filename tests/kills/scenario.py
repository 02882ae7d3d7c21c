"""What happens to a corpus, as steps that can each be begun again after a process was killed in it.

Two teams submit seven systems over two epochs. One file has faults that are repaired, one is refused; one
system gets its go-ahead late, one waits for its team's quota, one is withdrawn, one file is deleted. Two
files are checked without being submitted, and one of these is forgotten. Two are written anew. Four documents
are annotated in full. The corpus is a challenge: it has a phase, terms that both teams accept, and news that
go to their members by mail. Somebody is invited; a run is chosen, and a baseline marked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.core.files import File
from django.core.management import call_command
from django.utils import timezone

from annotations import questions
from annotations.challenges import dates, news, versions
from annotations.challenges.dates import PhaseDetails
from annotations.models import Corpus, Document
from crowd.quality import measures
from crowd.simulation import simulated_crowd
from evaluation.kbp.recall import document_phases
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Epoch, FileCheck, Submission, Upload
from evaluation.scoring import releasing
from evaluation.submissions import (
    checks,
    files,
    lifecycle,
    normalised,
    standing_for,
    submitting,
    uploads,
)
from kbpo import pipeline
from kbpo.accounts import teams
from kbpo.accounts.models import Membership, Team, User
from kbpo.core.keeping import trash
from kbpo.core.models import Message
from kbpo_formats.problems import LISTED_PER_CODE
from tests.ontologies import TAC
from tests.world import World

TAG = "small"
DOCUMENTS = 30
CROWD = {"workers": 9, "error": 0.15, "seed": 5}


@dataclass(frozen=True)
class System:
    """A system to submit; `faults` says what is done to its file."""

    name: str
    team: str
    seed: int
    faults: str = ""
    go_ahead: bool = True


FIRST = (
    System("one", "Alpha", 1),
    System("two", "Alpha", 2, faults="repaired"),
    System("three", "Beta", 3, go_ahead=False),
    System("broken", "Beta", 4, faults="refused"),
)
SECOND = (System("four", "Alpha", 5), System("five", "Alpha", 6), System("six", "Beta", 7))
QUOTA = 3

#: What each submission comes to in a run that nothing disturbs.
STATES = {
    "one": "scored",
    "two": "scored",
    "three": "withdrawn",
    "broken": "refused",
    "four": "scored",
    "five": "accepted",
    "six": "scored",
}


def write_files(folder: Path) -> None:
    """Write the corpus, its gold and the systems' files."""
    world = World(DOCUMENTS)
    world.write_corpus(folder / "corpus.jsonl")
    world.write_gold(folder / "gold.jsonl")
    for system in (*FIRST, *SECOND):
        path = world.write_kb(
            folder / f"{system.name}.kb", world.system(recall=0.7, precision=0.6, seed=system.seed)
        )
        lines = path.read_text().splitlines()
        if system.faults == "repaired":
            lines[-1] = lines[-1].removeprefix(":")
        elif system.faults == "refused":
            lines[-1] = lines[-1].replace("\tD0", "\tNOWHERE")
            # More of one code than rows have: the worker keeps a file of all.
            lines += [f":Nobody{number}\ttype\tPER" for number in range(LISTED_PER_CODE + 1)]
        path.write_text("\n".join(lines) + "\n")


def steps(folder: Path) -> Mapping[str, Callable[[], object]]:
    """Return the steps in their order; each can be begun again."""
    return {
        "load": lambda: load(folder),
        "annotate": lambda: annotate(folder),
        "join": join,
        "challenge": challenge,
        "ask of documents": ask_of_documents,
        "mark documents": lambda: judge(folder),
        "advance to pairs": pipeline.advance,
        "judge pairs": lambda: judge(folder),
        "check": lambda: check(folder),
        "submit": lambda: submit(folder, FIRST),
        "advance": pipeline.advance,
        "go ahead": go_ahead,
        "ask": ask,
        "advance again": pipeline.advance,
        "judge": lambda: judge(folder),
        "advance to audits": pipeline.advance,
        "judge audits": lambda: judge(folder),
        "advance to scores": pipeline.advance,
        "release": release,
        "choose": choose,
        "submit more": lambda: submit(folder, SECOND),
        "advance more": pipeline.advance,
        "judge more": lambda: judge(folder),
        "advance to more audits": pipeline.advance,
        "judge more audits": lambda: judge(folder),
        "advance to more scores": pipeline.advance,
        "change minds": change_minds,
        "advance at last": pipeline.advance,
        "tidy": tidy,
    }


def load(folder: Path) -> None:
    # With third votes in rounds of their own, the simulated crowd's commits hang on where it was killed.
    call_command(
        "load_corpus",
        folder / "corpus.jsonl",
        *("--corpus", TAG, "--policy", "fixed"),
        verbosity=0,
    )
    # Of the exhaustive documents a part is drawn now; the others by the pipeline, once these are annotated.
    document_phases.sample_documents(corpus=Corpus.objects.get(tag=TAG), size=15, uniform_share=0.4)
    Corpus.objects.filter(tag=TAG).update(
        target_half_width=0.1, weekly_quota=QUOTA, weekly_quota_of_person=QUOTA, most_votes=4
    )


def annotate(folder: Path) -> None:
    call_command("load_gold", folder / "gold.jsonl", "--corpus", TAG, verbosity=0)


def join() -> None:
    for name in ("Alpha", "Beta"):
        team, _ = Team.objects.get_or_create(name=name)
        address = f"{name.lower()}@example.org"
        user = User.objects.filter(email=address).first() or User.objects.create_user(address)
        Membership.objects.get_or_create(team=team, user=user)


def challenge() -> None:
    """Write terms that teams accept, a phase, of which an end is moved, and news; invite somebody."""
    corpus, by = Corpus.objects.get(tag=TAG), _operator()
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    phase = corpus.phases.first() or dates.add_phase(
        corpus=corpus, by=by, details=PhaseDetails("all of it", begun, most_submissions=9), now=begun
    )
    dates.change_phase(
        phase=phase, by=by, details=PhaseDetails("all of it", begun, most_submissions=8), now=begun
    )
    versions.write_terms(corpus=corpus, text="We are honest.", by=by, now=begun)
    for team in Team.objects.filter(accepted_terms=None).order_by("name"):
        versions.accept(corpus=corpus, version=1, team=team, by=team.members.get(), now=begun)
    if not corpus.news.exists():
        news.publish(corpus=corpus, by=by, title="It begins", now=begun)
    alpha = Team.objects.get(name="Alpha")
    if not alpha.invitations.exists():
        teams.invite(user=alpha.members.get(), team=alpha, email="gamma@example.org")


def choose() -> None:
    one, two = (Submission.objects.get(name=name) for name in ("one", "two"))
    if one.chosen_at is None:
        standing_for.choose(submission=one, user=User.objects.get(email="alpha@example.org"))
    if not two.is_baseline:
        standing_for.set_baseline(submission=two, user=_operator(), is_baseline=True)


def _operator() -> User:
    address = "operator@example.org"
    found = User.objects.filter(email=address).first()
    return found or User.objects.create_user(address, is_operator=True)


def check(folder: Path) -> None:
    user, corpus = User.objects.get(email="alpha@example.org"), Corpus.objects.get(tag=TAG)
    for path in (folder / "broken.kb", folder / "four.kb"):
        upload = Upload.objects.filter(name=path.name).first()
        upload = upload or uploads.create(user=user, name=path.name, size=path.stat().st_size)
        with path.open("rb") as stream:
            if not upload.digest:  # gone on with where it broke off
                stream.seek(upload.offset)
                uploads.append(upload=upload, offset=upload.offset, stream=stream)
        if not FileCheck.objects.filter(upload=upload).exists():
            checks.start(task=KBP, upload=upload, corpus=corpus, format="tac2016")


def submit(folder: Path, systems: tuple[System, ...]) -> None:
    corpus = Corpus.objects.get(tag=TAG)
    for system in systems:
        if Submission.objects.filter(name=system.name).exists():
            continue
        with (folder / f"{system.name}.kb").open("rb") as stream:
            submitting.upload(
                task=KBP,
                user=User.objects.get(email=f"{system.team.lower()}@example.org"),
                team=Team.objects.get(name=system.team),
                corpus=corpus,
                name=system.name,
                file=File(stream),
                go_ahead=system.go_ahead,
            )


def go_ahead() -> None:
    submission = Submission.objects.get(name="three")
    if submission.state == "accepted":
        lifecycle.give_go_ahead(submission=submission, user=User.objects.get(email="beta@example.org"))


def ask() -> None:
    """Have two files written anew; one of them is forgotten in the end, and this with it."""
    user = User.objects.get(email="alpha@example.org")
    normalised.ask(file=Submission.objects.get(name="one"), user=user)
    normalised.ask(file=FileCheck.objects.get(upload__name="four.kb"), user=user)


def ask_of_documents() -> None:
    documents = Document.objects.filter(corpus__tag=TAG).order_by("doc_id").values_list("pk", flat=True)
    questions.ask_entities(list(documents[:4]))


def judge(folder: Path) -> None:
    simulated_crowd.BATCH = 60  # several commits
    simulated_crowd.simulate(
        corpus=Corpus.objects.get(tag=TAG),
        gold=simulated_crowd.read_gold(folder / "gold.jsonl", TAC),
        **CROWD,  # type: ignore[arg-type]
    )


def release() -> None:
    if not Epoch.objects.filter(released_at__isnull=False).exists():
        releasing.release(task=KBP, corpus=Corpus.objects.get(tag=TAG))


def change_minds() -> None:
    three, two = (Submission.objects.get(name=name) for name in ("three", "two"))
    if three.state == "scored":
        lifecycle.withdraw(submission=three, user=User.objects.get(email="beta@example.org"))
    if two.file:
        lifecycle.delete_file(submission=two, user=User.objects.get(email="alpha@example.org"))
    Upload.objects.filter(name="four.kb").update(expires_at=timezone.now())


def tidy() -> None:
    """Do what the service does a day later."""
    trash.ALWAYS = 1_000  # in so small a world that what kills leave is no small share
    files.remove_orphans(now=timezone.now() + 2 * files.YOUNGEST)
    uploads.remove_expired(now=timezone.now())
    measures.measure_work(now=timezone.now() + timedelta(days=1))


def let_leases_run_out() -> None:
    """Have the minutes pass that a mail is left to whoever took it, for a process that is no more."""
    Message.objects.filter(sent_at=None).update(due_at=timezone.now())
