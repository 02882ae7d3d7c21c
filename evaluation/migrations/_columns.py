"""What migration 0009 makes of rows that were there before: as it was then, whatever the code does since.

It reads historical models alone, and nothing of the project.
"""

import hmac
import math
from io import BytesIO

import numpy as np

DOCUMENTS = 1_000  # whose texts are in memory at a time
SPANS = ("subject_start", "subject_end", "object_start", "object_end")
CANONICALS = (
    "subject_canonical_start",
    "subject_canonical_end",
    "object_canonical_start",
    "object_canonical_end",
)


def carry_over(apps, schema_editor):
    """Make for what was sampled before what sampling makes since."""
    batches = apps.get_model("evaluation", "SampleBatch").objects.select_related("epoch")
    for batch in batches.order_by("epoch", "number").iterator():
        claims = read_claims(apps, batch)
        made = columns(apps, batch, claims)
        model = apps.get_model("evaluation", "ClaimColumn")
        model.objects.bulk_create(model(batch=batch, name=name, data=data) for name, data in made.items())
        carry_claims_over(apps, batch, claims)


def read_claims(apps, batch):
    """Return a system's predictions in the order of their instances' keys."""
    rows = (
        apps.get_model("evaluation", "Prediction")
        .objects.filter(submission=batch.submission_id)
        .values(
            *("instance_id", "subject_entity", "object_entity", "confidence", "probability", *CANONICALS),
            *("instance__document_id", "instance__document__doc_id", "instance__predicate"),
            *(f"instance__{field}" for field in SPANS),
        )
    )
    claims = [{name.removeprefix("instance__"): value for name, value in row.items()} for row in rows]
    for one in claims:
        one["key"] = "|".join(
            (
                "v1",
                one["predicate"],
                f"{one['subject_start']}-{one['subject_end']}",
                f"{one['object_start']}-{one['object_end']}",
                one["document__doc_id"],
            )
        )
    return sorted(claims, key=lambda one: one["key"])


def columns(apps, batch, claims):
    secret = bytes.fromhex(batch.epoch.secret)
    folds = [
        int.from_bytes(hmac.digest(secret, f"fold|{one['key']}".encode(), "sha256")[:8], "big") % 5
        for one in claims
    ]
    weights = weighted(claims) | {"subject_relation": np.array([one["probability"] for one in claims])}
    made = {
        "instance": pack(np.array([one["instance_id"] for one in claims], dtype=np.int64)),
        "fold": pack(np.array(folds, dtype=np.uint8)),
        "confidence": coded(np.array([one["confidence"] for one in claims])),
        "predicate": coded_names([one["predicate"] for one in claims]),
        "subject name": coded_names(names(apps, claims)),
        **{f"p {name}": coded(p) for name, p in weights.items()},
    }
    if batch.lam is not None:
        pi = {}
        inclusions = apps.get_model("evaluation", "InclusionProbability").objects.filter(
            batch__epoch=batch.epoch_id,
            batch__number__lte=batch.number,
            instance__in=[one["instance_id"] for one in claims],
        )
        for instance_id, probability in inclusions.values_list("instance_id", "probability"):
            pi[instance_id] = max(probability, pi.get(instance_id, 0.0))  # it never falls
        made["pi"] = pack(np.array([pi[one["instance_id"]] for one in claims]))
    return made


def weighted(claims):
    subject, predicate, object_ = (
        numbered([one[name] for one in claims]) for name in ("subject_entity", "predicate", "object_entity")
    )
    return {
        "instance": shares(np.ones(subject.size)),
        "subject": shares(1.0 / np.bincount(subject)[subject]),
        "relation": shares(1.0 / np.bincount(predicate)[predicate]),
    }


def numbered(values):
    index = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return np.array([index[value] for value in values], dtype=np.int64)


def shares(weights):
    return weights / math.fsum(weights.tolist())


def names(apps, claims):
    """Return the text of each subject's canonical mention, in lower case, with single spaces."""
    documents = sorted({one["document_id"] for one in claims})
    found = {}
    for first in range(0, len(documents), DOCUMENTS):
        some = documents[first : first + DOCUMENTS]
        texts = dict(
            apps.get_model("annotations", "Document").objects.filter(pk__in=some).values_list("pk", "text")
        )
        for one in claims:
            if one["document_id"] in texts:
                text = texts[one["document_id"]]
                text = text[one["subject_canonical_start"] : one["subject_canonical_end"]]
                found[one["key"]] = " ".join(text.split()).lower()[:200]
    return [found[one["key"]] for one in claims]


def pack(array):
    stream = BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def coded(column):
    values, codes = np.unique(column, return_inverse=True)
    return pack(values) + pack(smallest(codes))


def coded_names(values):
    text = "".join(f"{name}\n" for name in dict.fromkeys(values)).encode()
    return pack(np.frombuffer(text, dtype=np.uint8)) + pack(smallest(numbered(values)))


def smallest(codes):
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0))))


def carry_claims_over(apps, batch, claims):
    """Note for each claim at a sampled instance the questions that settle its canonical mentions."""
    sampled = set(
        apps.get_model("evaluation", "SampledInstance")
        .objects.filter(epoch=batch.epoch_id)
        .values_list("instance_id", flat=True)
    )
    claims = [one for one in claims if one["instance_id"] in sampled]
    questions = apps.get_model("annotations", "Question").objects.filter(
        document__in={one["document_id"] for one in claims}, kind="canonical"
    )
    asked = {(document, key): pk for document, key, pk in questions.values_list("document_id", "key", "pk")}

    def question(one, role):
        start, end = one[f"{role}_canonical_start"], one[f"{role}_canonical_end"]
        if start is None:
            return None  # a string or a date
        key = f"canonical|1|{one[f'{role}_start']}-{one[f'{role}_end']}|{start}-{end}"
        return asked[one["document_id"], key]

    model = apps.get_model("evaluation", "SampledClaim")
    model.objects.bulk_create(
        (
            model(
                submission_id=batch.submission_id,
                instance_id=one["instance_id"],
                subject_question_id=question(one, "subject"),
                object_question_id=question(one, "object"),
            )
            for one in claims
        ),
        batch_size=5000,
    )
