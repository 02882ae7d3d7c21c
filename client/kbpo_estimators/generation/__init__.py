"""The scores of systems that write, from judgements of a sample of their outputs. Pure.

A unit is an output: a text for an input, the same for all systems that give it. Which units are judged is
drawn by a random number of the *input*, so all systems are judged on the same inputs. Of a system with N
outputs Z, p = 1/N each, and f the mean judgement that an output would have of everybody:

    μ̂ = Σ_Z p ĝ + Σ_sample (p/π)(ȳ − ĝ),    ĝ = β̂₋ₖ·(1, g),

where folds k are of inputs and β̂₋ₖ is fitted in the other folds (`kbpo_estimators.control`). Which of
the candidates g, fixed when the epoch opens, serves a fold is decided in the other folds too: the one that
misses least there by generalised cross-validation, none of them where none helps. The fold itself has no say
in that, so μ̂ is exactly unbiased whatever the candidates.

*This crowd*: V̂ = Σ_sample (1 − π)/π² p²e² + Σ_sample p²σ̂_a²/(πk), for the draw of outputs and for that of
people for an output; e = ȳ − ĝ.

*Another crowd*: who is lenient is so in all that they judge, so people are clusters. To V̂ is added
max(0, G/(G − 1) (Σ_w (Σ_{j by w} c_j e_j)² − Σ_j (c_j e_j)²)), with c_j = p/(πk), e_j = y_j − ĝ and G the
effective number of people.

Intervals are made on the logit scale of the measure (of the log, where it has no upper end) with Student's t,
whose degrees of freedom are Satterthwaite's, 2V̂²/Var(V̂): an edit distance has a long tail, and a sample that
happens to miss it knows too little (ADR 21).
"""

from kbpo_estimators.generation.fitting import OWN_NOISE
from kbpo_estimators.generation.judged import Given, Judgements
from kbpo_estimators.generation.planning import Needed, needed
from kbpo_estimators.generation.pool import FEW, Scores
from kbpo_estimators.generation.results import Compared, Estimated, Score
from kbpo_estimators.generation.scales import SCALES, Scale
from kbpo_estimators.generation.worth import Variances, Worth

__all__ = [
    "FEW",
    "OWN_NOISE",
    "SCALES",
    "Compared",
    "Estimated",
    "Given",
    "Judgements",
    "Needed",
    "Scale",
    "Score",
    "Scores",
    "Variances",
    "Worth",
    "needed",
]
