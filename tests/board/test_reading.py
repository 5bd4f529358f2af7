"""Files of claims: everything that is wrong is told at once, with a hint, before anything runs."""

import pytest

from memlab.board.needs import absent
from memlab.board.reading import read_claims
from memlab.errors import ConfigError, Faults

GOOD = """
id = "H01"
claim = "A window of two turns forgets the third."
needs = ["Window"]

[[workloads]]
name = "short talk"
why = "Three turns and more."

[workloads.experiment]
budget = 100
dataset = { name = "quickstart" }

[workloads.experiment.strategies]
"last 2" = "Window(turns=2)"
bm25 = "BM25()"

[[workloads.checks]]
metric = "Recall()"
strategy = "last 2"
baseline = "bm25"
expect = "less"
"""


@pytest.fixture
def folder(tmp_path):
    def write(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.toml").write_text(text, "utf-8")
        return tmp_path

    return write


def faults(folder, *ids):
    with pytest.raises((Faults, ConfigError)) as raised:
        read_claims(folder, ids)
    return str(raised.value)


def test_a_claim(folder):
    (claim,) = read_claims(folder(H01=GOOD))
    assert (claim.id, claim.needs) == ("H01", ("Window",))
    (workload,) = claim.workloads
    assert workload.experiment == {
        "name": "h01-short-talk",
        "budget": 100,
        "dataset": {"name": "quickstart"},
        "strategies": {"last 2": "Window(turns=2)", "bm25": "BM25()"},
        "metrics": ["Recall()"],
    }
    (check,) = workload.checks
    assert (check.title, str(check.expectation)) == ("last 2 − bm25: Recall()", "less")


def test_an_experiment_runs_by_itself(folder):
    (claim,) = read_claims(folder(H01=GOOD))
    results = claim.workloads[0].run()
    assert list(results.groups) == [("last 2", 100), ("bm25", 100)]


def test_paths_are_relative_to_the_repository(folder, tmp_path):
    (tmp_path / "pyproject.toml").touch()
    text = GOOD.replace(
        '{ name = "quickstart" }', '[{ name = "locomo", path = "data/x.json" }, { name = "beam" }]'
    )
    (claim,) = read_claims(folder(H01=text))
    paths = [table.get("path") for table in claim.workloads[0].experiment["dataset"]]
    assert paths == [str(tmp_path / "data" / "x.json"), None]


def test_the_digest_is_of_what_decides(folder):
    def digest(text):
        return read_claims(folder(H01=text))[0].digest

    first = digest(GOOD)
    for told in ("A window of two", "Three turns and more"):
        assert digest(GOOD.replace(told, "Otherwise")) == first
    assert digest(GOOD + "# a comment") == first
    for decides in ("turns=2", 'expect = "less"', "budget = 100"):
        assert digest(GOOD.replace(decides, decides.replace("2", "3").replace("less", "greater")
                                   .replace("100", "200"))) != first  # fmt: skip


def test_some_of_the_claims(folder):
    place = folder(H01=GOOD, H02=GOOD.replace("H01", "H02"))
    assert [claim.id for claim in read_claims(place)] == ["H01", "H02"]
    assert [claim.id for claim in read_claims(place, ["H02"])] == ["H02"]
    told = faults(place, "H3", "H02", "H99")
    assert "no claim 'H3'" in told
    assert "no claim 'H99'" in told


def test_no_claims_at_all(tmp_path):
    assert "no claims in" in faults(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "H01"', 'id = "H02"', "id = 'H02'; expected the name of the file, 'H01'"),
        ("claim =", "clam =", "no 'claim'"),
        ("claim =", "clam =", "unknown key 'clam'; did you mean 'claim'?"),
        ("needs =", "nedes =", "unknown key 'nedes'"),
        ('["Window"]', '["window"]', "needs 'window'"),
        ('["Window"]', "[1]", "needs holds 1"),
        ("why =", "because =", "no 'why'"),
        ("Window(turns=2)", "Windw(turns=2)", "unknown name 'Windw'"),
        ("Window(turns=2)", "Window(turn=2)", "Window has no parameter 'turn'"),
        ("budget = 100", "budget = 100\nbudgets = 3", "unknown key 'budgets'"),
        ("budget = 100", 'budget = "lots"', "budget = 'lots'"),
        ("budget = 100", "budget = []", "budget = []"),
        ('"quickstart"', '"quickstat"', "did you mean 'quickstart'?"),
        ('"quickstart"', '"synthetic", turn = 9', "unknown dial 'turn'; did you mean 'turns'?"),
        ('"quickstart"', '"synthetic", turns = 1', "turns=1"),
        ('"last 2"\nbase', '"last 3"\nbase', "no strategy 'last 3' in this workload"),
        ("[[workloads.checks]]", '[[workloads.checks]]\nkind = "contrst"', "did you mean 'contra"),
        ("[[workloads.checks]]", "[[workloads.check]]", "no 'checks'"),
        ("[workloads.experiment.strategies]", "[workloads.experiment.strategy]", "no 'strategies'"),
        ("id =", "id", "is not TOML"),
    ],
)
def test_faults(folder, old, new, message):
    assert old in GOOD
    assert message in faults(folder(H01=GOOD.replace(old, new)))


def test_all_faults_of_all_files_at_once(folder):
    first = GOOD.replace("turns=2", "turn=2").replace('expect = "less"', 'expect = "smaller"')
    told = faults(folder(H01=first, H02=GOOD))
    for part in ("3 fault(s) found", "'turn'", "expect = 'smaller'", "H02.toml: id = 'H01'"):
        assert part in told


def test_two_workloads_of_one_name_and_too_many_tests(folder):
    workload = GOOD[GOOD.index("[[workloads]]") :]
    check = GOOD[GOOD.index("[[workloads.checks]]") :]
    told = faults(folder(H01=GOOD + workload + check * 10))
    assert "two workloads are named 'short talk'" in told
    assert "12 tests; expected at most 10 of a claim" in told


def test_a_rule_is_no_test_and_not_counted(folder):
    check = """
[[workloads.checks]]
metric = "Recall()"
strategy = "*"
expect = "never above"
value = 1
"""
    assert len(read_claims(folder(H01=GOOD + check * 10))[0].workloads[0].checks) == 11


FUTURE = GOOD.replace('["Window"]', '["Telepathy.range", "Window"]').replace(
    "Window(turns=2)", "Telepathy(inner=Window(turns=2), range=3)"
)


def test_names_to_come_must_be_needs(folder):
    (claim,) = read_claims(folder(H01=FUTURE))
    assert absent(claim.needs) == ("memlab has no Telepathy yet",)
    told = faults(folder(H01=FUTURE.replace('"Telepathy.range", ', "")))
    assert "unknown name 'Telepathy'; expected a name in needs" in told


@pytest.mark.parametrize(
    ("need", "sentence"),
    [
        ("Window.turns", None),
        ("Window.colour", "memlab's Window has no parameter 'colour' yet"),
        ("synthetic.turns", None),
        ("synthetic.mood", "synthetic dialogues have no dial 'mood' yet"),
        ("memlab.text", None),
        ("memlab.text:words", None),
        ("memlab.text:telepathy", "memlab has no text:telepathy yet"),
        ("memlab.stars", "memlab has no stars yet"),
        ("memlab.stars.far", "memlab has no stars.far yet"),
    ],
)
def test_needs_in_plain_words(need, sentence):
    assert absent([need, need]) == ((sentence,) if sentence else ())
