"""How a system's units weigh: `kbpo_estimators.weighting`."""

from kbpo_estimators.weighting import instance, relation, subject, subject_relation

__all__ = ["instance", "relation", "subject", "subject_relation"]
