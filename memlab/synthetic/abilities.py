"""The abilities by name: each a function that plans the facts of a question, and asks it."""

from __future__ import annotations

from memlab.synthetic.plan import Ability
from memlab.synthetic.recall import (
    aggregation,
    assistant,
    contradiction,
    emotion,
    multi_hop,
    preference,
    procedure,
    single_fact,
    temporal,
    tool,
    update,
)
from memlab.synthetic.traps import abstention, deletion, isolation, near_duplicate

ABILITY: dict[str, Ability] = {
    function.__name__: function
    for function in (
        single_fact, multi_hop, aggregation, temporal, update, contradiction, preference,
        procedure, assistant, tool, emotion, abstention, deletion, isolation, near_duplicate,
    )
}  # fmt: skip
