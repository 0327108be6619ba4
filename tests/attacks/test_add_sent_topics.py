"""Topics of texts: nearness is an exact number, so no processor and no order of adding can exchange two texts."""

import numpy as np

from augment_ru.attacks.add_sent.corpus import Corpus, shipped_corpus, topic, topics
from strategies import SENTENCES


def test_products_of_topics_are_exact() -> None:
    known = topics(shipped_corpus().sentences[:200])
    rng = np.random.default_rng(5)
    for text in SENTENCES:
        order = rng.permutation(known.shape[1])
        backwards = [sum(reversed((row[order] * topic(text)[order]).tolist())) for row in known]
        assert (known @ topic(text)).tolist() == backwards


def test_texts_of_one_topic_stay_in_the_order_of_the_corpus() -> None:
    same = ["Кошка спит на окне.", "Кошка сидит на окне.", "На окне кошка."]
    corpus = Corpus((*same, "Министр открыл завод.", *same), ())
    order, nearness = corpus.near("У кошки есть окно.")
    assert order.tolist() == [0, 1, 2, 4, 5, 6, 3]
    assert len(set(nearness[:6].tolist())) == 1
