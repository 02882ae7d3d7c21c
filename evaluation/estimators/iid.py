"""Precision from independent draws: `kbpo_estimators.iid`."""

from kbpo_estimators.iid import joint_precision, mixture_weights, simple_precision

__all__ = ["joint_precision", "mixture_weights", "simple_precision"]
