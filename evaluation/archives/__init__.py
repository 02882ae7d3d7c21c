"""The archive of a released epoch: made once by the pipeline, kept for good, the same bytes if made again."""
