"""Where an S3-compatible store is: known to the settings before anything of it is loaded."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Address:
    """Which bucket, and with whose keys.

    Attributes
    ----------
    bucket : str
    prefix : str
        Before every place; empty, or ending in ``/``.
    endpoint_url : str
        Empty: Amazon's.
    region : str
    keys : (str, str) or None
        None: those that boto3 finds itself.
    """

    bucket: str
    prefix: str = ""
    endpoint_url: str = ""
    region: str = "us-east-1"
    keys: tuple[str, str] | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix} at {self.endpoint_url or 'Amazon'}"
