"""Ways to choose what is claimed: less, more, or somebody else's."""

from collections import Counter, defaultdict
from collections.abc import Callable

import numpy as np

from kbpo_formats.kbp.predictions import ReadPrediction
from research.experiments.adversary.situation import Claims, Situation

LOOSE = "A3_rules_loose"
GUESSED = 300
LEAST_FLOOD, MOSTLY_WRONG = 5, 0.2


def parents_and_children(one: Situation) -> Claims:
    """Say of each parent that it is a child as well."""
    return [
        *one.claims,
        *(
            claim._replace(turned=not claim.turned)
            for claim in one.claims
            if claim.predicate == "per:parents"
        ),
    ]


def surest(number: float) -> Callable[[Situation], Claims]:
    """Return what keeps so many claims, or such a share of them."""

    def kept(one: Situation) -> Claims:
        most = int(number if number >= 1 else number * len(one.claims))
        return [one.claims[place] for place in sorted(one.by_confidence()[-most:])]

    return kept


def without_weakest(one: Situation) -> Claims:
    """Leave out the predicate of which least is right."""
    right: dict[str, list[float]] = defaultdict(list)
    for claim, value in zip(one.claims, one.honest.right["relation"], strict=True):
        right[claim.predicate].append(value)
    weakest = min(right, key=lambda predicate: np.mean(right[predicate]))
    return [claim for claim in one.claims if claim.predicate != weakest]


def without_lone(one: Situation) -> Claims:
    """Leave out doubtful claims that are the only ones about their subject."""
    about = Counter(one.world.name_key(claim.doc_id, claim.subject) for claim in one.claims)
    doubtful = one.doubtful()
    return [
        claim
        for place, claim in enumerate(one.claims)
        if place not in doubtful or about[one.world.name_key(claim.doc_id, claim.subject)] > 1
    ]


def _flooded(one: Situation, group_of: Callable[[ReadPrediction], str], weighting: str) -> Claims:
    """Add what a loose system claims of one predicate or subject, mostly wrong: that which pays best."""
    own = set(one.honest.keys)
    loose = one.others[LOOSE]
    groups: dict[str, list[int]] = defaultdict(list)
    for place, (key, claim) in enumerate(zip(loose.keys, loose.claims, strict=True)):
        if key not in own:
            groups[group_of(claim)].append(place)
    wrong = {
        group: places
        for group, places in groups.items()
        if len(places) >= LEAST_FLOOD and loose.right["relation"][places].mean() < MOSTLY_WRONG
    }
    best = max(wrong, key=lambda group: one.world.joined_f1(one.honest, loose, wrong[group], weighting))
    return [*one.claims, *(loose.claims[place] for place in wrong[best])]


def flooded_predicate(weighting: str) -> Callable[[Situation], Claims]:
    """Return what floods the predicate for which F1 under a weighting rises most, or falls least."""
    return lambda one: _flooded(one, lambda claim: claim.predicate, weighting)


def flooded_subject(weighting: str) -> Callable[[Situation], Claims]:
    """Return what floods the subject for which F1 under a weighting rises most, or falls least."""
    return lambda one: _flooded(one, lambda claim: one.world.name_key(claim.doc_id, claim.subject), weighting)


def guessed(one: Situation) -> Claims:
    """Keep what stands in documents that are guessed to be annotated in full."""
    documents = set(one.rng().choice(one.world.data.documents, GUESSED, replace=False).tolist())
    return [claim for claim in one.claims if claim.doc_id in documents]
