"""Where files are: what the environment may say."""

import pytest

from kbpo.core.errors import InvalidInput
from kbpo.core.store_address import Address
from kbpo.storage_environment import VARIABLES, read

WHOLE = {
    "FILE_STORE": "s3://kbpo-files/site/one",
    "FILE_STORE_ENDPOINT": "http://store:9000",
    "FILE_STORE_REGION": "eu-central-1",
    "FILE_STORE_KEY": "key",
    "FILE_STORE_SECRET": "secret",
    "TEXTS_CACHE_GB": "3",
}


def test_files_are_in_folders_unless_a_store_is_named():
    given = read({})
    assert (given.store, given.texts_cache) == (None, 10 * 10**9)


def test_a_store_is_named_with_all_that_belongs_to_it():
    address = Address("kbpo-files", "site/one/", "http://store:9000", "eu-central-1", ("key", "secret"))
    assert (read(WHOLE).store, read(WHOLE).texts_cache) == (address, 3 * 10**9)
    assert WHOLE.keys() == VARIABLES


@pytest.mark.parametrize(
    ("named", "prefix"), [("s3://bucket", ""), ("s3://bucket/", ""), ("s3://bucket/a/b/", "a/b/")]
)
def test_a_bucket_alone_is_enough_and_keys_are_boto3s_to_find(named, prefix):
    assert read({"FILE_STORE": named}).store == Address("bucket", prefix)


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [
        ("FILE_STORE", "bucket/prefix", "s3://bucket/prefix"),
        ("FILE_STORE", "https://store/bucket", "FILE_STORE_ENDPOINT"),
        ("FILE_STORE", "s3://key:secret@bucket", "FILE_STORE_SECRET"),
        ("FILE_STORE", "s3://", "names no bucket"),
        ("FILE_STORE", "s3://My_Bucket", "small letters"),
        ("FILE_STORE", "s3://bucket/../other", "prefix"),
        ("FILE_STORE", "s3://bucket//a", "single slashes"),
        ("FILE_STORE_ENDPOINT", "store:9000", "https://store.example.org:9000"),
        ("FILE_STORE_ENDPOINT", "ftp://store", "https://store.example.org:9000"),
        ("FILE_STORE_ENDPOINT", "http://store/bucket", "without a path"),
        ("FILE_STORE_ENDPOINT", "http://store:port", "https://store.example.org:9000"),
        ("FILE_STORE_REGION", "Frankfurt (Main)", "eu-central-1"),
        ("TEXTS_CACHE_GB", "0", "from 1 to"),
        ("TEXTS_CACHE_GB", "2.5", "gigabytes"),
    ],
)
def test_what_is_wrong_is_refused_by_its_name_and_told_what_would_be_right(name, value, right):
    with pytest.raises(InvalidInput, match=f"^{name}: .*{right}"):
        read(WHOLE | {name: value})


@pytest.mark.parametrize("name", sorted(VARIABLES - {"FILE_STORE", "TEXTS_CACHE_GB"}))
def test_what_says_something_of_a_store_that_is_not_named_is_refused(name):
    with pytest.raises(InvalidInput, match=f"^FILE_STORE: is unset, and {name} says"):
        read({name: WHOLE[name]})


@pytest.mark.parametrize(
    ("given", "missing"),
    [("FILE_STORE_KEY", "FILE_STORE_SECRET"), ("FILE_STORE_SECRET", "FILE_STORE_KEY")],
)
def test_half_a_key_is_refused(given, missing):
    with pytest.raises(InvalidInput, match=f"^{missing}: is unset, and {given} is given"):
        read({"FILE_STORE": "s3://bucket", given: "some"})


def test_no_secret_is_shown():
    assert "secret" not in repr(read(WHOLE)).replace("FILE_STORE_SECRET", "")
