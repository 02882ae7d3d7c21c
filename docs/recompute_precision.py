"""Precision and its 95% interval of every system of an archive, with NumPy alone.

    python recompute_precision.py ARCHIVE.zip [PART [WEIGHTING]]

It reads the archive of an epoch of knowledge bases (docs/archive.md) whose design is `coordinated`, and takes
the votes for the truth: the plain scores. PART is `relation` (the one that is taken otherwise), WEIGHTING
`instance`. For each system it says its precision, where the interval begins and ends, and by how much these
three differ at most from what the archive states. docs/estimation.md, 3.3, has the formulas.
"""

import csv
import io
import math
import sys
import zipfile

import numpy as np

FOLDS, NEEDS, ALIKE, COLLINEAR, ROUNDING = 5, 20, 1e-9, 1e-6, 1e-12
Z = 1.959963984540054  # of a normal distribution, 97.5%


def table(archive, name):
    """Return the columns of a table: numbers where all cells are, NaN where one is empty."""
    with archive.open(f"{name}.csv") as stream:
        header, *rows = csv.reader(io.TextIOWrapper(stream, "utf-8", newline=""))
    columns = {}
    for title, cells in zip(header, zip(*rows)):
        try:
            columns[title] = np.array([float(cell or "nan") for cell in cells])
        except ValueError:
            columns[title] = np.array(cells)
    return columns


def line(f, weights, c, g):
    """Fit f on 1, confidence c and model g by weighted least squares; return (level, slopes and centres)."""
    if not f.size:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    mean = lambda x: (weights * x).sum() / weights.sum()
    level, mid_c, mid_g = mean(f), mean(c), mean(g)
    dot = lambda x, y: (weights * x * y).sum()
    c0, g0, f0 = c - mid_c, g - mid_g, f - level
    cc, gg, cg, cf, gf = dot(c0, c0), dot(g0, g0), dot(c0, g0), dot(c0, f0), dot(g0, f0)
    with_c, with_g = np.ptp(c) > 0 and cc > 0, np.ptp(g) > ALIKE and gg > 0
    determinant = cc * gg - cg * cg
    of_c = of_g = 0.0
    if f.size >= NEEDS:
        if with_c and with_g and f.size >= 2 * NEEDS and determinant > COLLINEAR * cc * gg:
            of_c, of_g = (gg * cf - cg * gf) / determinant, (cc * gf - cg * cf) / determinant
        elif with_g:
            of_g = gf / gg
        elif with_c:
            of_c = cf / cc
    return level, of_c, mid_c, of_g, mid_g


def precision(p, pi, sampled, f, fold, c, g):
    """Return the estimate and its variance; g has a column for each fold that a model was fitted without."""
    estimate, variance = 0.0, 0.0
    for k in range(FOLDS):
        own, other = fold == k, sampled & (fold != k)
        level, of_c, mid_c, of_g, mid_g = line(f[other], p[other] / pi[other], c[other], g[other, k])
        fitted = level + of_c * (c - mid_c) + of_g * (g[:, k] - mid_g)
        estimate += (p * fitted)[own].sum()
        judged = own & sampled
        residual = f[judged] - fitted[judged]
        estimate += (p[judged] / pi[judged] * residual).sum()
        residual[np.abs(residual) < ROUNDING] = 0.0
        variance += ((1 - pi[judged]) / pi[judged] ** 2 * (p[judged] * residual) ** 2).sum()
    return estimate, variance


def interval(estimate, variance, need):
    """Return the ends: on the logit scale, or Wilson's where the estimate sits on the edge."""
    if 0 < estimate < 1 and variance > 0:
        middle, reach = (
            math.log(estimate / (1 - estimate)),
            Z * math.sqrt(variance) / (estimate * (1 - estimate)),
        )
        return tuple(1 / (1 + math.exp(-x)) for x in (middle - reach, middle + reach))
    estimate = min(1.0, max(0.0, estimate))
    share = Z * Z * need  # Z²/n, with n = 1/need
    centre, spread = (estimate + share / 2) / (1 + share), estimate * (1 - estimate) * need
    half = Z * math.sqrt(spread + (Z * need / 2) ** 2) / (1 + share)
    return min(estimate, centre - half), max(estimate, centre + half)


def main(path, part="relation", weighting="instance"):
    """Print the precision of every system."""
    with zipfile.ZipFile(path) as archive:
        units, predictions, scores, predicted = (
            table(archive, name) for name in ("units", "predictions", "scores", "predicted")
        )
        names = table(archive, "systems")["name"]
    if part != "relation":
        sys.exit("the labels of names are joined from labels.csv: this script does the part `relation` alone")
    model = np.zeros((units["unit"].size, FOLDS))
    of_part = predicted["part"] == part
    model[predicted["unit"][of_part].astype(int), predicted["fold"][of_part].astype(int)] = predicted[
        "value"
    ][of_part]
    for number, name in enumerate(names, start=1):
        own = predictions["system"] == number
        at, p = predictions["unit"][own].astype(int), predictions[f"p_{weighting}"][own]
        pi, sampled = units["pi"][at], units["sampled"][at] == 1
        f, fold = np.nan_to_num(units["label"][at]), units["fold"][at]
        estimate, variance = precision(p, pi, sampled, f, fold, predictions["confidence"][own], model[at])
        low, high = interval(estimate, variance, (p * p * (1 / pi - 1)).sum())
        here = (scores["system"] == number) & (scores["weighting"] == weighting) & (scores["part"] == part)
        here &= (scores["standard"] == "votes") & (scores["level"] == 95) & (scores["measure"] == "precision")
        stated = [scores[one][here][0] for one in ("estimate", "low", "high")]
        found = min(1.0, max(0.0, estimate)), low, high
        apart = max(abs(one - other) for one, other in zip(found, stated))
        print(f"{name:40} {found[0]:.6f} [{low:.6f}, {high:.6f}]  {apart:.1e}")


if __name__ == "__main__":
    main(*sys.argv[1:])
