"""JSON and sums without the packages json and hashlib: the same texts, the same values, the same refusals."""

import hashlib
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opweld import _argument
from opweld.lean import digest, dumps, loads, sha256

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=30,
)


@given(values, st.booleans())
def test_texts_and_values_are_jsons(value, ascii):
    text = dumps(value, ascii)
    assert text == json.dumps(value, ensure_ascii=ascii, sort_keys=True, separators=(",", ":"))
    assert loads(text) == value
    spaced = "\n " + json.dumps(value, indent=2) + " \t"
    assert loads(spaced) == value


def test_tuples_and_what_utf_8_cannot_write():
    assert dumps(("a", (1,))) == '["a",[1]]'
    assert dumps({"a": "\udcff"}) == '{"a":"\\udcff"}' and dumps("\udcff", ascii=False) == '"\udcff"'
    assert loads('"\\udcff"') == "\udcff"


@pytest.mark.parametrize("text", ["", " ", "{", "[1,]", "{'a':1}", '{"a" 1}', '"\n"', "nul", "1 2", "[1]]", '{"a":1}x'])
def test_what_is_no_json(text):
    with pytest.raises(ValueError):
        json.loads(text)
    with pytest.raises(ValueError):
        loads(text)


def test_what_json_cannot_write():
    with pytest.raises(TypeError, match="Object of type set is not JSON serializable"):
        dumps({"a": {1}})


def test_a_deep_text_is_an_error_like_any_other():
    with pytest.raises((RecursionError, ValueError)):
        loads("[" * 100_000)


def test_without_the_functions_in_c():
    code = """
import sys
sys.modules["_json"] = None
from opweld import _argument
from opweld.lean import digest, dumps, loads, sha256
assert dumps({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"\\\\u00e9"]}'
assert dumps("é", ascii=False) == '"é"' and loads('[1]') == [1]
assert "json" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("plainly", [False, True])
def test_sums_are_those_of_hashlib(plainly):
    data = bytes(range(256)) * 600
    for length in (*range(200), 4095, 4096, 4097, len(data)):
        assert _argument.sha256(data[:length], plainly) == hashlib.sha256(data[:length]).hexdigest()
    assert _argument.sha256(memoryview(data)[1:1000], plainly) == hashlib.sha256(data[1:1000]).hexdigest()
    assert digest(data) == sha256(data).hexdigest() == hashlib.sha256(data).hexdigest()
    with pytest.raises(TypeError, match="bytes-like"):
        _argument.sha256("text")
