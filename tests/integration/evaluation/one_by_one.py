"""Scores as the definition reads: every claim a row, every system and weighting by itself.

What scoring does with columns, all systems at once, must come to the same. Sums are taken in the order of the
keys of the whole pool, which is another than that of `evaluation.scoring.pool`.
"""

import math
from collections import defaultdict

import numpy as np

from annotations import questions
from annotations.models import Label
from evaluation.kbp import matching
from evaluation.kbp.claims import row_of
from evaluation.kbp.keys import instance_key
from evaluation.kbp.name_keys import Names, digest
from evaluation.kbp.recall import annotated
from evaluation.kbp.words import Words
from evaluation.models import DocumentSample, SampledUnit, Submission
from kbpo_estimators import coordinated, intervals, logistic, weighting
from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.f1 import PoolSample, f1
from kbpo_estimators.labelled import both, share_of_pool, weighted_labelled_recall
from kbpo_estimators.recall import RecallEstimate, document_recall
from kbpo_formats.spans import Span
from tests.ontologies import TAC
from tests.oracles.labelled import labelled_recall, planned_alpha
from tests.oracles.matching import match
from tests.oracles.precision import difference_precision
from tests.samples import current_pi


class Pool:
    """The claims of an epoch's systems, in the order of their keys."""

    def __init__(self, epoch, through):
        self.epoch, self.through = epoch, through
        self.submissions = list(
            Submission.objects.filter(batch__epoch=epoch, batch__number__lte=through).order_by(
                "batch__number"
            )
        )
        self.claims = []
        key_of = {}
        for submission in self.submissions:
            rows = list(submission.predictions.select_related("instance__document"))
            for row in rows:
                one = row.instance
                key_of[one.pk] = instance_key(
                    one.document.doc_id,
                    one.predicate,
                    (one.subject_start, one.subject_end),
                    (one.object_start, one.object_end),
                )
            self.claims.append(sorted(rows, key=lambda row: key_of[row.instance_id]))
        self.ids = sorted(key_of, key=key_of.__getitem__)
        self.keys = [key_of[pk] for pk in self.ids]
        row_of_id = {pk: row for row, pk in enumerate(self.ids)}
        self.rows = [np.array([row_of_id[row.instance_id] for row in rows]) for rows in self.claims]
        pi = current_pi(epoch, through)
        self.pi = np.array([pi.get(pk, np.nan) for pk in self.ids])
        drawn = set(
            SampledUnit.objects.filter(epoch=epoch, batch__number__lte=through).values_list(
                "unit_id", flat=True
            )
        )
        self.sampled = np.array([pk in drawn for pk in self.ids])
        self.folds = coordinated.folds(bytes.fromhex(epoch.secret), self.keys)

    def flat_pi(self):
        """π, had every label been planned to be as uncertain as one can be."""
        squares, floor = np.zeros(len(self.ids)), np.zeros(len(self.ids))
        for system, (claims, rows) in enumerate(zip(self.claims, self.rows, strict=True)):
            batch = self.submissions[system].batch
            certain = set(batch.inclusions.filter(is_known=True).values_list("unit_id", flat=True))
            alone = coordinated.quadratic_sum(
                np.zeros(rows.size),
                np.zeros(rows.size),
                self.weights(system, self.epoch.weighting),
                batch.target_variance,
                known=np.array([row.instance_id in certain for row in claims]),
            )
            squares[rows] += alone.term**2
            floor[rows] = np.maximum(floor[rows], min(1, batch.floor / rows.size))
        return np.maximum(np.sqrt(np.minimum(1, squares)), floor)

    def weights(self, system, name):
        rows = self.claims[system]
        return weighting.WEIGHTINGS[name](
            [name_of(row, "subject") for row in rows],
            [row.instance.predicate for row in rows],
            [name_of(row, "object") for row in rows],
        )

    def labels(self):
        """Return for each system and part f over its claims, NaN where they are not sampled."""
        found = []
        for rows, claims in zip(self.rows, self.claims, strict=True):
            of = {part: np.full(len(claims), np.nan) for part in ("relation", "linking", "all")}
            for place in np.flatnonzero(self.sampled[rows]):
                row = row_of(claims[place])
                question, subject = questions.find_relations([row.relation()])[row.relation()]
                label = Label.objects.get(question=question, claim=f"{row.predicate}|{subject}")
                own = questions.find_canonicals(row.canonicals())
                right = [Label.objects.get(question=own[one]).value for one in row.canonicals()]
                of["relation"][place] = label.value
                of["linking"][place] = math.prod(right)
                of["all"][place] = of["relation"][place] * of["linking"][place]
            found.append(of)
        return found


def predicted(pool, labels, part):
    """Return what the model of a part says of each claim, for each fold that it does not know, [N, 5]."""
    sure = defaultdict(dict)  # by team, then claim
    given = defaultdict(lambda: defaultdict(list))  # by claim, then team
    relation = {}
    for submission, rows, claims, of in zip(pool.submissions, pool.rows, pool.claims, labels, strict=True):
        for row, claim, f in zip(rows.tolist(), claims, of[part].tolist(), strict=True):
            own = sure[submission.team_id]
            own[row] = max(own.get(row, 0), claim.confidence)
            given[row][submission.team_id].append(f)
            relation[row] = TAC.relations_by_name[claim.instance.predicate]
    standardised = {}
    for team, own in sure.items():
        values = np.array(list(own.values()))
        spread = values.std() if len(set(values)) > 1 else np.inf
        standardised[team] = {row: (one - values.mean()) / spread for row, one in own.items()}
    said = sorted({one for relation in relation.values() for one in of_relation(relation)})
    features = []
    for row in range(len(pool.ids)):
        teams = [team for team, own in sure.items() if row in own]
        own = [float(one in of_relation(relation[row])) for one in said]
        features.append(
            [
                *(float(team in teams) for team in sure),
                *(standardised[team].get(row, 0.0) for team in sure),
                math.log(len(teams)),
                max(standardised[team][row] for team in teams),
                *own,
                *(one * math.log(len(teams)) for one in own),
            ]
        )
    features = np.array(features)
    y = [np.mean([np.mean(one) for one in given[row].values()]) for row in range(len(pool.ids))]
    g = np.empty((len(pool.ids), coordinated.FOLDS))
    for fold in range(coordinated.FOLDS):
        others = pool.sampled & (pool.folds != fold)
        g[:, fold] = logistic.fit(features[others], np.array(y)[others]).probability(features)
    return g


def of_relation(relation):
    return {
        f"relation {relation.name}",
        f"subject {relation.subject_type}",
        *(f"object {one}" for one in relation.object_types),
    }


def document_counts(pool, part):
    """Return t, and for each system g and a by document; a of the pool; and who finds which relation."""
    sample = DocumentSample.objects.get(corpus=pool.epoch.corpus)
    ids = list(sample.documents.order_by("document_id").values_list("document_id", flat=True))
    relations = annotated.read_true_relations(
        annotated.read_annotations(ids).values(), annotated.read_texts(ids)
    )
    t = np.array([sum(one.doc_id == str(pk) for one in relations) for pk in ids])
    found, correct, anybody, finds = [], [], {}, []
    for claims in pool.claims:
        inside = [row for row in claims if row.instance.document_id in ids]
        matched = match(
            [claim_of(row) for row in inside], relations, Words.of(annotated.read_texts(ids)), TAC, part
        )
        finds.append(matched.found)
        g = [one.doc_id for one, is_found in zip(relations, matched.found, strict=True) if is_found]
        right = [row for row, is_right in zip(inside, matched.correct, strict=True) if is_right]
        found.append(np.array([g.count(str(pk)) for pk in ids]))
        correct.append(np.array([sum(row.instance.document_id == pk for row in right) for pk in ids]))
        anybody |= {row.instance_id: row.instance.document_id for row in right}
    of_pool = list(anybody.values())
    texts = annotated.read_texts(ids)
    true = [
        (
            ids.index(int(one.doc_id)),
            Names(one.doc_id, texts[one.doc_id]).key(*one.subject),
            one.predicate,
            Names(one.doc_id, texts[one.doc_id]).key(*one.object),
        )
        for one in relations
    ]
    return t, found, correct, np.array([of_pool.count(pk) for pk in ids]), true, finds


def weighted_recall(true, finds, sample, size, name):
    """Return recall as the mean that its name says, with what leaving out each document does to it."""
    keys = {"instance": None, "subject": (1,), "relation": (2,), "subject_relation": (1, 2)}[name]
    if keys is None:
        t = np.bincount([row[0] for row in true], minlength=size)
        g = np.bincount(
            [row[0] for row, is_found in zip(true, finds, strict=True) if is_found], minlength=size
        )
        return document_recall(t, g, sample)

    def ratio(without):
        own = [place for place, row in enumerate(true) if row[0] != without]
        total = right = 0.0
        for place in own:
            weight = 1.0
            for key in keys:
                weight /= sum(true[other][key] == true[place][key] for other in own)
            if name == "subject_relation":
                weight *= len({true[other][2:] for other in own if true[other][1] == true[place][1]})
            total += weight
            right += weight * finds[place]
        return right / total if total else None

    everything = ratio(None)
    z = np.zeros(size)
    for document in {row[0] for row in true}:
        left = ratio(document)
        z[document] = (size - 1) * (everything - left) if left is not None else 0.0
    return RecallEstimate(
        estimate=min(1.0, everything + (1 - size / sample.population) * z.mean()),
        variance_of_documents=sample.covariance(z, z),
        residuals=z,
        sample=sample,
        documents=len({row[0] for row in true}),
    )


def claim_of(row):
    one = row.instance
    has_object = row.object_canonical_start is not None
    return matching.Claim(
        str(one.document_id),
        one.predicate,
        Span(one.subject_start, one.subject_end),
        Span(one.object_start, one.object_end),
        Span(row.subject_canonical_start, row.subject_canonical_end),
        Span(row.object_canonical_start, row.object_canonical_end) if has_object else None,
    )


def ends(interval):
    return (None,) * 3 if interval is None else (interval.estimate, interval.low, interval.high)


def coordinated_scores(epoch, through):
    """Return (submission, estimator, weighting, part, level) to nine figures and the number of labels."""
    pool = Pool(epoch, through)
    m = len(pool.submissions)
    inside = [pool.sampled[rows] for rows in pool.rows]
    place = np.cumsum(pool.sampled) - 1
    pi = pool.pi[pool.sampled]
    weights = coordinated.variance_weights(pi)
    samples = [PoolSample(weights, place[r[i]]) for r, i in zip(pool.rows, inside, strict=True)]
    teams = np.zeros(len(pool.ids), dtype=int)
    for team in {one.team_id for one in pool.submissions}:
        own = [r for r, one in zip(pool.rows, pool.submissions, strict=True) if one.team_id == team]
        teams[np.unique(np.concatenate(own))] += 1
    labels = pool.labels()
    population = epoch.corpus.documents.count()
    sample = SimpleRandom(population)
    scores = {}
    for part in ("all", "relation", "linking"):
        nothing = dict.fromkeys(("documents", "labelled", "both"))
        recalls = [dict.fromkeys(weighting.WEIGHTINGS, nothing) for _ in range(m)]
        if part != "linking":
            t, found, correct, of_pool, true, finds = document_counts(pool, part)
            right = np.zeros((m, pi.size))
            for i in range(m):
                right[i, place[pool.rows[i][inside[i]]]] = labels[i][part][inside[i]]
            for i in range(m):
                mine = np.zeros(len(pool.ids), dtype=bool)
                mine[pool.rows[i]] = True
                share = share_of_pool(pi, right.max(axis=0), right[i])
                alpha = planned_alpha(teams, mine, pool.flat_pi(), t.size, population)
                for name in weighting.WEIGHTINGS:
                    alone = weighted_recall(true, finds[i], sample, t.size, name)
                    if name == "instance":
                        product = labelled_recall(share, t, of_pool, correct[i], found[i], sample)
                    else:
                        product = weighted_labelled_recall(share, alone, of_pool, correct[i])
                    recalls[i][name] = {
                        "documents": alone,
                        "labelled": product,
                        "both": both(alone, product, alpha),
                    }
        g = predicted(pool, labels, part)
        for i in range(m):
            for name in weighting.WEIGHTINGS:
                precision = difference_precision(
                    pool.weights(i, name),
                    pool.pi[pool.rows[i]],
                    inside[i],
                    labels[i][part],
                    pool.folds[pool.rows[i]],
                    [row.confidence for row in pool.claims[i]],
                    model=g[pool.rows[i]],
                )
                for estimator, recall in recalls[i][name].items():
                    assert recall is None or f1(precision, recall, samples[i]) is not None
                    for level in intervals.LEVELS:
                        scores[pool.submissions[i].pk, estimator, name, part, round(100 * level)] = (
                            *ends(intervals.interval(precision, level)),
                            *ends(intervals.interval(recall, level)),
                            *ends(intervals.f1_interval(precision, recall, level, samples[i])),
                            int(inside[i].sum()),
                        )
    return scores


def subset_precisions(epoch, through, least):
    """Return (submission, division, name, part) to the figures of precision and labels, if enough."""
    pool = Pool(epoch, through)
    labels = pool.labels()
    g = {part: predicted(pool, labels, part) for part in ("all", "relation", "linking")}
    scores = {}
    for i, rows in enumerate(pool.rows):
        inside, p = pool.sampled[rows], pool.weights(i, weighting.DEFAULT)
        confidence = np.array([row.confidence for row in pool.claims[i]])
        groups = defaultdict(list)
        for place, row in enumerate(pool.claims[i]):
            groups["predicate", row.instance.predicate].append(place)
            groups["type", row.subject_type].append(place)
        for (division, name), places in groups.items():
            own = np.array(places)
            if inside[own].sum() < least:
                continue
            for part in ("all", "relation", "linking"):
                precision = difference_precision(
                    p[own] / p[own].sum(),
                    pool.pi[rows[own]],
                    inside[own],
                    labels[i][part][own],
                    pool.folds[rows[own]],
                    confidence[own],
                    model=g[part][rows[own]],
                )
                key = pool.submissions[i].pk, division, name, part
                scores[key] = (*ends(intervals.interval(precision)), int(inside[own].sum()))
    return scores


def subject_names(submission):
    """Return by instance the digest of the name key of each claim's subject."""
    return {
        row.instance_id: digest(name_of(row, "subject"))
        for row in submission.predictions.select_related("instance__document")
    }


def name_of(row, role):
    """Return the name key of a claim's subject or object."""
    one = row.instance
    span = getattr(one, f"{role}_start"), getattr(one, f"{role}_end")
    return Names(one.document.doc_id, one.document.text).key(*span)
