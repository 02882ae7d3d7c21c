"""The statistics under the names that others call; `kbpo_estimators`, which the client has, computes them."""
