"""Synthetic corpora in the layout that the WiSeBE study reads."""

import random
from pathlib import Path

SUBJECTS = "we they you people nobody everyone".split()
VERBS = "see take like want know hear".split()
OBJECTS = "it them this that something more".split()
ADVERBS = "today again later here now".split()

Sentence = list[str]


def speech(seed: int, count: int) -> list[Sentence]:
    """Return sentences whose first and last words are of distinct kinds, so that they can be
    learnt.
    """
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        sentence = [chance.choice(SUBJECTS), chance.choice(VERBS), chance.choice(OBJECTS)]
        made.append(sentence + [chance.choice(ADVERBS)] * chance.randint(0, 1))
    return made


def ends(sentences: list[Sentence]) -> list[bool]:
    return [last for s in sentences for last in [False] * (len(s) - 1) + [True]]


def blurred(flags: list[bool], seed: int) -> list[bool]:
    """Return another annotation: some boundaries are missing, some are added."""
    chance = random.Random(seed)
    seen = [not f if chance.random() < (0.25 if f else 0.05) else f for f in flags]
    return [*seen[:-1], True]


def nlp(words: list[str], flags: list[bool]) -> str:
    rows = ["token|speaker|ts|endTs|punctuation|case|tags"]
    rows += [f"{w}|0|||{'.' if f else ''}|LC|[]" for w, f in zip(words, flags, strict=True)]
    return "\n".join(rows) + "\n"


def lines(words: list[str], flags: list[bool]) -> str:
    return "".join(w + ("\n" if f else " ") for w, f in zip(words, flags, strict=True))


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def transcripts(folder: Path, names: dict[str, str], recordings: int) -> None:
    """Write recordings with the same words for all transcribers and different boundaries."""
    for number in range(recordings):
        sentences = speech(100 + number, 40 + 5 * number)
        words, true = [w for s in sentences for w in s], ends(sentences)
        for k, (name, below) in enumerate(names.items()):
            text = nlp(words, blurred(true, 10 * number + k))
            put(folder / name / below / f"talk{number}.nlp", text)


def corpora(data: Path) -> Path:
    """Write all folders that the study reads."""
    sentences = speech(1, 30)
    words, true = [w for s in sentences for w in s], ends(sentences)
    for i in (1, 2, 3):
        put(data / "wisebe" / "references" / f"reference_{i}.txt", lines(words, blurred(true, i)))
    for i, name in enumerate("AB", 4):
        put(data / "wisebe" / "candidate" / f"candidate_{name}.txt", lines(words, blurred(true, i)))
    four = dict.fromkeys(("amberscript", "coraal", "rev", "rev_aa"), "nlp")
    transcripts(data / "coraal-multi", four, 4)
    transcripts(data / "rev16", dict.fromkeys(("verbatim", "nonverbatim"), ""), 3)
    turns = [" ".join(s) + "." for s in speech(2, 300)]
    documents = ["\n".join(turns[i : i + 50]) for i in range(0, 300, 50)]
    put(data / "text-en" / "scotus.txt", "\n\n".join(documents) + "\n")
    for number in range(4):
        sentences = speech(50 + number, 60)
        words = [w for s in sentences for w in s]
        # This teacher hears an end after adverbs only, so that the system finds half of them.
        flags = [word in ADVERBS for word in words]
        put(data / "earnings22" / "references" / f"{number}.nlp", nlp(words, [*flags[:-1], True]))
    return data
