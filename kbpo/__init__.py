"""KBP Online: unbiased on-demand evaluation of knowledge base population."""

import os

# The service has a process for each core, and OpenBLAS' own threads wait for each other in loops: on busy
# cores what takes one thread 3 s takes two 25. It looks at this once, when NumPy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.7.0"
