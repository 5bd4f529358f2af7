"""Passes have a shape that depends on the length of their texts alone."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from memlab.encoding.passes import STEP, TOKENS, in_passes  # noqa: E402


class Words:
    """A model of words: ids are their lengths, a row is the sum and the number of ids."""

    device = torch.device("cpu")

    def __init__(self, side="right", most=None, **more):
        self.tokenizer = SimpleNamespace(padding_side=side, pad_token_id=99)
        self.max_seq_length = most
        self.more = more
        self.shapes = []

    def preprocess(self, texts, prompt=None):
        ids = [[len(w) for w in f"{prompt or ''}{text}".split()] for text in texts]
        width = max(map(len, ids))
        pads = [[99] * (width - len(row)) for row in ids]
        left = self.tokenizer.padding_side == "left"
        rows = [p + r if left else r + p for r, p in zip(ids, pads, strict=True)]
        found = torch.tensor(rows)
        return {"input_ids": found, "attention_mask": (found != 99).long()} | self.more

    def forward(self, features):
        ids, mask = features["input_ids"], features["attention_mask"]
        assert ((ids == 99) == (mask == 0)).all()
        self.shapes.append(tuple(ids.shape))
        return torch.stack([(ids * mask).sum(1), mask.sum(1)], 1).numpy()


def text(words, length=3):
    return " ".join(["x" * length] * words)


@pytest.mark.parametrize("side", ["left", "right"])
def test_rows_and_widths_are_fixed_by_length(side):
    model = Words(side)
    rows, spent = in_passes(model, model.forward, [text(5), text(300), text(7, 2), text(9)])
    assert [row.tolist() for row in rows] == [[15, 5], [900, 300], [14, 7], [27, 9]]
    # 300 words alone; 9 in 12 places, 21 rows; 5 and 7 in 8 places, 32 rows, 30 of them filled.
    assert sorted(model.shapes) == [(1, 300), (TOKENS // 12, 12), (TOKENS // 8, 8)]
    assert STEP == 4
    assert min(spent) >= 0


def test_a_full_pass_is_followed_by_another():
    model = Words()
    rows, _ = in_passes(model, model.forward, [text(4, n % 7 + 1) for n in range(100)])
    assert [row.tolist() for row in rows] == [[4 * (n % 7 + 1), 4] for n in range(100)]
    assert model.shapes == [(64, 4)] * 2


def test_alone_each_text_has_its_own_length():
    model = Words()
    rows, _ = in_passes(model, model.forward, ["a bc", "def"], "to ", alone=True)
    assert [row.tolist() for row in rows] == [[5, 3], [5, 2]]
    assert sorted(model.shapes) == [(1, 2), (1, 3)]


def test_the_limit_of_a_model_is_not_passed_by_padding():
    model = Words(most=6)
    in_passes(model, model.forward, [text(6)])
    assert model.shapes == [(TOKENS // 6, 6)]


def test_a_model_that_takes_more_than_ids_gets_one_text_at_a_time():
    model = Words(offsets=torch.tensor([0]))
    rows, _ = in_passes(model, model.forward, ["a bc", "def"])
    assert [row.tolist() for row in rows] == [[3, 2], [3, 1]]
    assert sorted(model.shapes) == [(1, 1), (1, 2)]
