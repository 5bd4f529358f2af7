"""The spec of the dialogues: one frozen value, also as TOML, its faults told at once."""

from dataclasses import FrozenInstanceError, fields

import pytest

from memlab.errors import ConfigError, DataError, Faults
from memlab.synthetic.profiles import PROFILES, profile
from memlab.synthetic.spec import ABILITIES, DialogueSpec


def test_toml_reads_back_to_an_equal_spec(tmp_path):
    spec = DialogueSpec(turns=123, language="mixed", abilities={"update": 2, "emotion": 1})
    path = tmp_path / "spec.toml"
    path.write_text(spec.to_toml(), encoding="utf-8")
    assert DialogueSpec.read(path) == spec
    assert DialogueSpec.read(path).version == spec.version


def test_a_spec_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        DialogueSpec().turns = 3


def test_whole_numbers_and_floats_of_a_share_are_one_spec():
    assert DialogueSpec(overlap=1).version == DialogueSpec(overlap=1.0).version


def test_every_dial_changes_the_version():
    other = {
        "language": "zh", "style": "chat", "messages": "long", "timing": "end",
        "distance": "uniform", "abilities": {"update": 1.0},
    }  # fmt: skip
    base = DialogueSpec(users=1, abilities={"single_fact": 1.0})
    versions = {base.version}
    for field in fields(DialogueSpec):
        value = other.get(field.name)
        if value is None:
            now = getattr(base, field.name)
            value = now / 2 if isinstance(now, float) else now + 1
        versions.add(base.with_(**{field.name: value}).version)
    assert len(versions) == 1 + len(fields(DialogueSpec))


def test_all_faults_are_told_at_once():
    with pytest.raises(Faults) as caught:
        DialogueSpec(turns=0, overlap=1.5, language="fr", abilities={"updates": 1}, seed="x")
    text = str(caught.value)
    for part in ("turns=0", "overlap=1.5", "language='fr'", "'updates'", "seed='x'"):
        assert part in text
    assert "did you mean" in text.lower()


@pytest.mark.parametrize(
    ("dials", "told"),
    [
        ({"users": 1}, "isolation"),
        ({"style": "chat", "users": 2}, "users=1"),
        ({"style": "chat", "users": 1, "abilities": {"tool": 1}}, "tool"),
        ({"turns": 40, "sessions": 20}, "4 turns a session"),
        ({"turns": 100, "probes": 60}, "2 turns for each probe"),
        ({"abilities": {}}, "weight 0"),
        ({"abilities": dict.fromkeys(ABILITIES, 0)}, "weight 0"),
        ({"abilities": {"update": -1}}, "update"),
        ({"abilities": ["update"]}, "mapping"),
        ({"details": float("nan")}, "details"),
        ({"facts": True}, "facts=True"),
    ],
)
def test_dials_that_contradict_each_other(dials, told):
    with pytest.raises(Faults, match=told):
        DialogueSpec(**dials)


def test_where_only_zeros_are_given_all_others_are_asked():
    spec = DialogueSpec(users=1, abilities={"isolation": 0, "tool": 0})
    assert set(spec.abilities) == set(ABILITIES) - {"isolation", "tool"}
    assert set(DialogueSpec(abilities={"update": 2, "tool": 0}).abilities) == {"update"}


def test_unknown_dials_are_named_with_a_suggestion(tmp_path):
    with pytest.raises(Faults, match="overlap") as caught:
        DialogueSpec.of({"overlapp": 1, "turns": 0})
    assert "turns=0" in str(caught.value)
    with pytest.raises(Faults, match="overlap"):
        DialogueSpec().with_(overlapp=1)


def test_a_file_that_is_none(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        DialogueSpec.read(tmp_path / "absent.toml")
    path = tmp_path / "spec.toml"
    path.write_bytes(b"\xff = 3")
    with pytest.raises(DataError, match="not TOML"):
        DialogueSpec.read(path)


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_read(name):
    assert profile(name).users == 1


def test_an_unknown_profile():
    with pytest.raises(ConfigError, match="chat"):
        profile("chatt")


def test_the_default_asks_for_every_ability():
    assert tuple(DialogueSpec().abilities) == ABILITIES
