"""Planned variances: what is stored of them, so that λ can be sought again, and drawn anew for an audit."""

import hashlib
import json

from evaluation.design import columns
from evaluation.models import PlannedVariance, SampleBatch
from evaluation.task import Task
from evaluation.units import FloatArray, Plan, Units


def store(batch: SampleBatch, plan: Plan) -> PlannedVariance:
    """Store what the variances of a batch were planned from; they themselves are a column of it."""
    return PlannedVariance.objects.create(
        batch=batch,
        version=plan.version,
        matching=plan.matching,
        error_ratio=plan.error_ratio,
        coefficients=plan.coefficients,
        evidence=plan.evidence,
        annotations=plan.annotations,
        units=plan.units,
        digest=digest(plan),
    )


def digest(one: Plan | PlannedVariance) -> str:
    """Return the SHA-256 of what planned variances rest on."""
    said = [one.version, one.matching, one.error_ratio, one.coefficients, list(map(list, one.annotations))]
    found = hashlib.sha256(json.dumps([*said, one.units], separators=(",", ":")).encode())
    found.update(bytes(one.evidence))
    return found.hexdigest()


def audit(batch: SampleBatch, units: Units, task: Task) -> tuple[FloatArray | None, list[str]]:
    """Plan the variances of a batch again.

    Returns
    -------
    float[n] or None
        s² as it is stored, from which λ follows bit for bit; None where a batch was planned without.
    list of str
        What does not come out as it is stored.
    """
    stored = columns.read_variance(batch)
    plan = PlannedVariance.objects.filter(batch=batch).select_related("batch__epoch__corpus").first()
    if plan is None or stored is None:
        differs = (plan is None) != (stored is None)
        return stored, ["planned variances are stored in part"] if differs else []
    findings = []
    if digest(plan) != plan.digest:
        findings.append("what variances were planned from is not what its digest says")
    if task.plan_again is None:
        return stored, [*findings, "its task plans no variances, and some are stored"]
    again, differing = task.plan_again(plan, units.ids)
    findings += differing
    if stored.shape != again.shape or (stored != again).any():
        findings.append("the planned variances differ")
    return stored, findings
