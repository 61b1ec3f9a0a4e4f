"""What Python's tools are told of the language."""

import ast
import inspect
import pathlib
import pydoc

import gluonc.language
import pytest
from gluonc import language as gl

STUBS = pathlib.Path(gluonc.language.__file__).parent


def test_help_prints_signature_and_documentation():
    text = pydoc.plain(pydoc.render_doc(gl.load))
    assert "gl.load(pointer, mask=None, other=None, *, cache_modifier=''" in text
    assert "Reads memory through a pointer or a block of pointers." in text
    assert "Errors:" in text and "Gives:" in text


def test_functions_of_modules_have_documentation():
    assert "barrier" in inspect.getdoc(gl.nvidia.hopper.tma.async_load)
    # Blackwell has Hopper's, under its own name.
    assert inspect.getdoc(gl.nvidia.blackwell.tma.async_load).startswith(
        "gl.nvidia.blackwell.tma.async_load(")
    assert gl.nvidia.hopper.tma.async_load.__name__ == "async_load"


def test_what_came_last_has_documentation():
    assert "payloads" in gl.fpsan.embed.__doc__


@pytest.mark.parametrize("path", sorted(STUBS.rglob("*.pyi")),
                         ids=lambda path: str(path.relative_to(STUBS)))
def test_a_stub_tells_what_the_module_has(path):
    module, parts = gl, path.parent.relative_to(STUBS).parts
    for part in parts:
        module = getattr(module, part)
    names = [node.name for node in ast.parse(path.read_text()).body
             if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    assert [name for name in names if not hasattr(module, name)] == []
    # Rubin's modules share functions of Blackwell's.
    functions = {name for name, value in vars(module).items()
                 if isinstance(value, gluonc.language.DeviceFunction)
                 and value.__gluonc_source__() == ".".join(["gl", *parts, name])}
    missing = {name for name in functions - set(names)
               if "not supported yet" not in getattr(module, name).__doc__}
    assert missing == set()
