"""How far a turn gives away by itself that it is evidence: by its words, by its length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from memlab.text import terms

Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]
Groups = NDArray[np.int64]

_FOLDS = 5
_LEAST = 2  # turns of the training part that must hold a term for it to count


def within(labels: Labels, scores: Floats, groups: Groups) -> Floats:
    """Return the AUC inside each group that holds both labels, in the order of the groups.

    A group with a score that is NaN has none.
    """
    from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]

    found = []
    for group in np.unique(groups):
        inside = groups == group
        label, score = labels[inside], scores[inside]
        if label.any() and not label.all() and not np.isnan(score).any():
            found.append(roc_auc_score(label, score))
    return np.array(found, dtype=np.float64)


def text_scores(texts: Iterable[str], labels: Labels, groups: Groups) -> Floats:
    """Return the log-odds (n,) of each text, by models fitted on other groups.

    The models are logistic regressions on TF-IDF weights of index terms, classes balanced, over
    at most five folds of whole groups; the weights too are those of the training part. NaN where
    the training part has one label only, or no term that two of its texts share. The texts are
    walked once and not kept. Needs at least two groups.
    """
    from sklearn.feature_extraction import DictVectorizer  # type: ignore[import-untyped]
    from sklearn.feature_extraction.text import TfidfTransformer  # type: ignore[import-untyped]
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    scores = np.full(len(labels), np.nan)
    counts = DictVectorizer().fit_transform(Counter(terms(text)) for text in texts)
    fold = _folds(groups)
    for number in range(int(fold.max()) + 1):
        train, test = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        known = counts[train].getnnz(axis=0) >= _LEAST
        if not known.any() or len(np.unique(labels[train])) < 2:
            continue
        weights = TfidfTransformer(sublinear_tf=True)
        model = LogisticRegression(class_weight="balanced", max_iter=1000)
        model.fit(weights.fit_transform(counts[train][:, known]), labels[train])
        scores[test] = model.decision_function(weights.transform(counts[test][:, known]))
    return scores


def _folds(groups: Groups) -> Groups:
    """Return the fold of every text: the largest group goes to the emptiest fold, and so on.

    As scikit-learn's GroupKFold, but groups of equal size keep their order on every machine.
    """
    names, sizes = np.unique(groups, return_counts=True)
    filled = np.zeros(min(_FOLDS, len(names)), dtype=np.int64)
    place: dict[int, int] = {}
    for i in np.argsort(-sizes, kind="stable"):
        lightest = int(np.argmin(filled))
        place[int(names[i])] = lightest
        filled[lightest] += sizes[i]
    return np.array([place[int(group)] for group in groups], dtype=np.int64)
