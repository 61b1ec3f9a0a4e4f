"""How the pytest plugin sorts what a test raised."""

import gluonc
import pytest
from gluonc._outcomes import classify


def refused():
    raise gluonc.CompilationError("k.py:1:1: error: no", [{"kind": "BadCast", "message": "no"}])


def outcome(test):
    with pytest.raises(BaseException) as caught:
        test()
    return classify(caught.value)


def test_ir_in_other_words():
    def expects_text():
        assert False, "Mismatch between actual and expect strings:\n- a\n+ b"
    assert outcome(expects_text) == ("worded", "IR")


def test_errors_in_other_words():
    def reads_the_message():
        with pytest.raises(gluonc.CompilationError) as caught:
            refused()
        assert "yes" in str(caught.value)

    def matches_the_message():
        with pytest.raises(gluonc.CompilationError, match="yes"):
            refused()

    def matches_what_python_raises():
        with pytest.raises(TypeError, match="yes"):
            len(3)

    def matches_what_is_not_supported():
        with pytest.raises(gluonc.CompilationError, match="yes"):
            raise gluonc.CompilationError("", [{"kind": "UnsupportedConstruct", "message": "no"}])
    assert outcome(matches_what_python_raises) == ("worded", "error")
    assert outcome(matches_what_is_not_supported) == ("worded", "error")
    assert outcome(reads_the_message) == ("worded", "error")
    assert outcome(matches_the_message) == ("worded", "error")


def test_what_is_wrong_stays_wrong():
    def accepts():
        with pytest.raises(gluonc.CompilationError):
            pass

    def computes():
        assert 1 + 1 == 3

    assert outcome(accepts)[0] == "failed"
    assert outcome(computes)[0] == "failed"
    assert outcome(refused) == ("failed", "BadCast: no")


def test_what_is_missing_comes_first():
    def missing():
        try:
            raise gluonc.CompilationError("", [{"kind": "NotSupportedYet", "message": "`x` is not"}])
        except gluonc.CompilationError as error:
            assert "yes" in str(error)
    assert outcome(missing) == ("unsupported", "`x` is not")
