"""What decides a strategy decides its hash, in every process; nothing else does."""

import json
import os
import subprocess
import sys

import pytest

# Each case is a notebook: `<old|new>` is what its author changes between two runs.
CELLS = {
    "method called": """
@ml.strategy
class Mine(Base):
    def read(self, query, budget):
        return list(self.history.<rows|newest>(query.user))
made = Mine()
""",
    "builtin called": """
def order(rows): return <sorted|list>(rows)
@ml.strategy
class Mine(Base):
    def read(self, query, budget): return order([])
made = Mine()
""",
    "argument kinds": "def f(a, <*,|> b=1): return a\nmade = Holds(value=f)",
    "variables": "def f(a, b): return <a|b>\nmade = Holds(value=f)",
    "constant type": "def f(): return <1|1.0>\nmade = Holds(value=f)",
    "inner function": "def f(): return [x.<upper|lower>() for x in 'ab']\nmade = Holds(value=f)",
    "default": "def f(n=<1|2>): return n\nmade = Holds(value=f)",
    "default function": """
def clean(t): return t.<strip|lower>()
@ml.strategy
class Mine(Base):
    def write(self, turn, f=clean): return f(turn.text)
made = Mine()
""",
    "list of functions": """
def clean(t): return t.<strip|lower>()
STEPS = [clean]
@ml.strategy
class Mine(Base):
    def write(self, turn): return STEPS[0](turn.text)
made = Mine()
""",
    "dict of sets": """
WORDS = {"en": {"the", "a", "of", "<to|in>"}}
@ml.strategy
class Mine(Base):
    def read(self, query, budget): return [w for w in query.text if w in WORDS["en"]]
made = Mine()
""",
    "set of functions": """
def a(t): return t
def b(t): return t + "<b|c>"
STEPS = {a, b, len, str.upper, (a, b)}
made = Holds(value=lambda: STEPS)
""",
    "frozenset in a set": 'W = {frozenset({"a", "b"}), frozenset({"c", "<d|e>"})}\n'
    "made = Holds(value=lambda: W)",
    "constant set": 'made = Holds(value=lambda t: t in {"a", "b", "<c|d>"})',
    "factories": """
def make(n):
    @ml.strategy
    class Local(Base):
        def read(self, query, budget): return n
    return Local()
made = [make(<1|9>), make(2)]
""",
    "factory with a table": """
def make(table):
    @ml.strategy
    class Local(Base):
        limits = table
        def read(self, query, budget): return table
    return Local()
made = make({"a": {"x", "<y|z>"}})
""",
    "two lambdas": "made = [Holds(value=lambda t: 1), Holds(value=lambda t: <2|3>)]",
    "functions in a tuple": "made = Holds(value=(len, lambda t: t.<upper|lower>()))",
    "functions in a list": "made = Holds(value=[len, lambda t: t.<upper|lower>()])",
    "functions in a dict": 'made = Holds(value={"a": lambda t: t.<upper|lower>()})',
    "partial": """
import functools
def clip(n, t): return t[:n]
made = Holds(value=functools.partial(clip, <1|2>))
""",
    "partial of a function": """
import functools
def clip(n, t): return t[<:n|n:>]
made = Holds(value=functools.partial(clip, 1, t="x"))
""",
    "bound method": """
class Client:
    def __init__(self, n): self.n = n
    def ask(self): return self.n
made = Holds(value=Client(<1|2>).ask)
""",
    "sets as parameters": 'made = Holds(value={"a", "b", "<c|d>"})',
    "frozensets as parameters": 'made = Holds(value=frozenset({"a", "b", "<c|d>"}))',
    "paths as parameters": 'from pathlib import Path\nmade = Holds(value=Path("<a|b>"))',
    "enums as parameters": """
import enum
class Mode(enum.Enum):
    FAST = 1
    SLOW = 2
made = Holds(value=Mode.<FAST|SLOW>)
""",
    "long array": """
import numpy as np
made = Holds(value=np.arange(5000) + (np.arange(5000) == <2000|2001>))
""",
    "array type": 'import numpy as np\nmade = Holds(value=np.zeros(4, "<f4|i4>"))',
    "array shape": "import numpy as np\nmade = Holds(value=np.zeros((<2, 3|3, 2>)))",
    "array of objects": """
import numpy as np
made = Holds(value=np.array(["a", {"b", "<c|d>"}], dtype=object))
""",
    "table": """
import pandas as pd
made = Holds(value=pd.DataFrame({"a": range(2000), "<b|c>": ["x"] * 2000}))
""",
    "random generator": "import random\nmade = Holds(value=random.Random(<1|2>))",
    "dates": "from datetime import date\nD = date(2024, 1, <1|2>)\nmade = Holds(value=lambda: D)",
    "global set": 'STOP = {"the", "<a|of>", "in"}\nmade = Holds(value=lambda t: t in STOP)',
    "global pattern": 'import re\nPAT = re.compile("<a+|b+>")\nmade = Holds(value=lambda: PAT)',
    "long pattern": """
import re
PAT = re.compile("a" * 300 + "<b|c>")
made = Holds(value=lambda: PAT)
""",
    "method of a pattern": """
import re
find = re.compile("<a+|b+>").search
made = Holds(value=lambda t: find(t))
""",
    "global array": """
import numpy as np
W = np.arange(3000.0); W[1500] = <1|2>
made = Holds(value=lambda: W)
""",
    "global object": """
class Ranker:
    def __init__(self, n): self.n = n
    def score(self): return self.n
RANKER = Ranker(<1|2>)
made = Holds(value=lambda: RANKER.score())
""",
    "class of a global object": """
class Ranker:
    def score(self): return <1|2>
RANKER = Ranker()
made = Holds(value=lambda: RANKER.score())
""",
    "slots": """
class Ranker:
    __slots__ = ("n",)
    def __init__(self, n): self.n = n
RANKER = Ranker(<1|2>)
made = Holds(value=lambda: RANKER)
""",
    "cached function": """
import functools
@functools.lru_cache(maxsize=None)
def count(t): return <1|2>
made = Holds(value=lambda t: count(t))
""",
    "overloaded function": """
import functools
@functools.singledispatch
def count(t): return 0
@count.register
def _(t: str): return <1|2>
made = Holds(value=lambda t: count(t))
""",
    "counter": """
from collections import Counter, deque
BOX = [Counter("aab"), deque("a<b|c>", maxlen=3)]
made = Holds(value=lambda: BOX)
""",
    **{
        f"{wrapper} method": f"""
import functools
def helper(self, n=0): return 1
@ml.strategy
class Mine(Base):
    @{wrapper}
    def count(self): return <1|2>
made = Mine()
"""
        for wrapper in (
            "functools.lru_cache(8)",
            "functools.cached_property",
            "staticmethod",
            "classmethod",
            "property",
        )
    },
    "partial method": """
import functools
@ml.strategy
class Mine(Base):
    def count(self, n): return n
    one = functools.partialmethod(count, <1|2>)
made = Mine()
""",
    "patched object": """
made = Holds(value=1)
made.read = lambda query, budget: <[1]|[2]>
""",
    "patched class of memlab": """
from memlab.strategies import Window
made = Window()
class Other(Window):
    def read(self, query, budget): return [<1|2>]
Window.read, kept = Other.read, Window.read
undo = lambda: setattr(Window, "read", kept)
""",
    "cycles": """
def even(n): return n == 0 or odd(n - 1)
def odd(n): return n == <0|1> or even(n - 1)
class Node: pass
node = Node(); node.own = node; node.all = [node]; node.bag = {even, odd}
loop = [even]; loop.append(loop); loop.append({"loop": loop})
made = [Holds(value=lambda: (even, node, loop)), Holds(value=lambda: {odd, even})]
""",
    **{
        f"builtin {old} or {new}": f"""
import array, collections, decimal, fractions, math, operator, re, itertools
from datetime import timedelta, timezone
from types import MappingProxyType, SimpleNamespace
import numpy as np
VALUE = <{old}|{new}>
made = [Holds(value=lambda: VALUE), Holds(value=VALUE)]
"""
        for old, new in (
            ("str.upper", "str.lower"),
            ("np.add", "np.multiply"),
            ("np.sum", "np.mean"),
            ("math.floor", "math.ceil"),
            ("operator.itemgetter(1)", "operator.itemgetter(2)"),
            ("np.dtype('f4')", "np.dtype('f8')"),
            ("range(3)", "range(4)"),
            ("slice(3)", "slice(4)"),
            ("timedelta(1)", "timedelta(2)"),
            ("decimal.Decimal('1.0')", "decimal.Decimal('1.00')"),
            ("fractions.Fraction(1, 2)", "fractions.Fraction(1, 3)"),
            ("MappingProxyType({'a': 1})", "MappingProxyType({'a': 2})"),
            ("SimpleNamespace(a=1)", "SimpleNamespace(a=2)"),
            ("bytearray(b'a')", "bytearray(b'b')"),
            ("array.array('d', [1])", "array.array('d', [2])"),
            ("itertools.count(1)", "itertools.count(2)"),
            ("collections.namedtuple('P', 'x')(1)", "collections.namedtuple('P', 'y')(1)"),
            ("np.float64(1.5)", "np.float64(2.5)"),
            ("np.datetime64('2024-01-01')", "np.datetime64('2024-01-02')"),
            ("list[int]", "list[str]"),
            ("-0.0", "0.0"),
            ("1", "True"),
            ("{1: 'a'}", "{1.0: 'a'}"),
            ("'x'.join", "'y'.join"),
            ("...", "None"),
        )
    },
    "proxy": """
class Proxy:
    __slots__ = ("found",)
    def __getattr__(self, name): raise RuntimeError("outside of a request")
    def __eq__(self, other): raise RuntimeError("outside of a request")
    __class__ = property(lambda self: self.__getattr__("x"))
    __dict__ = property(lambda self: self.__getattr__("x"))
    __hash__ = None
request = Proxy()
made = Holds(value=lambda: (request, <1|2>))
""",
    "deep": """
DEEP = []
for _ in range(20000): DEEP = [DEEP]
DEEP.append(<1|2>)
made = Holds(value=lambda: DEEP)
""",
    "huge numbers": "N = [10 ** 6000 + <1|2>]\nmade = Holds(value=lambda: N)",
    "subclasses of containers": """
class Words(dict): pass
W = Words(a=<1|2>)
class Names(list): pass
M = Names([W])
made = Holds(value=lambda: M)
""",
}

RUN = """
import json, re, sys, types
import memlab as ml
from memlab.fingerprint import fingerprint
from memlab.history import TurnMemory

HEAD = '''
import memlab as ml
from memlab.history import TurnMemory as Base
@ml.strategy
class Holds(Base):
    value: object = None
    def read(self, query, budget): return self.value
'''
cases, side = json.load(sys.stdin), int(sys.argv[1])
found = {}
for name, cell in cases.items():
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    text = re.sub(r"<([^<>|]*)\\|([^<>|]*)>", lambda m: m.group(1 + side), cell)
    exec(compile(HEAD + text, "<cell>", "exec"), vars(main))
    made = main.made if isinstance(main.made, list) else [main.made]
    spelt = [repr(m) for m in made] if name != "deep" else []
    found[name] = [fingerprint(made), spelt, fingerprint(made)]
    getattr(main, "undo", lambda: None)()
print(json.dumps(found))
"""


def hashed(side, seed):
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(side)],
        input=json.dumps(CELLS),
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def old():
    return [hashed(0, seed) for seed in (0, 1, "random")]


@pytest.fixture(scope="module")
def new():
    return hashed(1, 0)


@pytest.mark.parametrize("case", CELLS)
def test_unchanged_it_has_one_hash_in_every_process(old, case):
    first, *others = [found[case] for found in old]
    assert first[0]
    assert first[0] == first[2]
    assert all(other == first for other in others)
    assert "0x" not in str(first[1])


@pytest.mark.parametrize("case", CELLS)
def test_changed_it_has_another_hash(old, new, case):
    assert old[0][case][0] != new[case][0]


KERNEL = """
import functools, re
import memlab as ml
WORDS, PAT = {"the", "a", "of"}, re.compile("a+")
data = ml.load("quickstart", limit=1)

@functools.lru_cache
def order(text):
    return sorted(text)
"""
CLASS = """
@ml.strategy
class Mine(ml.TurnMemory):
    key: object = None

    def read(self, query, budget):
        self.results = [w for w in order(query.text) if w in WORDS or PAT.match(w)]
        rows = list(self.history.rows(query.user))
        return self.history.pack(((row, 0.0) for row in rows), budget)
"""
CALL = """
results = ml.evaluate({"m": Mine(key=lambda t: t), "n": Mine(key=functools.partial(order, "x"))},
                      data, [])
print(results.manifest["hash8"])
"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_in_a_kernel_a_cell_that_is_run_again_is_the_same_run():
    import nbformat
    from nbclient import NotebookClient

    changed = CLASS.replace("history.rows", "history.newest")
    other = KERNEL.replace("sorted", "list")
    cells = [KERNEL, CLASS, CALL, CALL, CLASS, CALL, changed, CALL, CLASS, other, CALL]
    cells += [KERNEL, "# moved\n" + CLASS, CALL]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [[o["text"] for o in c.outputs if o.get("name") == "stdout"] for c in notebook.cells]
    told = ["".join(texts) for texts in shown if texts]
    same, again, defined_again, newest, as_list, last = told
    assert same == again == defined_again == last
    assert len({same, newest, as_list}) == 3
