"""Small treebanks: read, randomly changed, and scored by the CoNLL 2018 evaluator."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from udtools.udeval import evaluate, load_conllu

from caesura.core.transcript import Transcript
from caesura.core.values import Counts
from caesura.formats.linguistic.conllu import ConllU
from caesura.metrics.joint import Joint

UNITS = {"Tokens": "token", "Words": "word", "Sentences": "sentence"}
LAYERS = {"UPOS": "upos", "XPOS": "xpos", "Lemmas": "lemma", "UAS": "uas", "LAS": "las"}
Found = dict[str, tuple[int, int, int]]


@dataclass(eq=False)
class Word:
    """A syntactic word; without a head it is the root of its sentence, or attached to it."""

    form: str
    lemma: str = "_"
    upos: str = "X"
    xpos: str = "_"
    relation: str = "dep"
    head: Word | None = None


@dataclass
class Token:
    """A written token and its words; even one word may be a multiword token."""

    form: str
    words: list[Word]
    shared: bool = False


Text = list[list[Token]]


def bare(form: str, shared: bool = False) -> Token:
    """Make a token of one word."""
    return Token(form, [Word(form)], shared)


def load(file: Path) -> Text:
    """Read a file, without comments and empty nodes."""
    return [_sentence(block) for block in file.read_text("utf-8").split("\n\n") if block.strip()]


def _sentence(block: str) -> list[Token]:
    rows = [row.split("\t") for row in block.strip("\n").split("\n") if row[0] != "#"]
    words = [Word(r[1], r[2], r[3], r[4], r[7]) for r in rows if r[0].isdigit()]
    for row, word in zip((row for row in rows if row[0].isdigit()), words, strict=True):
        word.head = words[int(row[6]) - 1] if row[6] != "0" else None
    tokens, done = [], 0
    for row in rows:
        if "-" in row[0]:
            first, last = map(int, row[0].split("-"))
            tokens.append(Token(row[1], words[first - 1 : last], True))
            done = last
        elif row[0].isdigit() and int(row[0]) > done:
            tokens.append(Token(row[1], [words[int(row[0]) - 1]]))
    return tokens


def written(text: Text) -> str:
    """Write CoNLL-U with valid trees: words without a head are attached to the root."""
    return "".join(f"{row}\n" for sentence in text for row in (*_rows(sentence), ""))


def _rows(sentence: list[Token]) -> Iterator[str]:
    words = [word for token in sentence for word in token.words]
    number = {word: n for n, word in enumerate(words, 1)}
    root = next(word for word in words if word.head not in number)
    done = 0
    for token in sentence:
        if token.shared:
            yield f"{done + 1}-{done + len(token.words)}\t{token.form}" + "\t_" * 8
        for word in token.words:
            done += 1
            form = word.form if token.shared else token.form
            head = 0 if word is root else number.get(word.head or root, number[root])
            cells = (done, form, word.lemma, word.upos, word.xpos, "_", head, word.relation)
            yield "\t".join(map(str, (*cells, "_", "_")))


def transcript(page: str) -> Transcript:
    """Read CoNLL-U as one text."""
    (found,) = ConllU().read(io.BytesIO(page.encode()))
    return found


def by_evaluator(gold: str, system: str) -> Found:
    """Return the correct, gold and system totals of the evaluator."""
    pages = [load_conllu(io.StringIO(page), "", {}) for page in (gold, system)]
    scores = evaluate(*pages)
    return {
        name: (scores[name].correct, scores[name].gold_total, scores[name].system_total)
        for name in (*UNITS, *LAYERS)
    }


def by_joint(gold: str, system: str) -> Found:
    """Return the same from Joint, for annotations that both texts have."""
    return totals(Joint().count(transcript(system), [transcript(gold)]))


def totals(counts: Counts) -> Found:
    """Return counts in the order of the evaluator."""
    found: dict[str, tuple[float, float, float]] = {}
    for name, unit in UNITS.items():
        right, wrong, missing = (counts[f"{unit}_{kind}_1"] for kind in ("tp", "fp", "fn"))
        found[name] = right, right + missing, right + wrong
    for name, layer in LAYERS.items():
        if f"{layer}_correct_1" in counts:
            found[name] = counts[f"{layer}_correct_1"], *found["Words"][1:]
            assert counts[f"{layer}_words_1"] == sum(found["Words"][1:])
            assert counts[f"{layer}_aligned_1"] == found["Words"][0]
    return found  # type: ignore[return-value]


def differences(gold: str, system: str) -> Found:
    """Return what differs from the evaluator; only annotations without cells may be missing."""
    ours, theirs = by_joint(gold, system), by_evaluator(gold, system)
    assert {*UNITS, "UAS", "LAS"} <= ours.keys()
    return {name: theirs[name] for name, each in ours.items() if theirs[name] != each}


@dataclass
class Recut:
    """Makes a copy with the same characters, but other tokens, sentences and annotations."""

    chance: Random
    rate: float
    words: dict[Word, Word] = field(default_factory=dict)

    def of(self, text: Text) -> Text:
        """Change the sentences, tokens and annotations of a treebank."""
        self.words = {w: replace(w) for s in text for t in s for w in t.words}
        for word in self.words.values():
            word.head = self.words.get(word.head) if word.head else None
        new: Text = [[]]
        for sentence in text:
            for token in sentence:
                new[-1] += self._changed(self._copy(token))
                if self._now(0.2) and new[-1]:
                    new.append([])
            if new[-1] and not self._now(1):
                new.append([])
        new = [self._merged(sentence) for sentence in new if sentence]
        for sentence in new:
            self._retag([word for token in sentence for word in token.words])
        return new

    def _now(self, share: float) -> bool:
        return self.chance.random() < self.rate * share

    def _copy(self, token: Token) -> Token:
        return Token(token.form, [self.words[word] for word in token.words], token.shared)

    def _changed(self, token: Token) -> list[Token]:
        """Split a token, split a multiword token, or make one."""
        if token.shared:
            if not self._now(3):
                return [token]
            parts = self._pieces(token.form, len(token.words))
            return [Token(p, [w]) for p, w in zip(parts, token.words, strict=False)]
        if self._now(1):
            return [bare(part) for part in self._pieces(token.form, 2)]
        if self._now(1):
            parts = self._pieces(token.form, self.chance.randint(1, 3))
            forms = [self.chance.choice((part, part.upper(), "x")) for part in parts]
            return [Token(token.form, [Word(form) for form in forms], True)]
        return [token]

    def _pieces(self, form: str, count: int) -> list[str]:
        places = sorted(self.chance.choices(range(len(form) + 1), k=count - 1))
        pieces = (form[a:b].strip() for a, b in zip([0, *places], [*places, None], strict=True))
        return [piece for piece in pieces if piece]

    def _merged(self, sentence: list[Token]) -> list[Token]:
        """Join neighbours to one word or a multiword token."""
        new = sentence[:1]
        for token in sentence[1:]:
            if not self._now(1.5):
                new.append(token)
                continue
            before = new.pop()
            form, both = before.form + token.form, before.words + token.words
            kept = self.chance.random() < 0.6
            new.append(Token(form, both, True) if kept else Token(form, both[:1]))
        return new

    def _retag(self, words: list[Word]) -> None:
        for word in words:
            if self._now(1):
                word.upos, word.xpos = self.chance.choice("NV"), self.chance.choice("nv_")
            if self._now(1):
                word.lemma = self.chance.choice((word.lemma, "_", "x"))
            if self._now(1):
                word.relation = self.chance.choice(("obj", "dep:x", word.relation + ":y"))
            if self._now(1):
                new = self.chance.choice(words)
                if word not in _above(new):
                    word.head = new


def _above(word: Word | None) -> Iterator[Word]:
    """Return a word, its head, the head of that, and so on."""
    while word is not None:
        yield word
        word = word.head
