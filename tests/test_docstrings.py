"""Every public name says what it is; functions begin with a verb, components show or cite."""

import importlib
import inspect

import pytest

import memlab
from memlab import registry

PUBLIC = {f"ml.{name}": getattr(memlab, name) for name in memlab.__all__}
PARTS = {name: registry.load_target(target) for name, target in registry.COMPONENTS.items()}
LOADERS = {name: registry.load_target(target) for name, target in registry.DATASETS.items()}
RETURNED = {
    path: getattr(importlib.import_module(path.rpartition(".")[0]), path.rpartition(".")[2])
    for path in (
        "memlab.comparison.Comparison",
        "memlab.plots.Plots",
        "memlab.rundata.RunData",
        "memlab.testing.Report",
    )
}
MODULES = (
    "protocols stats inference.sign_flip inference.wilcoxon inference.multiple inference.margins "
    "inference.bootstrap inference.effects inference.power inference.repeats inference.correction"
)
NO_VERB = {"the", "a", "an", "this", "that", "it", "its", "of", "for", "all", "what", "whether"}
THIRD_PERSON = {"returns", "gives", "makes", "takes", "reads", "writes", "computes", "checks"}


def functions(thing):
    """Yield the public functions and methods of a class or module, properties left out."""
    for name, member in vars(thing).items():
        member = member.__func__ if isinstance(member, staticmethod | classmethod) else member
        if inspect.isfunction(member) and not name.startswith("_"):
            yield name, member


def everything():
    """Yield every name with what must have a docstring, and whether a verb comes first."""
    for name, thing in {**PUBLIC, **PARTS, **LOADERS, **RETURNED}.items():
        if not inspect.isclass(thing):
            yield name, thing, True
            continue
        yield name, thing, False
        for base in thing.__mro__:
            if base.__module__.startswith("memlab."):
                yield from ((f"{name}.{n}", found, True) for n, found in functions(base))
                for n, found in vars(base).items():
                    if isinstance(found, property) and not n.startswith("_"):
                        yield f"{name}.{n}", found, False
    for path in MODULES.split():
        module = importlib.import_module(f"memlab.{path}")
        for name, found in functions(module):
            if found.__module__ == module.__name__:
                yield f"{path}.{name}", found, True


NAMED = {name: (thing, verb) for name, thing, verb in everything()}


def test_there_is_something_to_check():
    assert len(NAMED) > 200
    assert {"ml.evaluate", "ml.Results.compare", "Recall.check", "stats.paired"} <= set(NAMED)


@pytest.mark.parametrize("name", NAMED)
def test_it_has_a_docstring_and_functions_begin_with_a_verb(name):
    thing, verb = NAMED[name]
    told = inspect.getdoc(thing) or ""
    assert told, "no docstring"
    first = told.split("\n\n")[0]
    assert first.rstrip()[-1] in ".:?!)…"
    if verb:
        word = first.split()[0].strip("`,.:").lower()
        assert word.isalpha(), first
        assert word not in NO_VERB | THIRD_PERSON, first


@pytest.mark.parametrize("name", PARTS)
def test_a_component_shows_an_example_or_names_its_source(name):
    told = inspect.getdoc(PARTS[name])
    assert ">>> " in told or "\nSource: " in told


@pytest.mark.parametrize("name", registry.METRICS)
def test_a_metric_has_a_formula_and_a_source(name):
    told = inspect.getdoc(PARTS[name])
    assert "\nFormula: " in told
    assert "\nSource: " in told


def test_parameters_that_are_explained_exist():
    for name, (thing, _) in NAMED.items():
        told = inspect.getdoc(thing) or ""
        if "\nArgs:\n" not in told:
            continue
        _, _, rest = told.partition("\nArgs:\n")
        listed = [
            line.strip().partition(":")[0].lstrip("*")
            for line in rest.split("\n\n")[0].splitlines()
            if line.startswith("    ") and not line.startswith("     ")
        ]
        known = inspect.signature(thing).parameters
        assert listed, name
        assert set(listed) <= set(known), name
