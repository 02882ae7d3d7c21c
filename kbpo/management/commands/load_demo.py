import time
from argparse import ArgumentParser
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from annotations.models import Corpus
from annotations.texts.inputs import QUALITY
from demo import challenge, letters, reports
from demo.build import build
from demo.systems import SYSTEMS
from evaluation.classification.task import TASK as CLASSIFICATION
from evaluation.generation.task import TASK as GENERATION
from evaluation.models import Epoch, Submission
from evaluation.registry import task_of
from evaluation.scoring import releasing
from evaluation.submissions import standing_for
from kbpo import pipeline
from kbpo.accounts.models import Membership, Team, User
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import Conflict, TryAgain, UsageError

TAG, LETTERS, REPORTS = "demo", "letters", "reports"
PASSWORD = "kbpo-demo"  # noqa: S105  # printed for everybody, on a site of one machine
PEOPLE = (
    ("researcher@demo.example", "Robin Researcher", "submits systems for the team Wren"),
    ("annotator@demo.example", "Alex Annotator", "judges claims"),
    ("worker@demo.example", "Wanda Worker", "finds paid work in the marketplace"),
    (
        "operator@demo.example",
        "Olga Operator",
        "runs corpus and desk, settles what the judges could not",
    ),
)
#: What the demo shows: systems of a released epoch, systems of the open one, and one that waits for judges.
RELEASED, SCORED, WAITING = ("needle", "dragnet", "almanac"), ("abacus", "quorum"), ("abacus-bold",)
#: Of some 138 questions a tenth tells little: one error found at ρ = .05 counts for twenty.
AUDITED = "0.3"
RETIRED = 0.2  # of the exhaustive documents, with the first epoch: they are open to explore
#: The system of the reports that waits for judges; the others are of a released epoch.
UNJUDGED = "scissors"
#: Of the reports: something to compare with, and the run that its team chose.
BASELINE, CHOSEN = "first two", "careful"
#: How the overall mark varies between a system's summaries, and between the judges of one; and how
#: the declared metric goes with it.
PLANNED = "overall=0.22,0.2,0.6"
PATIENCE, LOOK = 120.0, 0.5  # seconds: for a worker that reads and samples a system, and between two looks
LICENCE = "MIT, with the software that it comes with"


class Command(BaseCommand):
    help = "Load the demo: corpus, example systems, simulated crowd and logins. Running it again is harmless."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add ``--without-passwords``."""
        parser.add_argument(
            "--without-passwords",
            action="store_true",
            help="nobody can sign in as the demo's people until they get a password (changepassword):"
            " what a server asks for, on which these would be public",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with_passwords = not options["without_passwords"]
        if with_passwords and not settings.DEVELOPMENT:
            raise UsageError("the demo has public passwords: on a server give --without-passwords")
        self.make_people(with_passwords=with_passwords)
        if not Submission.objects.filter(corpus__tag=TAG, name=WAITING[-1]).exists():
            self.load()
        if not Epoch.objects.filter(corpus__tag=LETTERS, released_at__isnull=False).exists():
            self.load_letters()
        if not Submission.objects.filter(corpus__tag=REPORTS, name=UNJUDGED).exists():
            self.load_reports()
        width = max(len(address) for address, _, _ in PEOPLE)
        for address, _, does in PEOPLE:
            how = f"password {PASSWORD}" if with_passwords else "no password"
            self.stdout.write(f"  {address:{width}}  {how}  {does}")

    @transaction.atomic
    def make_people(self, *, with_passwords: bool) -> None:
        new = []
        for address, name, _ in PEOPLE:
            if User.objects.filter(email=address).exists():
                continue
            user = User.objects.create_user(
                address,
                name=name,
                is_annotator=address.startswith(("annotator", "worker")),
                is_operator=address.startswith("operator"),
                is_staff=address.startswith("operator"),
                is_superuser=address.startswith("operator"),
            )
            user.emailaddress_set.create(email=address, verified=True, primary=True)  # type: ignore[attr-defined]
            new.append(user.pk)
        if new and with_passwords:
            User.objects.filter(pk__in=new).update(password=make_password(PASSWORD))  # hashing takes its time
        wren, _ = Team.objects.get_or_create(name="Wren")
        Membership.objects.get_or_create(team=wren, user=User.objects.get(email=PEOPLE[0][0]))

    def load(self) -> None:
        folder = settings.KBPO_HOME / "demo"
        build(folder)
        call_command(
            "load_corpus",
            str(folder / "corpus.jsonl"),
            *("--corpus", TAG, "--name", "The Marren papers", "--language", "en"),
            *("--audit-share", AUDITED),
            *("--licence", LICENCE),
        )
        # A target that suits small systems: some 100 labels for a lone one, where the default asks for 456.
        Corpus.objects.filter(tag=TAG).update(
            description=(
                "A demo: invented news about an invented country. Its judges are simulated: they know the"
                " right answers, and each gives a wrong one in ten."
            ),
            made=(
                "Written for this demo, by hand: articles, letters and profiles of people and companies that"
                " do not exist. They say much of each other, so that a name stands in many documents."
            ),
            target_half_width=0.064,
        )
        gold = str(folder / "gold.jsonl")
        documents = Corpus.objects.get(tag=TAG).documents.count()
        call_command(
            "load_gold", gold, "--corpus", TAG, "--documents", str(documents * 3 // 4), "--seed", "1"
        )
        corpus = Corpus.objects.get(tag=TAG)
        if not Epoch.objects.filter(corpus=corpus, released_at__isnull=False).exists():
            self.submit(corpus, RELEASED)
            self.judge(TAG, gold)
            self.release(corpus, retire=RETIRED)
        self.submit(corpus, SCORED)
        self.judge(TAG, gold)
        self.submit(corpus, WAITING)
        pipeline.advance()

    def submit(self, corpus: Corpus, names: tuple[str, ...]) -> None:
        for system in SYSTEMS:
            if system.name in names:
                file = settings.KBPO_HOME / "demo" / system.file
                self.submit_file(corpus, system.name, system.team, system.description, file)

    def load_letters(self) -> None:
        """Load the corpus of the other task, whose first epoch is released: its explorer shows labels."""
        folder = settings.KBPO_HOME / "demo"
        folder.mkdir(parents=True, exist_ok=True)
        letters.build(folder)
        call_command(
            "load_corpus",
            str(folder / "letters.jsonl"),
            *("--corpus", LETTERS, "--name", "Letters to the ferry", "--task", CLASSIFICATION.name),
            *("--classes", str(folder / "letters.toml"), "--audit-share", AUDITED),
            *("--licence", LICENCE),
        )
        Corpus.objects.filter(tag=LETTERS).update(
            description=(
                "A demo of classification: what letters to a ferry company are for. Its judges are simulated:"
                " they know the right class, and each gives a wrong one in ten."
            ),
            target_half_width=0.06,
        )
        corpus = Corpus.objects.get(tag=LETTERS)
        for name, (team, description, _) in letters.SYSTEMS.items():
            self.submit_file(corpus, name, team, description, folder / f"letters-{name}.jsonl")
        self.judge(LETTERS, str(folder / "letters-gold.jsonl"))
        self.release(corpus)

    def load_reports(self) -> None:
        """Load the data set of generated text: five systems are judged and released, the sixth waits."""
        folder = settings.KBPO_HOME / "demo"
        folder.mkdir(parents=True, exist_ok=True)
        reports.build(folder)
        call_command(
            "load_corpus",
            str(folder / "reports.jsonl"),
            *("--corpus", REPORTS, "--name", "Reports in two sentences", "--task", GENERATION.name),
            *("--prompt", QUALITY, "--metric", reports.METRICS[0], "--planning", PLANNED),
            *("--licence", LICENCE),
        )
        Corpus.objects.filter(tag=REPORTS).update(
            description=(
                "A demo of generated text: six systems summarise thirty short reports. Its judges are"
                " simulated: they go by rules, and choose another of the three levels one time in ten."
            ),
            made="Written for this demo, by hand: reports from the same country, each with a summary.",
            contact="organisers@demo.example",
            target_half_width=0.11,
        )
        corpus = Corpus.objects.get(tag=REPORTS)
        if not Epoch.objects.filter(corpus=corpus, released_at__isnull=False).exists():
            self.summarise(corpus, [name for name in reports.SYSTEMS if name != UNJUDGED])
            self.judge(REPORTS, str(folder / "reports-gold.jsonl"))
            self.release(corpus)
        self.summarise(corpus, [UNJUDGED])
        pipeline.advance()
        operator = User.objects.get(email=PEOPLE[-1][0])
        baseline, chosen = (corpus.submissions.get(name=name) for name in (BASELINE, CHOSEN))
        standing_for.set_baseline(submission=baseline, user=operator, is_baseline=True)
        standing_for.choose(submission=chosen, user=operator)
        challenge.make(corpus=corpus, by=operator, now=timezone.now())

    def summarise(self, corpus: Corpus, names: Iterable[str]) -> None:
        folder = settings.KBPO_HOME / "demo"
        for name in names:
            team, description, _ = reports.SYSTEMS[name]
            file, metrics = folder / f"reports-{name}.jsonl", folder / f"reports-{name}.tsv"
            self.submit_file(corpus, name, team, description, file, metrics=metrics)

    def submit_file(
        self, corpus: Corpus, name: str, team: str, description: str, file: Path, **attachments: Path
    ) -> None:
        if corpus.submissions.filter(name=name).exists():
            return
        given = {"corpus": corpus.tag, "team": team, "name": name, "description": description}
        call_command("submit", str(file), **given, **attachments, stdout=StringIO())

    def sample(self, tag: str) -> None:
        """Have all that was submitted sampled, by this process or by a worker that runs beside it."""
        deadline = time.monotonic() + PATIENCE
        coming = Submission.objects.filter(
            corpus__tag=tag, state__in=(Submission.State.UPLOADED, Submission.State.ACCEPTED)
        )
        pipeline.advance()
        while coming.exists():
            if time.monotonic() > deadline:
                raise TryAgain(f"{coming.count()} systems of {tag} are not sampled after {PATIENCE:.0f} s")
            time.sleep(LOOK)
            pipeline.advance()

    def release(self, corpus: Corpus, *, retire: float | None = None) -> None:
        """Release the open epoch, once a worker that runs beside this process is through with its scores."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                releasing.release(task=task_of(corpus), corpus=corpus, retire=retire)
                return
            except Conflict:
                if time.monotonic() > deadline:
                    raise
            time.sleep(LOOK)
            pipeline.advance()

    def judge(self, tag: str, gold: str) -> None:
        self.sample(tag)
        call_command("simulate_crowd", "--corpus", tag, "--gold", gold, "--workers", "12", "--error", "0.1")
        pipeline.advance()
