"""The house rules of kernels, checked: few arguments, groups of arrays as named tuples, bodies that fit on a page."""

import ast
from pathlib import Path

import plash

SOURCE = Path(plash.__file__).parent
DECORATORS = {"kernel", "serial_kernel", "inlined", "inlined_plainly"}
MAKES_ARRAYS = {"array", "copy", "empty", "full", "ones", "zeros", "zeros_like", "reshape"}
MOST_ARGUMENTS = 8
MOST_LINES = 100


def kernels(decorators=frozenset(DECORATORS)):
    """Name and definition of every compiled function, or of those with some decorators."""
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef):
                names = {decorator.id for decorator in node.decorator_list if isinstance(decorator, ast.Name)}
                if names & decorators:
                    yield f"{file.relative_to(SOURCE)}:{node.lineno} {node.name}", node


def test_no_kernel_has_more_than_eight_arguments():
    """Sizes, which are written in capitals and constants to the compiler, do not count."""
    found = {name: [a.arg for a in node.args.args if not a.arg.isupper()] for name, node in kernels()}
    assert len(found) > 200
    assert [name for name, arguments in found.items() if len(arguments) > MOST_ARGUMENTS] == []


def test_no_kernel_is_longer_than_a_page():
    assert [name for name, node in kernels() if node.end_lineno - node.lineno >= MOST_LINES] == []


def test_no_kernel_is_called_with_a_group_of_arrays_spread_out():
    """A star hides the order of arguments: that is what named tuples are for."""
    spread = []
    for name, node in kernels():
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and any(isinstance(a, ast.Starred) for a in call.args):
                spread.append(name)
    assert spread == []


def test_pieces_that_do_not_count_users_of_arrays_make_none():
    """An array that such a piece made or handed on would be given back while it is still in use."""
    pieces = dict(kernels({"inlined_plainly"}))
    assert len(pieces) > 50
    made, handed_on = [], []
    for name, node in pieces.items():
        calls = [call.func for call in ast.walk(node) if isinstance(call, ast.Call)]
        made += [name for called in calls if isinstance(called, ast.Attribute) and called.attr in MAKES_ARRAYS]
        sliced = {a.arg for a in node.args.args} & {
            part.value.id
            for part in ast.walk(node)
            if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name)
        }
        for end in ast.walk(node):
            if isinstance(end, ast.Return) and end.value is not None:
                values = end.value.elts if isinstance(end.value, ast.Tuple) else [end.value]
                handed_on += [name for value in values if isinstance(value, ast.Name) and value.id in sliced]
    assert made == []
    assert handed_on == []
