"""Names of kinds and tasks stand in their own rooms; who else says one, or imports what is theirs, is listed.

`test_kinds` and `test_tasks` find code that tells them apart, as far as a comparison can be seen. Here it is
the other way round: a name, or a class of one kind, that is nowhere else can be compared with nothing. The
lists below are exact: a line that is needed no more fails as one that is missing does.
"""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from annotations.kinds.registry import KINDS
from crowd.interfaces.registry import INTERFACES
from evaluation.registry import TASKS
from tests.conftest import ROOT

SOURCES = ("annotations", "client/kbpo_estimators", "crowd", "evaluation", "kbpo", "marketplace", "demo")
NAMES = {*KINDS, *INTERFACES, *TASKS}
#: Where kinds and tasks are by right; what is played with knowledge bases is about these alone.
OWN = (
    *("annotations/kinds/", "annotations/models/kind_names.py", "crowd/interfaces/", "crowd/pages/"),
    "evaluation/experiments/adversary/",
)

#: Where such a word is said, and why that is none of its business.
SAID = {
    "annotations/checking.py": {"canonical"},  # a field of an annotated mention
    "annotations/models/corpus.py": {"kbp"},  # the task of a corpus that names none
    "annotations/models/input.py": {"quality"},  # what is asked of outputs
    "annotations/models/statistics.py": {"canonical"},  # what of an annotated document agreement is about
    "annotations/texts/inputs.py": {"quality"},  # what is asked of outputs
    "annotations/texts/records.py": {"canonical"},  # a field of an annotation in a file
    "demo/systems/almanac.py": {"canonical"},  # the same
    "demo/systems/writer.py": {"canonical"},  # the same
    "evaluation/classification/task.py": {"classification"},  # its name
    "client/kbpo_estimators/kbp/labels.py": {"relation"},  # a part of a score
    "client/kbpo_estimators/weighted_recall.py": {"relation"},  # a weighting
    "client/kbpo_estimators/weighting.py": {"relation"},  # a weighting
    "evaluation/estimators/weighting.py": {"relation"},  # a weighting
    "evaluation/experiments/arrivals.py": {"relation"},  # a weighting
    "evaluation/experiments/audited_samples.py": {"relation"},  # a part of a score
    "evaluation/experiments/designs.py": {"relation"},  # a part of a score
    "evaluation/experiments/ranks.py": {"relation"},  # a part of a score
    "evaluation/experiments/__main__.py": {"generation"},  # the name of an experiment
    "evaluation/generation/task.py": {"generation"},  # its name
    "evaluation/kbp/archiving.py": {"relation"},  # a column
    "evaluation/kbp/choices.py": {"relation"},  # a part of a score, and a weighting
    "evaluation/kbp/explorer/entity_relations.py": {"relation"},  # a field of a model
    "evaluation/kbp/explorer/verdicts.py": {"canonical"},  # a word of its query, and of a payload
    "evaluation/kbp/listed.py": {"canonical"},  # a field of the API
    "evaluation/kbp/matching.py": {"relation"},  # a part of a score
    "evaluation/kbp/planning.py": {"relation"},  # a part of a score
    "evaluation/kbp/summary.py": {"canonical", "entities"},  # what a file's page counts
    "evaluation/kbp/task.py": {"kbp"},  # its name
    # a parameter of an address; a field of a template's context
    "evaluation/kbp/views/documents.py": {"relation", "choice"},
    "evaluation/kbp/views/entities.py": {"relation"},  # a parameter of an address
    "evaluation/models/entity.py": {"entities", "relation"},  # the plural of a model, and a field
    "evaluation/urls.py": {"entities"},  # the name of a page
    "evaluation/views/board.py": {"choice"},  # a field of a template's context
    "evaluation/views/method.py": {"generation"},  # the name of an experiment
}

#: Who takes what from a kind's own module, or the name of one; who takes what from a task's folder.
KIND_IMPORTS = {
    "annotations/pairs.py": {"annotations.kinds.relation", "annotations.kinds.relation.Mention"},
    "annotations/questions.py": {
        "annotations.kinds.relation",
        "annotations.kinds.canonical.CanonicalQuestion",
        "annotations.kinds.entities.EntitiesQuestion",
        "annotations.kinds.relation.Mention",
        "annotations.kinds.relation.Offer",
        "annotations.kinds.relation.RelationQuestion",
    },
    "evaluation/classification/items.py": {
        "annotations.kinds.choice.ChoiceQuestion",
        "annotations.kinds.choice.NAME",
    },
    "evaluation/generation/asking.py": {
        "annotations.kinds.correctness.CorrectnessQuestion",
        "annotations.kinds.quality.QualityQuestion",
        "annotations.kinds.quality.RATINGS",
    },
    "evaluation/generation/explorer/shown.py": {
        "annotations.kinds.correctness",
        *(f"annotations.kinds.correctness.{name}" for name in ("NEITHER", "RIGHT", "WRONG")),
        "annotations.kinds.quality",
    },
    "evaluation/kbp/archived_documents.py": {"annotations.kinds.entities"},
    "evaluation/kbp/asked.py": {"annotations.kinds.relation.Offer"},
    "evaluation/kbp/asking.py": {"annotations.kinds.relation.Offer"},
    "evaluation/kbp/explorer/document_claims.py": {"annotations.kinds.relation"},
    "evaluation/kbp/pool_labels.py": {"annotations.kinds.canonical", "annotations.kinds.relation"},
    "evaluation/kbp/explorer/document_votes.py": {"annotations.kinds.entities"},
    "evaluation/kbp/explorer/verdicts.py": {
        "annotations.kinds.canonical",
        "annotations.kinds.relation",
        "annotations.kinds.relation.Offer",
    },
    "evaluation/kbp/foreseeing.py": {
        "annotations.models.kind_names.CANONICAL",
        "annotations.models.kind_names.RELATION",
    },
    "evaluation/kbp/recall/document_phases.py": {"annotations.models.kind_names.ENTITIES"},
    "evaluation/kbp/recall/retirement.py": {"annotations.models.kind_names"},
}
TASK_IMPORTS = {
    "evaluation/experiments/knowledgenet.py": {
        "kbpo_estimators.kbp.features.of_relations",
        "evaluation.kbp.keys.instance_key",
        "evaluation.kbp.matching.Claim",
        "evaluation.kbp.matching.Matching",
        "evaluation.kbp.matching.TrueRelation",
        "evaluation.kbp.matching.match",
        "evaluation.kbp.name_keys.Names",
        "evaluation.kbp.words.Words",
    },
    "evaluation/experiments/classification.py": {
        "kbpo_estimators.classification.estimates.Estimated",
        "kbpo_estimators.classification.estimates.Given",
        "kbpo_estimators.classification.estimates.MEASURES",
        "kbpo_estimators.classification.estimates.Scores",
        "kbpo_estimators.classification.estimates.learn",
        "kbpo_estimators.classification.labels.AuditedItems",
    },
    "evaluation/experiments/designs.py": {"kbpo_estimators.kbp.labels.Labels"},
    "evaluation/experiments/documents.py": {"evaluation.kbp.name_keys.name_key"},
    "evaluation/experiments/generation/learnt.py": {
        "evaluation.generation.house.House",
        "evaluation.generation.house.learn",
        "evaluation.generation.metrics.computing.compute_all",
        "evaluation.generation.metrics.registry.METRICS",
        "evaluation.generation.metrics.registry.Text",
    },
    "evaluation/experiments/generation/replayed.py": {
        *(f"kbpo_estimators.generation.{name}" for name in ("SCALES", "Given", "Judgements", "Scores")),
        *(
            f"kbpo_estimators.generation.fitting.{name}"
            for name in ("Noise", "Parts", "estimated", "fitted", "noise", "of_system")
        ),
        "kbpo_estimators.generation.scales.ends",
        "evaluation.generation.metrics.ngrams.repeated",
        "evaluation.generation.metrics.words.words",
    },
    "evaluation/experiments/generation/study.py": {
        "kbpo_estimators.generation.Variances",
        "kbpo_estimators.generation.needed",
    },
    "evaluation/experiments/ranks.py": {"kbpo_estimators.kbp.labels.Labels"},
    # its commands, pages and stages: each refuses corpora of another task, or passes them over
    "evaluation/management/commands/convert_kb.py": {"evaluation.kbp.task.TASK"},
    "evaluation/management/commands/import_judgements.py": {"evaluation.generation.importing"},
    "evaluation/management/commands/load_gold.py": {
        "evaluation.kbp.recall.gold.load_gold",
        "evaluation.kbp.task.TASK",
    },
    "evaluation/management/commands/sample_documents.py": {
        "evaluation.kbp.recall.document_phases",
        "evaluation.kbp.task.TASK",
    },
    "evaluation/urls.py": {
        "evaluation.classification.views.items",
        "evaluation.generation.views.metrics.metrics",
        *(f"evaluation.generation.views.outputs.{name}" for name in ("metric", "outputs", "pair")),
        "evaluation.kbp.views.documents.choose",
        "evaluation.kbp.views.documents.document",
        "evaluation.kbp.views.documents.documents",
        "evaluation.kbp.views.entities.entities",
        "evaluation.kbp.views.entities.entity",
        "evaluation.kbp.views.exhaustive.exhaustive",
        "evaluation.kbp.views.explorer.system",
    },
    "kbpo/api/resources/metrics.py": {
        "evaluation.generation.task.TASK",
        "evaluation.generation.views.metrics.choose",
        "evaluation.generation.views.report.JudgedRow",
    },
    "kbpo/pages/corpora.py": {
        "evaluation.kbp.recall.gold.load_gold",
        "evaluation.kbp.task.TASK",
    },
    "kbpo/pages/takedowns.py": {"evaluation.kbp.explorer.entity_index.forget_index"},
    "kbpo/urls.py": {"evaluation.kbp.explorer.showcase.find_showcase"},
    "kbpo/pipeline.py": {
        "evaluation.kbp.explorer.entity_index",
        "evaluation.kbp.recall.document_phases",
    },
    "evaluation/registry.py": {
        "evaluation.classification.task.TASK",
        "evaluation.generation.task.TASK",
        "evaluation.kbp.task.TASK",
    },
    # the page on the method is about KBP, with a part for each of the others
    "evaluation/views/method.py": {
        "kbpo_estimators.generation.FEW",
        "kbpo_estimators.generation.OWN_NOISE",
        "evaluation.generation.house",
        "evaluation.kbp.keys.instance_key",
        "evaluation.kbp.task.TASK",
    },
    # documents annotated in full are KBP's; a corpus of another task has none
    "kbpo/api/resources/annotations.py": {"evaluation.kbp.recall.exhaustive"},
    # the demo is of all
    "kbpo/management/commands/load_demo.py": {
        "evaluation.classification.task.TASK",
        "evaluation.generation.task.TASK",
    },
    # what people said elsewhere is said again of outputs alone
    "kbpo/management/commands/simulate_crowd.py": {"evaluation.generation.importing.Replayed"},
}

_QUOTED = re.compile(rf"""'({"|".join(sorted(NAMES))})'""")
_TAG = re.compile(r"{%\s*(?:if|elif|with|for)\b(.*?)%}")
_IN_TAG = re.compile(rf"""["'][^"'/]*\b({"|".join(sorted(NAMES))})\b[^"'/]*["']""")


def sources() -> Iterator[tuple[str, ast.Module]]:
    for source in SOURCES:
        for path in sorted((ROOT / source).rglob("*.py")):
            shown = path.relative_to(ROOT).as_posix()
            if "migrations" not in path.parts and not shown.startswith(OWN):
                yield shown, ast.parse(path.read_text(encoding="utf-8"))


def said(tree: ast.Module) -> set[str]:
    """Return the names that code says: as text, quoted in a query, or as the name of an argument."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if text in NAMES:
                found.add(text)
            case ast.Constant(value=str(text)) if "\n" not in text or "SELECT" in text.upper():
                found.update(_QUOTED.findall(text) if _is_query(text) else ())
            case ast.Call(func=ast.Name("dict"), keywords=keywords):
                found.update(keyword.arg for keyword in keywords if keyword.arg in NAMES)
    return found


def _is_query(text: str) -> bool:
    return re.search(r"\b(SELECT|WHERE|CASE|AND|OR|NOT|kind|task)\b", text, re.IGNORECASE) is not None


def imported(tree: ast.Module, packages: tuple[str, ...]) -> set[str]:
    """Return the full names of what is imported from some packages."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
        else:
            continue
        found.update(name for name in names if f"{name}.".startswith(packages))
    return found


def test_no_name_of_a_kind_or_a_task_is_said_that_is_not_listed() -> None:
    assert {path: names for path, tree in sources() if (names := said(tree))} == SAID


def test_nobody_takes_anything_from_a_kind_that_is_not_listed() -> None:
    own = tuple(f"annotations.kinds.{name}." for name in KINDS)
    found = {path: imported(tree, (*own, "annotations.models.kind_names.")) for path, tree in sources()}
    assert {path: names for path, names in found.items() if names} == KIND_IMPORTS


def test_nobody_takes_anything_from_a_task_that_is_not_listed() -> None:
    rooms = [(f"evaluation.{name}.", f"kbpo_estimators.{name}.") for name in TASKS]
    own = [(f"evaluation/{name}/", f"client/kbpo_estimators/{name}/") for name in TASKS]
    found = {
        path: imported(tree, tuple(chain.from_iterable(rooms)))
        for path, tree in sources()
        if not path.startswith(tuple(chain.from_iterable(own)))
    }
    assert {path: names for path, names in found.items() if names} == TASK_IMPORTS


def test_no_template_says_one_in_a_condition() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {tag}"
        for path in sorted(Path(ROOT / "templates").rglob("*.html"))
        for tag in _TAG.findall(path.read_text(encoding="utf-8"))
        if _IN_TAG.search(tag)
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "PRICES = {'relation': 1}\nPRICES[question.kind]",
        "{'kbp': 1}.get(corpus.task)",
        "found.exclude(kind__in=['entities'])",
        "Case(When(kind='entities', then=1))",
        "find_kind(question.kind) is KINDS['relation']",
        "operator.eq(question.kind, 'relation')",
        "DOCUMENT = 'entities'",
        "dict(relation=1, canonical=2)[question.kind]",
        "read('SELECT CASE WHEN kind = \\'entities\\' THEN 1 ELSE 0 END')",
        "read('WHERE kind IS DISTINCT FROM \\'entities\\'')",
        "task_of(corpus).name == 'kbp'",
        "Corpus.objects.get(task='kbp')",
        "row['task'] == 'kbp'",
    ],
)
def test_a_name_is_seen_wherever_it_is_said(code: str) -> None:
    assert said(ast.parse(code))


@pytest.mark.parametrize(
    "code",
    [
        "from annotations.kinds.relation import NAME as RELATION_NAME",
        "from annotations.kinds import relation as rel",
        "import annotations.kinds.entities",
        "from evaluation.kbp.task import TASK",
    ],
)
def test_an_import_is_seen_under_any_name(code: str) -> None:
    own = tuple(f"annotations.kinds.{name}." for name in KINDS)
    assert imported(ast.parse(code), (*own, "evaluation.kbp."))


@pytest.mark.parametrize(
    "template",
    [
        '{% if "kbp" == corpus.task %}',
        "{% if corpus.task=='kbp' %}",
        '{% if batch.kind in "relation canonical" %}',
        '{% if interface.name == "entities" %}',
    ],
)
def test_a_template_that_says_one_is_seen(template: str) -> None:
    assert [tag for tag in _TAG.findall(template) if _IN_TAG.search(tag)]
