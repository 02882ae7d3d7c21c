"""What systems wrote is shown input by input; what people said of it only once that is published."""

import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotations import responses, takedowns
from annotations.models import Corpus, Document, Question
from evaluation.models import Submission
from evaluation.registry import task_of
from evaluation.scoring import leaderboard
from kbpo import pipeline
from kbpo.accounts.models import User
from tests.factories import SubmissionFactory, UserFactory

pytestmark = pytest.mark.django_db

INPUTS = 40
HOSTILE = "<script>alert(1)</script> \u202eevil\u200b word"


@pytest.fixture(autouse=True)
def same_sample(settings: Any) -> None:
    settings.KBPO_EPOCH_SECRET = b"always the same sample"


def write(path: Path, rows: Sequence[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def load(tmp_path: Path, prompt: str = "quality", **options: Any) -> Corpus:
    given: dict[str, Any] = {"references": ["The ferry sails."]}
    if prompt == "answer":
        given |= {
            "question": "When does it sail?",
            "passages": ["It sails at one.", "<b>It</b> does not sail."],
        }
    path = write(tmp_path / "inputs.jsonl", [{"input_id": f"I{n:02}", **given} for n in range(INPUTS)])
    call_command(
        "load_corpus", path, corpus="notes", task="generation", prompt=prompt, verbosity=0, **options
    )
    Corpus.objects.filter(tag="notes").update(texts="public", target_half_width=0.01)
    return Corpus.objects.get(tag="notes")


def text_of(name: str, n: int) -> str:
    return (
        HOSTILE if n == 0 else f"The ferry {n} of {name if n % 2 else 'all'} sails" + " again" * (n % 4) + "."
    )


def submit(tmp_path: Path, name: str) -> Submission:
    rows = [{"input_id": f"I{n:02}", "output": text_of(name, n)} for n in range(INPUTS)]
    path = write(tmp_path / f"outputs.{name}.jsonl", rows)
    call_command("submit", path, corpus="notes", team=name, name=name, stdout=io.StringIO())
    pipeline.advance()
    return Submission.objects.get(name=name)


def judge_quality(question: Question, level: int) -> dict[str, Any]:
    edit = None if level == 1 else question.payload["text"] + " Today."
    return {"fluency": level, "redundancy": 1, "overall": level, "edit": edit}


def judge_answer(question: Question, level: int) -> dict[str, Any]:
    if level < 0:
        return {"plausible": False, "passages": []}
    start, end = question.payload["passages"][0]
    verdicts = [{"verdict": 1, "span": [start, end]}, {"verdict": 0, "span": None}]
    return {"plausible": True, "passages": verdicts}


def judge(people: Sequence[User], how: Any = judge_quality) -> None:
    rng = Random(3)
    for question in Question.objects.filter(state="open").order_by("pk"):
        for worker in rng.sample(list(people), question.votes_needed):
            level = (
                1 - len(question.payload.get("text", "")) % 3 if how is judge_quality else rng.choice([1, -1])
            )
            answer = how(question, level)
            responses.record(question=question, worker=worker, answer=answer, seconds=40.0)
    pipeline.advance()


def crowd() -> list[User]:
    return [UserFactory.create(annotator=True, email=f"secret-{n}@example.org") for n in range(9)]


@pytest.fixture
def released(tmp_path: Path) -> Submission:
    """Two systems whose judgements are published; the first is returned."""
    load(tmp_path)
    system = submit(tmp_path, "one")
    submit(tmp_path, "two")
    judge(crowd())
    call_command("release_epoch", "--corpus", "notes", verbosity=0)
    return system


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, (address, response.content[:500])
    return re.sub(r'(nonce|csrfmiddlewaretoken" value)="[^"]+"', "", response.content.decode())


def of(system: Submission, query: str = "") -> str:
    return f"/corpora/notes/outputs/{system.pk}/{query}"


def shown(text: str) -> list[str]:
    return re.findall(r'id="output-(\d+)"', text)


@pytest.mark.slow
def test_nothing_changes_on_any_page_before_the_release(tmp_path: Path, client: Client) -> None:
    load(tmp_path)
    one, two = submit(tmp_path, "one"), submit(tmp_path, "two")
    addresses = [
        of(one),
        of(one, "?judged=yes"),
        of(one, "?judged=no"),
        of(one, "?order=judged-up"),
        of(one, "?low=-1"),
        of(one, "metric/"),
        f"/corpora/notes/outputs/?a={one.pk}&b={two.pk}&order=judged-a",
    ]
    before = [page(client, address) for address in addresses]
    people = crowd()
    for question in Question.objects.order_by("pk")[:20]:
        responses.record(question=question, worker=people[0], answer=judge_quality(question, 0), seconds=1.0)
    assert [page(client, address) for address in addresses] == before
    assert shown(before[0]) == [str(n) for n in range(1, 16)]
    assert shown(before[1]) == []
    assert "sealed" in before[0].lower()


@pytest.mark.slow
def test_what_is_published_is_shown_without_who_said_it(released: Submission, client: Client) -> None:
    text = page(client, of(released, "?input=I02"))
    assert "1 judgement" in text or "2 judgements" in text
    assert "Person 1" in text
    assert '<ins><span class="visually-hidden" lang="en">added: </span>Today' in text.replace("\n", "")
    assert "secret-" not in page(client, of(released))


@pytest.mark.slow
def test_what_a_system_wrote_does_nothing_and_is_seen(released: Submission, client: Client) -> None:
    for address in (of(released), of(released, "?input=I00"), of(released, "metric/")):
        text = page(client, address)
        assert "<script>alert" not in text
        assert "\u202e" not in text
        assert "\u200b" not in text
    assert "⟨U+202E⟩evil⟨U+200B⟩" in page(client, of(released))


@pytest.mark.slow
def test_outputs_are_filtered(released: Submission, client: Client) -> None:
    found = {
        "?q=ferry+7": ["8"],
        "?input=I03": ["4"],
        "?metric=length&from=9&to=9&input=I03": ["4"],
        "?metric=length&from=100": [],
        "?length=no+word": [],
        "?judged=no": [],
    }
    assert {query: shown(page(client, of(released, query))) for query in found} == found


@pytest.mark.slow
def test_outputs_are_ordered_by_metric_and_by_judgement(released: Submission, client: Client) -> None:
    longest = shown(page(client, of(released, "?metric=length&order=metric-down")))[0]
    assert int(longest) % 4 == 0  # "again" three times
    best = page(client, of(released, "?measure=overall&order=judged-down"))
    worst = page(client, of(released, "?measure=overall&order=judged-up"))
    assert shown(best)[0] != shown(worst)[0]
    over = page(client, of(released, "?metric=length&order=over"))
    under = page(client, of(released, "?metric=length&order=under"))
    assert shown(over)[0] != shown(under)[0]


@pytest.mark.slow
def test_what_is_none_is_refused(released: Submission, client: Client) -> None:
    asked = (
        "metric=nothing",
        "measure=truth",
        "order=random",
        "judged=maybe",
        "from=nan",
        "low=x",
        "length=long",
    )
    for query in asked:
        response = client.get(of(released, f"?{query}"))
        assert response.status_code == 400, query
        assert "Traceback" not in response.content.decode()


@pytest.mark.slow
def test_a_scatter_shows_who_is_overrated_and_leads_to_the_outputs(
    released: Submission, client: Client
) -> None:
    text = page(client, of(released, "metric/?metric=length&measure=overall"))
    assert "have a correlation of" in text
    circles = re.findall(r'<a href="([^"]+)"\s+tabindex="-1">', text)
    counts = [int(one) for one in re.findall(r"<title>(\d+) outputs?</title>", text)]
    assert sum(counts) == INPUTS
    assert len(circles) == len(counts)
    assert "style=" not in text
    for address, number in zip(circles, counts, strict=True):
        found = page(client, address.replace("&amp;", "&"))
        assert f"{number} output{'s' * (number != 1)} of this kind" in found


def judge_by_length(question: Question, level: int) -> dict[str, Any]:
    """Like short texts, and of every fifth input long ones."""
    text = question.payload["text"]
    number = re.search(r"ferry (\d+)", text)
    level = (1, 1, -1, -1)[text.count("again")]
    return judge_quality(question, -level if number and int(number[1]) % 5 == 0 else level)


@pytest.mark.slow
def test_what_a_metric_likes_and_people_do_not_is_judged_worse_than_the_reverse(
    tmp_path: Path, client: Client
) -> None:
    load(tmp_path)
    system = submit(tmp_path, "one")
    judge(crowd(), judge_by_length)
    call_command("release_epoch", "--corpus", "notes", verbosity=0)
    text = page(client, of(system, "metric/?metric=length&measure=overall"))
    liked, _, disliked = text.partition("The metric likes them, people do not</h2>")[2].partition(
        "People like them, the metric does not</h2>"
    )
    below, above = (
        [float(one.replace("−", "-")) for one in re.findall(r"<li>Overall <strong>([−\d.]+)<", part)]
        for part in (liked, disliked)
    )
    assert below
    assert above
    assert max(below) < min(above)
    assert "ferry" in liked
    Corpus.objects.update(texts="operators")
    assert "ferry" not in page(client, of(system, "metric/?metric=length&measure=overall"))


@pytest.mark.slow
def test_two_systems_stand_side_by_side_where_they_differ(released: Submission, client: Client) -> None:
    other = Submission.objects.get(name="two")
    address = f"/corpora/notes/outputs/?a={released.pk}&b={other.pk}"
    text = page(client, address)
    assert f"something else for {INPUTS // 2} of {INPUTS} inputs" in text
    assert "Input I01" in text
    assert "Input I02" not in text
    preferred = page(client, f"{address}&order=judged-a&metric=length")
    assert "Person 1" in preferred
    assert address.replace("&", "&amp;") in page(
        client, f"/corpora/notes/compare/?a={released.pk}&b={other.pk}"
    )
    assert client.get(f"/corpora/notes/outputs/?a={released.pk}&b={released.pk}").status_code == 400


@pytest.mark.slow
def test_of_closed_texts_nothing_is_shown_or_found(released: Submission, client: Client) -> None:
    Corpus.objects.update(texts="operators")
    text = page(client, of(released))
    assert "ferry" not in text
    assert "Today" not in text
    assert shown(text)
    assert client.get(of(released, "?q=ferry")).status_code == 400
    assert client.get(of(released, "?word=when")).status_code == 400


@pytest.mark.slow
def test_of_a_removed_input_nothing_is_shown_but_what_people_said(
    released: Submission, client: Client
) -> None:
    by = UserFactory.create(operator=True)
    document = Document.objects.get(doc_id="I02")
    takedowns.take_down(document=document, reason="Asked for.", by=by, now=timezone.now())
    text = page(client, of(released, "?input=I02"))
    assert "Its input was removed" in text
    assert "ferry 2" not in text
    assert "Person 1" in text
    assert shown(page(client, of(released, "?q=ferry+2"))) == [str(n) for n in range(21, 31)]
    listed = client.get(f"/api/v1/submissions/{released.pk}/predictions/?doc_id=I02").json()["results"]
    assert listed[0]["output"] is None


@pytest.mark.slow
def test_answers_are_shown_with_evidence_in_their_passages(tmp_path: Path, client: Client) -> None:
    load(tmp_path, "answer")
    system = submit(tmp_path, "one")
    judge(crowd(), judge_answer)
    call_command("release_epoch", "--corpus", "notes", verbosity=0)
    text = page(client, of(system, "?measure=any&low=1&order=judged-down"))
    assert 'class="evidence shows-right"' in text
    assert "shows it to be right" in text
    assert "&lt;b&gt;It&lt;/b&gt; does not sail." in text
    assert "When does it sail?" in text
    assert shown(page(client, of(system, "?word=when")))


@pytest.mark.slow
def test_the_board_says_judgements_saved_and_efficiency(released: Submission, client: Client) -> None:
    (row, *_) = leaderboard.rows(released.corpus, task_of(released.corpus).choices)
    assert list(row.counts) == ["judgements", "saved", "efficiency"]
    heads = page(client, "/corpora/notes/").partition("</thead>")[0]
    for heading in ("Judged", "Judgements", "Saved", "DE"):
        assert re.search(rf">\s*{heading}\s*<", heads)
    listed = client.get("/api/v1/corpora/notes/leaderboard/").json()["rows"][0]
    assert listed["counts"].keys() == {"judgements", "saved", "efficiency"}
    scores = client.get(f"/api/v1/submissions/{released.pk}/scores/").json()["scores"][0]
    assert scores["counts"].keys() == {"judgements", "saved", "efficiency"}


@pytest.mark.slow
def test_the_api_lists_outputs_with_metrics_and_published_judgements(
    released: Submission, client: Client
) -> None:
    first = client.get(f"/api/v1/submissions/{released.pk}/predictions/").json()["results"][0]
    assert first["input_id"] == "I00"
    assert first["output"] == HOSTILE
    assert first["metrics"]["length"] > 0
    assert set(first["published"]) >= {"overall", "fluency", "redundancy", "edit", "edit_capped"}


@pytest.mark.slow
def test_a_page_asks_a_fixed_number_of_queries(
    released: Submission, client: Client, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(20):
        client.get(of(released, "?metric=length&order=over&length=5+to+10+words"))
    with django_assert_max_num_queries(32):
        client.get(of(released, "metric/"))
    other = Submission.objects.get(name="two")
    with django_assert_max_num_queries(26):
        client.get(f"/corpora/notes/outputs/?a={released.pk}&b={other.pk}")


def test_there_are_pages_before_a_file_is_read(tmp_path: Path, client: Client) -> None:
    corpus = load(tmp_path)
    one, two = SubmissionFactory.create_batch(2, corpus=corpus, state="judging", is_public=True)
    assert "the file has not been read yet" in page(client, of(one))
    assert "It has no metric" in page(client, of(one, "metric/"))
    both = page(client, f"/corpora/notes/outputs/?a={one.pk}&b={two.pk}")
    assert "There is no input for which both wrote something" in both
