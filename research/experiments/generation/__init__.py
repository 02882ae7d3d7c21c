"""What judgements of generated text vary by, what metrics are worth, and what they save: after the paper.

Recorded judgements of summaries and answers (`--nlg`): variance components, correlations, data efficiencies;
the bias of the paper's estimator; how fast estimates converge with and without a control variate; what a
width costs by the metric and by people's noise (its Figure 4); how long 80% intervals are by the number of
judgements (its Figure 6); metrics between systems and between outputs (its Figure 1); and whether the board's
intervals hold.
"""

from research.experiments.generation.study import run

__all__ = ["run"]
