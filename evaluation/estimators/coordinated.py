"""Samples with permanent random numbers: `kbpo_estimators.coordinated`."""

from kbpo_estimators.coordinated import top_up, uniforms

__all__ = ["top_up", "uniforms"]
