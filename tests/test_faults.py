"""Odd strategies, odd values and odd files: recorded or refused, never silent, never fatal."""

import json
import math
import os
from datetime import date

import numpy as np
import pytest

import memlab as ml
from memlab.cli import main
from memlab.errors import ConfigError, DataError, Faults, ModelError, RunError
from memlab.history import TurnMemory
from memlab.metrics import MRR, Recall
from memlab.naming import strategy
from memlab.run import Run
from memlab.strategies import BM25, FullHistory, Hybrid, NoMemory, Oracle, Vector, Window
from memlab.types import Conversation, Dataset, Frozen, Item, Probe, Query, Turn, utc

NOW = utc("2024-01-01")


def talk(name="c", **probe):
    turns = [Turn(id=f"t{i}", text=f"word{i} tea", time=NOW, user=name) for i in range(6)]
    asked = {"id": "p", "text": "word2", "time": NOW, "user": name, "evidence": ("t2",), **probe}
    return Conversation(name, (*turns, Probe(**asked)))


DATA = Dataset("toy", (talk("c"), talk("d")))


def test_what_strategies_are_given_cannot_be_changed():
    meta = Frozen({"a": 1})
    for change in (
        lambda: meta.update(a=2),
        lambda: meta.pop("a"),
        lambda: meta.__setitem__("a", 2),
    ):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()
    turn = Turn(id="t", text="x", time=NOW, meta={"list": [1, {"b": 2}]})
    assert turn.meta == {"list": (1, {"b": 2})}
    assert isinstance(turn.meta["list"][1], Frozen)


class Vandal(TurnMemory, NoMemory):
    def write(self, turn):
        turn.meta["words"] = "vandalised"


def test_a_strategy_that_tries_hurts_itself_alone():
    results = ml.evaluate({"v": Vandal(), "bm25": BM25(form="said")}, DATA, [Recall()])
    assert results.values(Recall()).tolist() == [0.0, 0.0, 1.0, 1.0]
    assert "cannot be changed" in results.records[0].error


@pytest.mark.parametrize("answer", [None, ["text"], (), iter([Item("x")]), {"a": 1}])
def test_a_read_that_returns_no_list_of_items_is_a_failed_read(answer):
    class Odd(NoMemory):
        def read(self, query, budget):
            return answer

        def __deepcopy__(self, memo):
            return self

    results = ml.evaluate({"odd": Odd(), "w": Window()}, DATA, [Recall()])
    assert "expected a list of Item" in results.records[0].error
    assert results.records[-1].error is None


@pytest.mark.parametrize("error", [SystemExit(0), RuntimeError("lone \ud800 surrogate")])
def test_any_way_to_fail_is_recorded(error, tmp_path):
    class Fails(NoMemory):
        def read(self, query, budget):
            raise error

    results = ml.evaluate({"f": Fails()}, DATA, [Recall()], out=tmp_path)
    assert type(error).__name__ in results.records[0].error
    assert results.summary()["failed"].tolist() == [2]


class Exits(NoMemory):
    def read(self, query, budget):
        os._exit(3)


def test_a_worker_that_dies_is_an_error_that_says_what_to_do():
    with pytest.raises(RunError, match="a worker process died"):
        ml.evaluate({"e": Exits()}, DATA, [Recall()], jobs=2)


def test_counters_may_be_numpy_numbers_or_nan(tmp_path):
    class Counts(NoMemory):
        def stats(self):
            return {"n": np.int64(3), "rate": float("nan")}

    results = ml.evaluate({"c": Counts()}, DATA, [], out=tmp_path)
    assert results.facts[0]["stats"] == {"n": 3, "rate": None}


def test_a_strategy_that_breaks_at_the_end_is_told_in_the_notes():
    class Breaks(FullHistory):
        def save(self, path):
            raise OSError("disk full")

    assert "'b' broke on 'c': OSError: disk full" in repr(ml.evaluate({"b": Breaks()}, DATA, []))


@pytest.mark.parametrize("odd", ["a\u2028b", "a\u2029b", "a\x85b", "日本"])
def test_line_separators_inside_texts_do_not_break_a_run(odd, tmp_path):
    data = Dataset("toy", (talk(category=odd),))
    results = ml.evaluate({"w": Window()}, data, [Recall()], out=tmp_path)
    assert results.records[0].category == odd
    assert results == ml.evaluate({"w": Window()}, data, [Recall()])


def test_ids_must_be_text_and_dangling_ones_are_counted():
    numbered = Dataset("toy", (Conversation("c", (Turn(id=1, text="x", time=NOW),)),))
    with pytest.raises(Faults, match="the id or name 1; expected text"):
        ml.evaluate({"w": Window()}, numbered, [])
    surrogate = Dataset("toy", (talk("\ud800"),))
    with pytest.raises(Faults, match="expected text"):
        ml.evaluate({"w": Window()}, surrogate, [])
    results = ml.evaluate({"w": Window()}, Dataset("toy", (talk(evidence=("t9",)),)), [Recall()])
    assert "1 evidence ids name no turn" in repr(results)


def test_data_that_cannot_be_hashed_are_refused_before_the_replay():
    class Counts(NoMemory):
        reads = 0

        def read(self, query, budget):
            Counts.reads += 1
            return []

    data = Dataset("toy", (talk(meta={"dial": float("nan")}),))
    with pytest.raises((DataError, ValueError)):
        ml.evaluate({"c": Counts()}, data, [])
    assert Counts.reads == 0


def test_meta_that_json_lacks_is_saved_as_text(tmp_path):
    memory = FullHistory()
    memory.reset()
    memory.write(Turn(id="t", text="x", time=NOW, meta={"day": date(2024, 5, 1)}))
    memory.save(tmp_path)
    assert memory.read_turns(tmp_path)[0].meta == {"day": "2024-05-01"}


class Given:
    """An embedder that returns what it is told to, and takes a while by its own account."""

    def __init__(self, value=1.0, fails=False):
        self.value, self.fails = value, fails

    def identity(self):
        return {"model": "given", "value": repr(self.value)}

    def encode(self, texts, role):
        if self.fails:
            raise RuntimeError("no such device")
        n = len(texts)
        return np.full((n, 2), self.value), (1,) * n, (False,) * n, (1_000_000,) * n


@pytest.mark.parametrize(
    ("embedder", "error"),
    [(Given(math.nan), DataError), (Given(math.inf), DataError), (Given(fails=True), ModelError)],
)
def test_bad_vectors_leave_nothing_behind(embedder, error, tmp_path):
    with pytest.raises(error):
        ml.evaluate({"v": Vector(embedder=embedder)}, DATA, [], out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("embedder", [5, None, "MiniLM()", BM25()])
def test_a_part_that_is_no_embedder_is_refused(embedder):
    with pytest.raises(Faults, match="embedder="):
        ml.evaluate({"v": Vector(embedder=embedder)}, DATA, [])


@strategy
class Late(TurnMemory):
    """Embeds in flush, or in maintain, what it was told before."""

    touch: bool = False

    def reset(self):
        super().reset()
        self.waiting, self.kept, self.embedder = [], [], Given()

    def write(self, turn):
        self.waiting.append(turn)

    def flush(self):
        for turn in self.waiting:
            self.run.embed(self.embedder, [turn.text], "document")
            self.history.add(turn)
        self.waiting = []

    def scores(self, query):
        rows = np.array(self.history.rows(query.user))
        return rows, np.ones(len(rows))

    def read(self, query, budget):
        self.run.embed(self.embedder, [query.text], "query")
        return self.history.pack(((r, 0.0) for r in self.history.rows(query.user)), budget)

    def forget(self, turn_ids, user):
        self.flush()
        super().forget(turn_ids, user)


def test_encoding_is_booked_wherever_it_happens():
    results = ml.evaluate({"late": Late()}, DATA, [], budget=[10, 20])
    assert [u["encode"] for u in results.latencies] == [
        {"flush": 6_000_000, "read 10": 1_000_000, "read 20": 1_000_000}
    ] * 2
    costs = results.costs()
    assert costs["encode_write_ms"].tolist() == [1.0, 1.0]
    assert costs["encode_read_ms"].tolist() == [1.0, 1.0]
    assert costs["searchable_us"].min() >= 1000


def test_tokens_encoded_do_not_depend_on_the_number_of_budgets():
    one, many = (
        ml.evaluate({"late": Late()}, DATA, [], budget=b).costs()["tokens_encoded"].tolist()
        for b in ([10], [10, 20, None])
    )
    # Six turns and one query in each of two conversations, one token each.
    assert one == [14]
    assert many == [14, 14, 14]


def test_passes_of_a_learner_book_their_own_encoding():
    results = ml.evaluate({"late": Late(touch=True)}, DATA, [], budget=[10, 20, 30, None])
    assert results.costs()["encode_read_ms"].tolist() == [1.0] * 4
    assert results.manifest["learns_on_read"] == ["late"]


def test_wrappers_pass_flush_and_privilege_through():
    late = Hybrid(legs=(Late(),), weights=(1.0,))
    results = ml.evaluate({"late": late}, DATA, [Recall()])
    assert results.values(Recall()).tolist() == [1.0, 1.0]

    @strategy
    class Wraps:
        inner: object = None

        def reset(self):
            self.inner.reset()

        def write(self, turn):
            self.inner.write(turn)

        def read(self, query, budget):
            return self.inner.read(query, budget)

    wrapped = ml.evaluate({"o": Wraps(inner=Oracle())}, DATA, [Recall()])
    assert wrapped.values(Recall()).tolist() == [1.0, 1.0]


def test_metrics_are_never_mistaken_for_one_another():
    results = ml.evaluate({"w": Window()}, DATA, [])

    def one(rankings):
        return np.ones(len(rankings))

    def two(rankings):
        return np.full(len(rankings), 2.0)

    assert [results.values(f)[0] for f in (one, two)] == [1.0, 2.0]
    with pytest.raises(
        ml.errors.ConfigError if hasattr(ml, "errors") else Exception, match="shape"
    ):
        results.values(scalar)
    with pytest.raises(ConfigError, match="named function"):
        results.values(lambda rankings: np.ones(len(rankings)))
    with pytest.raises(ConfigError, match="not a metric"):
        results.values("BM25()")


def scalar(rankings):
    return 1.0


def share(rankings):
    """One half, for every record."""
    return np.full(len(rankings), 0.5)


def test_a_function_as_metric_is_named_and_not_imported_from_a_folder(tmp_path):
    results = ml.evaluate({"w": Window()}, DATA, [share, MRR()], out=tmp_path)
    assert results.summary()[f"{__name__}:share"].tolist() == [0.5]
    with pytest.warns(UserWarning, match="not memlab's own"):
        again = ml.Results.load(results.path)
    assert again.metrics == (MRR(),)


def test_viewing_a_run_executes_nothing_of_it(tmp_path):
    path = ml.evaluate({"w": Window()}, DATA, [MRR()], out=tmp_path).path
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["metrics"] = ["os:abort()"]
    (path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.warns(UserWarning, match="os:abort"):
        assert ml.Results.load(path).metrics == ()


def test_one_strategy_without_sources_spoils_nobody_elses_area():
    class Rumour(NoMemory):
        def read(self, query, budget):
            return [Item("tea", (), "fact")]

    results = ml.evaluate({"w": Window(), "r": Rumour()}, DATA, [Recall()], budget=[4, 8, 40])
    areas = dict(zip(*results.curve()[["strategy", "area"]].T.values, strict=True))
    assert areas["w"] > 0
    assert "no value: items without sources" in repr(results)


def test_data_sets_load_again_from_their_spec(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(
        '{"type": "dataset", "name": "my study"}\n'
        + "".join(
            f'{{"type": "turn", "conversation": "{c}", "id": "t", "text": "x", '
            '"time": "2024-01-01T00:00"}\n'
            for c in "abc"
        )
    )
    data = ml.load("jsonl", path=str(path), title="mine").take(2)
    results = ml.evaluate({"w": Window()}, data, [], out=tmp_path)
    again = ml.Results.load(results.path)
    assert (again.dataset.name, len(again.dataset)) == ("mine", 2)
    assert main(["run", str(results.path / "spec.toml"), "--out", str(tmp_path / "x")]) == 3
    made = ml.evaluate({"w": Window()}, DATA, [], out=tmp_path)
    with pytest.raises(RunError, match="made in Python"):
        assert ml.Results.load(made.path).dataset
    assert ml.Results.load(made.path, dataset=DATA).dataset is DATA
    with pytest.raises(RunError, match="not those of the run"):
        ml.Results.load(made.path, dataset=DATA.take(1))


def test_numpy_numbers_are_numbers():
    results = ml.evaluate({"w": Window()}, DATA, [], budget=np.array([10, 20]), seed=np.int64(3))
    assert [budget for _, budget in results.groups] == [10, 20]
    assert ml.evaluate({"w": Window()}, DATA, [], budget=range(10, 30, 10)).groups


def test_what_a_reader_asks_for_wrongly_is_said():
    results = ml.evaluate({"w": Window()}, DATA, [Recall()])
    with pytest.raises(ConfigError, match="no strategy 'v w'"):
        results.failures("v w")
    assert list(results.failures(below=0.0).columns)[:2] == ["strategy", "conversation"]
    with pytest.raises(ConfigError, match="no record has a field 'strategy'"):
        results.by("strategy")
    with pytest.raises(Faults, match="Window is a class"):
        ml.evaluate({"w": Window}, DATA, [])
    with pytest.raises(Exception, match=r"expected an object: Window\(\)"):
        ml.check_memory(Window)

    def broken(rankings):
        raise AttributeError("no such column")

    with pytest.raises(ConfigError, match="broken failed: AttributeError: no such column"):
        results.values(broken)


def test_leaks_and_rejected_claims_are_told_without_being_asked_for():
    turns = [
        Turn(
            id=f"t{i}",
            text=f"{name} keeps key {i}77 in the shed",
            time=NOW,
            user=name,
        )
        for i, name in enumerate(("ann", "bob"))
    ]
    probe = Probe(id="p", text="?", time=NOW, user="ann", evidence=("t0",))
    data = Dataset("toy", (Conversation("c", (*turns, probe)),))

    class Leaks(NoMemory):
        def read(self, query, budget):
            return [Item.of(turn) for turn in turns]

    class Claims(NoMemory):
        def read(self, query, budget):
            return [Item("Something else was said about boats.", ("t0",), "fact")]

    shown = repr(ml.evaluate({"leaky": Leaks(), "claims": Claims()}, data, [Recall()]))
    assert "leak: 'leaky' returned another user's turns on 1 reads" in shown
    assert "claims: 1 of 1 sources of 'claims' are not borne out by its texts" in shown


def test_an_interrupted_run_tells_what_is_kept(tmp_path, monkeypatch, capsys):
    (tmp_path / "stops.py").write_text(
        "from memlab.strategies import NoMemory\n"
        "class Stops(NoMemory):\n"
        "    def write(self, turn):\n"
        "        raise KeyboardInterrupt\n"
    )
    (tmp_path / "x.toml").write_text(BAD + 's = "stops:Stops()"\n')
    assert main(["run", str(tmp_path / "x.toml"), "--out", str(tmp_path / "out")]) == 130
    assert "interrupted; 8 of 16 units are kept" in capsys.readouterr().err
    (spec,) = (tmp_path / "out").glob("*/spec.toml")
    (tmp_path / "stops.py").write_text((tmp_path / "stops.py").read_text())
    assert main(["run", str(spec)]) == 130
    assert "8 of 16 units are kept" in capsys.readouterr().err
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_state_is_made_in_reset():
    with pytest.raises(AttributeError, match=r"reset\(\) comes before"):
        Window().write(Turn(id="t", text="x", time=NOW))
    assert Vector().run is not None


def test_explain_tells_the_parts_of_a_score():
    memory = Hybrid(legs=(BM25(form="text"), Late()))
    memory.reset()
    memory.attach(Run())
    for turn in talk().turns():
        memory.write(turn)
    memory.flush()
    table = memory.explain(Query("word2", NOW, "c"))
    assert table["turn"][0] == "t2"
    assert list(table.columns) == ["turn", "score", "leg 0: BM25", "leg 1: Late"]


BAD = """
name = "bad"
metrics = ["MRR()"]
[dataset]
name = "quickstart"
[strategies]
w = "Window()"
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('name = "bad"', "name = 5"),
        ('metrics = ["MRR()"]', 'metrics = "MRR()"'),
        ('metrics = ["MRR()"]', 'metrics = ["MRR()"]\ntokenizer = 5'),
        ('metrics = ["MRR()"]', 'metrics = ["MRR()"]\nout = 5'),
        ('metrics = ["MRR()"]', 'metrics = ["MRR()"]\njobs = 0'),
        ('metrics = ["MRR()"]', 'metrics = ["MRR()"]\nresume = "no"'),
        ('metrics = ["MRR()"]', 'metrics = ["Recall(unit=5)"]'),
        ('metrics = ["MRR()"]', "metrics = [\"Recall(answerable_only='no')\"]"),
        ('metrics = ["MRR()"]', 'metrics = ["BM25()"]'),
        ('"quickstart"', '"locomo"\npath = 5'),
        ('"quickstart"', '["a"]'),
        ('"quickstart"', '"quickstart"\nlimit = 0'),
        ('"Window()"', '"Window(turns=2.5)"'),
        ('"Window()"', '"Vector(embedder=Hashing(dimension=0))"'),
        ('"Window()"', '"Vector(index=BM25())"'),
        ('"Window()"', '"{[1]: 2}"'),
        ('"Window()"', '"{Window(): 1}"'),
        ('"Window()"', '"' + "-" * 3000 + '1"'),
        ('"Window()"', "5"),
    ],
)
def test_whatever_is_in_a_file_the_exit_code_is_2(old, new, tmp_path, capsys):
    path = tmp_path / "bad.toml"
    path.write_text(BAD.replace(old, new))
    assert main(["run", str(path), "--out", str(tmp_path / "out")]) == 2
    errors = capsys.readouterr().err
    assert "Traceback" not in errors
    assert "fault(s) found" in errors
    assert not (tmp_path / "out").exists()


def test_places_that_cannot_be_written_and_folders_that_are_damaged(tmp_path, capsys):
    config = tmp_path / "good.toml"
    config.write_text(BAD)
    (tmp_path / "file").touch()
    assert main(["run", str(config), "--out", str(tmp_path / "file" / "below")]) == 2
    assert main(["run", str(config), "--out", str(tmp_path / "out")]) == 0
    (folder,) = (tmp_path / "out").iterdir()
    for name, text in (
        ("records.jsonl", '{"a": 1}\n'),
        ("latency.json", "[]"),
        ("manifest.json", "{}"),
    ):
        (folder / name).write_text(text)
        assert main(["show", str(folder)]) == 2
    (folder / "records.jsonl").unlink()
    assert main(["run", str(config), "--out", str(tmp_path / "out")]) == 0
    assert "Traceback" not in capsys.readouterr().err


def test_an_unexpected_crash_is_not_called_a_regression(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("memlab.config.read_config", lambda path: 1 / 0)
    assert main(["run", str(tmp_path / "x.toml")]) == 2
    assert "ZeroDivisionError" in capsys.readouterr().err
