"""A small classifier: multinomial logistic regression on the words around two mentions.

It learns from annotated documents of its own (`demo/training`) and then reads others. What it has not seen
said a few times it does not know.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from demo.markup import Document, Gold
from demo.systems.pairs import Choice, Pair, pairs
from demo.systems.reading import Claim, Extraction, Sentence, extract_each, read
from kbpo_formats.spans import Span

NONE = "none"
REACH = 90
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Model:
    """A trained classifier.

    Attributes
    ----------
    features : dict
        Feature to column.
    classes : tuple of str
        ``none``, and a relation with the place of its subject: ``per:parents 0`` has it first.
    weights : array, shape (features, classes)
    """

    features: dict[str, int]
    classes: tuple[str, ...]
    weights: Array


def train(examples: Sequence[tuple[Document, Gold]], *, penalty: float = 0.5) -> Model:
    """Fit the classifier.

    Parameters
    ----------
    examples : sequence of (Document, Gold)
        Annotated documents. Mentions are found by the system itself and matched to the annotations.
    penalty : float
        Weight of the squared weights, on the scale of one example.

    Returns
    -------
    Model
    """
    described, answers = [], []
    for document, gold in examples:
        for sentence in read(document, guess=True):
            for pair in pairs(sentence, reach=REACH):
                described.append(_features(sentence, pair))
                answers.append(_answer(gold, pair))
    counts = Counter(feature for features in described for feature in set(features))
    features = {feature: at for at, feature in enumerate(sorted(f for f, n in counts.items() if n >= 2))}
    classes = (NONE, *sorted(set(answers) - {NONE}))
    X = _matrix(described, features)
    Y = np.zeros((len(answers), len(classes)))
    Y[np.arange(len(answers)), [classes.index(answer) for answer in answers]] = 1.0

    def loss(flat: Array) -> tuple[float, Array]:
        W = flat.reshape(X.shape[1], Y.shape[1])
        P = _softmax(X @ W)
        value = -np.log(P[Y == 1.0]).sum() + 0.5 * penalty * (W**2).sum()
        return float(value), (X.T @ (P - Y) + penalty * W).ravel()

    fit = minimize(
        loss, np.zeros(X.shape[1] * Y.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 200}
    )
    return Model(features, classes, np.asarray(fit.x).reshape(X.shape[1], Y.shape[1]))


def extract(documents: Sequence[Document], model: Model, *, threshold: float) -> list[Extraction]:
    """Claim every relation to which the model gives a probability of at least `threshold`."""
    return extract_each(documents, lambda sentence: _claims(sentence, model, threshold), guess=True)


def _claims(sentence: Sentence, model: Model, threshold: float) -> Iterator[Claim]:
    for pair in pairs(sentence, reach=REACH):
        X = _matrix([_features(sentence, pair)], model.features)
        probabilities = dict(zip(model.classes, _softmax(X @ model.weights)[0].tolist(), strict=True))
        for choice in pair.choices:
            probability = probabilities.get(_class(pair, choice), 0.0)
            if probability >= threshold:
                yield Claim(*choice, confidence=round(probability, 3))


def _class(pair: Pair, choice: Choice) -> str:
    return f"{choice.relation} {0 if choice.subject == pair.first else 1}"


def _answer(gold: Gold, pair: Pair) -> str:
    for choice in pair.choices:
        for relation in gold["relations"]:
            if (
                relation["predicate"] == choice.relation
                and choice.subject.span.overlaps(Span(*relation["subject"]))
                and choice.object.span.overlaps(Span(*relation["object"]))
            ):
                return _class(pair, choice)
    return NONE


def _features(sentence: Sentence, pair: Pair) -> list[str]:
    first, second, _ = pair
    start = sentence.span.start
    between = sentence.text[first.span.end - start : second.span.start - start]
    words = [word.strip(",;:.").lower() for word in between.split()]
    before = sentence.text[: first.span.start - start].split()[-2:]
    after = sentence.text[second.span.end - start :].split()[:2]
    others = sum(first.span.end <= mention.span.start < second.span.start for mention in sentence.mentions)
    types = f"{first.type} {second.type}"
    return [
        types,
        f"{types} near {min(3, len(words) // 3)}",
        f"{types} others {min(3, others)}",
        f"{types} kinds {first.kind} {second.kind}",
        *(f"{types} between {word}" for word in words),
        *(f"between {word}" for word in words),
        *(f"{types} before {word.strip(',').lower()}" for word in before),
        *(f"{types} after {word.strip(',.').lower()}" for word in after),
    ]


def _matrix(described: Sequence[Sequence[str]], features: dict[str, int]) -> Array:
    X = np.zeros((len(described), len(features) + 1))
    X[:, -1] = 1.0
    for row, found in enumerate(described):
        for feature in found:
            if feature in features:
                X[row, features[feature]] = 1.0
    return X


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    normalized: Array = powers / powers.sum(axis=1, keepdims=True)
    return normalized
