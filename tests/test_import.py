"""Importing memlab costs nothing: no heavy package, no backend, no socket."""

import subprocess
import sys

HEAVY = ["torch", "numpy", "pandas", "scipy", "matplotlib", "tiktoken", "sentence_transformers"]


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_import_loads_no_heavy_package():
    run(f"import memlab, sys; found = set({HEAVY}) & set(sys.modules); assert not found, found")


def test_import_and_use_open_no_socket_and_choose_no_backend():
    run(
        "import socket\n"
        "def refuse(*a, **k): raise OSError('a socket was opened')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "import memlab as ml, sys\n"
        "results = ml.evaluate({'w': 'Window()'}, 'quickstart', ['MRR()'])\n"
        "assert 'w' in repr(results)\n"
        "assert 'matplotlib.pyplot' not in sys.modules and 'torch' not in sys.modules\n"
    )


def test_type_checkers_see_the_names_that_are_resolved_late():
    import ast
    from pathlib import Path

    import memlab

    tree = ast.parse(Path(memlab.__file__).read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    assert {a.name for node in block.body for a in node.names} == set(memlab.__all__)


def test_no_public_name_is_also_a_module():
    """Importing a submodule would put the module in place of the function of its name."""
    from pathlib import Path

    import memlab

    folder = Path(memlab.__file__).parent
    modules = {p.stem for p in folder.iterdir() if p.suffix == ".py" or p.is_dir()}
    assert not modules & set(memlab.__all__)
