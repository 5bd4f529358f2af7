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
