"""The comparison of models: recordings kept aside, other tools, what is kept, and the page."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from recipes.compare_models import remarks
from recipes.comparison_data import (
    CORPORA,
    Corpus,
    Task,
    baseline_training,
    is_timed,
    misheard,
    recording_of,
)
from recipes.comparison_found import found
from recipes.comparison_page import Cell, Cost, Result, page
from recipes.comparison_peers import boundaries_of
from recipes.comparison_scores import boundary_scores, result_of, with_p_values
from recipes.comparison_systems import System, shipped
from recipes.development import LEFT_OUT, chosen, development_ids, others, trained_on
from recipes.english_models import HELD_OUT, Measured, best_shifts, mean_f1

import caesura
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined
from caesura.detectors.neural.mishearing import Mishearing, learn_mishearing
from caesura.formats.in_memory import Sentences
from caesura.text.alignment.word_alignment import align


def text(*sentences: str, id: str = "a") -> Transcript:
    (read,) = caesura.read(Sentences(list(sentences)))
    return read.replace(id=id)


def test_development_recordings_are_kept_aside() -> None:
    ids = development_ids()
    assert {name: len(each) for name, each in ids.items()} == {
        "earnings22": 8,
        "earnings21": 5,
        "rev16": 2,
    }
    recordings = [Transcript(("so",), id=id) for id in ("4443920", "1")]
    assert [each.id for each in chosen("earnings22/references", recordings)] == ["4443920"]
    assert [each.id for each in others("earnings22", recordings)] == ["1"]
    assert others("ted", recordings) == recordings


@pytest.mark.parametrize(
    ("rows", "seen"),
    [
        ([], False),
        ([{"name": "rev16/verbatim"}], False),
        ([{"name": "earnings22/references"}], True),
        ([{"name": "earnings22/references", **LEFT_OUT}], False),
        ([{"name": "earnings22/references", **LEFT_OUT}, {"name": "earnings22"}], True),
    ],
)
def test_a_card_says_whether_a_model_saw_the_recordings(
    rows: list[dict[str, str]], seen: bool
) -> None:
    assert trained_on("earnings22", rows) is seen


def test_the_test_part_of_a_treebank_is_not_the_rest_of_it() -> None:
    assert not trained_on("ud/english-ewt/test", [{"name": "ud/english-ewt"}])
    assert trained_on("iwslt-ted", [{"name": "iwslt-ted/dev2012", **LEFT_OUT}])


def test_shipped_english_models_take_part() -> None:
    systems = {one.name: one for one in shipped()}
    assert {"en", "en-fast", "en-sda"} <= set(systems)
    assert "fr" not in systems
    assert systems["en-sda"].trained_on("earnings22")
    for name in ("en", "en-fast"):
        assert not any(map(systems[name].trained_on, ("earnings22", "rev16", "coraal-multi")))
    assert (systems["en"].bytes or 0) > 4_000_000


def test_tools_that_cut_text_give_gaps() -> None:
    given = text("Well, it rains.", "(Does it?)", "Yes")

    def cut(whole: str) -> Sequence[str]:
        return [whole[:9], whole[9:17], whole[17:]]

    assert "".join(given.surface())[:17] == "Well, it rains. ("
    assert boundaries_of(given, cut).gaps.tolist() == [1, 3, 5]
    assert boundaries_of(given, lambda whole: [whole]).gaps.tolist() == [5]


def test_a_task_changes_its_key_with_what_models_see() -> None:
    one = Task("c", "words", (text("so it goes", "yes"),))
    timed = one.recordings[0].replace(start=np.arange(4.0))
    others = [
        Task("c", "words", (text("so it goes yes"),)),
        Task("c", "times", one.recordings),
        Task("c", "words", (timed,)),
    ]
    assert len({task.key for task in (one, *others)}) == 4
    assert one.key == Task("c", "words", (text("so it goes", "yes"),)).key
    assert one.given[0].sentences is None
    assert is_timed(timed)
    assert not is_timed(one.recordings[0])


def test_inputs_hide_what_is_not_named() -> None:
    given = text("So it GOES.", "Yes!").replace(speaker=tuple("AAAB"), start=np.arange(4.0))
    bare, speakers = Corpus("c", "", lambda _: [given], ("words", "words, speakers")).tasks(Path())
    assert bare.recordings[0].words == ("so", "it", "goes", "yes")
    assert set(bare.recordings[0].layers) == {"sentences"}
    assert set(speakers.recordings[0].layers) == {"sentences", "speaker"}
    (original,) = Corpus("c", "", lambda _: [given], ("original text",)).tasks(Path())
    assert original.recordings[0].words == given.words
    assert original.recordings[0].mark == given.mark


def test_marks_and_capitals_are_inputs_of_their_own() -> None:
    given = text("So it GOES, yes.").replace(speaker=tuple("AAAB"))
    inputs = ("words, marks", "words, capitals")
    marks, capitals = Corpus("c", "", lambda _: [given], inputs).tasks(Path())
    assert marks.recordings[0].words == ("so", "it", "goes", "yes")
    assert marks.recordings[0].mark == ("", "", ",", ".")
    assert capitals.recordings[0].words == given.words
    assert set(capitals.recordings[0].layers) == {"sentences"}


def test_misheard_words_keep_their_sentences() -> None:
    """A sentence ends after its last word that was heard; what was inserted there comes after."""
    given = text(*["so it goes", "yes it does"] * 60)
    nothing = Mishearing(error=np.zeros(1))
    assert misheard(given, nothing) == given.only(("sentences",))
    inserting = replace(nothing, words=("um",), insertion=0.5, inserted=np.zeros(1, np.int64))
    found = misheard(given, inserting)
    assert found.sentences is not None
    assert len(found) > 1.2 * len(given)
    # The last word always ends a sentence.
    ends = [found.words[gap] for gap in found.sentences.gaps.tolist()]
    assert ends[:120] == ["goes", "does"] * 60
    assert misheard(given, inserting) == found


def test_what_is_misheard_was_learnt() -> None:
    reference = "so it goes yes it does".split()
    told = ["so it goes um yes hit does".split(), "so goes yes it does".split()]
    learnt = learn_mishearing([(reference, heard, align(reference, heard)) for heard in told])
    found = misheard(text(*["so it goes", "yes it does"] * 60), learnt)
    assert {*found.words} == {*reference, "hit", "um"}
    assert found.sentences is not None
    kept = zip(found.words, found.sentences.boundary.tolist(), strict=True)
    assert all(is_end for word, is_end in kept if word in ("goes", "does"))


def test_thresholds_are_also_chosen_without_the_corpus_that_is_scored() -> None:
    def measured(corpus: str, input: str, shift: float) -> Measured:
        ends = np.arange(40) % 4 == 3
        odds = np.where(ends, 1.0, -1.0) + shift
        return Measured(Task(corpus, input, ()), [odds], [ends])

    alike = [measured("a", "words", -0.5), measured("b", "words", -0.5)]
    other = measured("c", "words", 1.5)
    timed = measured("a", "words, times", -0.5)
    shifts = best_shifts([*alike, other, timed])
    assert shifts == pytest.approx({True: 1.5, False: 1.5})
    assert timed.f1(shifts) == 1.0
    assert other.f1(shifts) < 1.0 == other.f1(best_shifts([other, timed]))
    assert mean_f1([{HELD_OUT: 0.5}, {HELD_OUT: 0.75}]) == 0.625


def system(name: str, gaps: list[int], calls: list[str], seen: bool = False) -> System:
    def detect(recordings: Sequence[Transcript]) -> list[Segmentation]:
        calls.append(name)
        return [Segmentation.of_gaps(len(each), [*gaps, len(each) - 1]) for each in recordings]

    rows = ({"name": "corpus"},) if seen else ()
    return System(name, f"key of {name}", detect, 10, rows)


def test_what_is_found_is_kept_and_tested(tmp_path: Path) -> None:
    recordings = tuple(text("so it goes", "yes it does", "no", id=str(n)) for n in range(12))
    task, calls = Task("corpus", "words", recordings), list[str]()
    systems = [
        system("good", [2, 5], calls),
        system("bad", [0, 1], calls),
        system("seen", [2, 5], calls, seen=True),
        system("none", [], calls),
    ]
    result = result_of(task, systems, boundary_scores(task, systems, tmp_path))
    assert result_of(task, systems, boundary_scores(task, systems, tmp_path)) == result
    assert calls == ["good", "bad", "seen", "none"]
    assert (result.recordings, result.words, result.sentences) == (12, 84, 24)
    good, bad, seen = (result.cells[name] for name in ("good", "bad", "seen"))
    assert good == Cell(1.0, (1.0, 1.0), is_best=True)
    assert bad.f1 == 0.0
    assert bad.p is not None
    assert bad.p < 0.05
    assert not bad.full().endswith("=")
    assert result.cells["none"].full() == "–"
    assert seen == Cell(1.0, (1.0, 1.0), was_seen=True)


def test_what_several_recognisers_heard_is_one_recording(tmp_path: Path) -> None:
    ids = [f"{name}/{call}" for name in ("amazon", "google") for call in range(4)]
    task = Task("corpus", "words", tuple(text("so it goes", "yes", id=id) for id in ids))
    systems = [system("good", [2], []), system("bad", [0], []), system("same", [2], [])]
    scores = boundary_scores(task, systems, tmp_path)
    assert [each.id for each in scores["good"].documents] == ["0", "1", "2", "3"]
    result = result_of(task, systems, scores)
    assert (result.recordings, result.words) == (4, 32)
    # With four recordings the lowest p-value is 1/8.
    assert result.cells["bad"].full() == ".000 [.000, .000] ="
    assert result.cells["same"].full() == "1.000 [1.000, 1.000] ="
    assert recording_of("calls/7") == "calls/7"


def test_boundaries_that_were_kept_before_are_still_found(tmp_path: Path) -> None:
    """The names of these files have not changed since there were no others."""
    task = Task("corpus", "words", (text("so it goes", "yes it does", "no"),))
    name = sha256(f"good key of good {task.key}".encode()).hexdigest()[:32]
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / f"{name}.json").write_text("[[3, 6]]")
    calls = list[str]()
    (kept,) = found(system("good", [2, 5], calls), task, tmp_path)
    assert kept.gaps.tolist() == [3, 6]
    assert not calls


def test_cells_are_written_briefly() -> None:
    assert Cell(0.6543, (0.6, 0.7), 0.2).full() == ".654 [.600, .700] ="
    assert Cell(0.6543, (0.6, 0.7), 0.01).full() == ".654 [.600, .700]"
    assert Cell(0.6543, (0.6, 0.7), is_best=True).full() == "**.654** [.600, .700]"
    assert Cell(0.6543, Undefined("few"), was_seen=True).full() == ".654†"
    assert Cell(Undefined("none"), Undefined("none")).full() == "–"
    assert with_p_values({"a": Cell(0.5, (0.4, 0.6), was_seen=True)}, {})["a"].p is None


def test_the_page_has_all_tables_and_says_what_was_run() -> None:
    cells = {"en": Cell(0.65, (0.6, 0.7), was_seen=True), "Pause": Cell(0.4, (0.3, 0.5))}
    results = [Result("talks", "words", 3, 1200, 80, cells)]
    costs = {"en": Cost(31_415.9, 120.4, 4_900_000), "Pause": Cost(1e6, 2, None)}
    made = page(results, {"talks": "three talks", "none": "x"}, {"talks": 0.82}, costs, ["Done."])
    for line in (
        "|  | a second person | en | Pause |",
        "| talks: words | *.820* | .650† | .400 |",
        "| *a second person* | *.820* |",
        "| en | 31,400 | 120 | 4.9 |",
        "| Pause | 1,000,000 | 2 | – |",
        "Three talks: 1,200 words, 80 sentence ends. With so few recordings intervals are too nar",
        "| en | .650† [.600, .700] |",
        "- Done.",
    ):
        assert line in made
    assert "## none" not in made


def test_sections_of_the_page_can_be_left_out() -> None:
    made = page([], {"talks": "three talks"}, {}, {}, ["Done."], ["## Delay", "Short."])
    assert "## Summary" not in made
    assert "## Speed" not in made
    assert made.endswith("## Delay\n\nShort.\n\n## What was run\n\n- Done.\n")


def test_remarks_name_what_is_missing() -> None:
    lines = remarks([], CORPORA[:1], {"pysbd": "not installed"})
    assert any("not run: earnings21, coraal-multi" in line for line in lines)
    assert lines[1].startswith("Baselines that were not run: LM, A, B, CRF, SDA+CRF")
    assert lines[-1] == "pysbd was not run: not installed."
    lines = remarks([], CORPORA, {}, ["marks", "delay"])
    assert "Sections that were not run: boundaries, costs, evidence." in lines


def test_baselines_train_on_no_development_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [*sorted(development_ids()["earnings22"]), *(f"9{n}" for n in range(9))]
    calls = [text("So it goes.", "Yes!", id=id) for id in ids]
    timed = [each.replace(start=np.arange(4.0), end=np.arange(4.0)) for each in calls]
    timed.append(text("No times.", id="99"))
    monkeypatch.setattr(caesura, "read", lambda _: timed)
    train, tuning = baseline_training(tmp_path)
    assert [each.id for each in tuning] == ["97"]
    assert len(train) == 8
    assert {each.id for each in train} == {f"9{n}" for n in (0, 1, 2, 3, 4, 5, 6, 8)}
    assert set(train[0].layers) == {"sentences", "start", "end"}
