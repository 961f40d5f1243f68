"""Streams that are cut, taken up again, and fed in pieces of any size."""

import gc
import json
import tracemalloc
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura
from caesura.core.errors import CaesuraError, FormatError, MismatchError, UnknownName
from caesura.core.protocols import Detector
from caesura.core.serialize import to_document
from caesura.core.transcript import Transcript
from caesura.detectors.pause import Pause
from caesura.detectors.stored_model import Model
from caesura.detectors.streaming import ENDLESS, StateFile, StreamSession, stream_sentences
from caesura.formats.live_words import LiveWords
from caesura.models import store
from caesura.testing.detector_laws import made_up_recording
from laws.test_detectors import DETECTORS, trained

TALK = made_up_recording(3, 150).replace(sentences=None, head=None, relation=None, id="talk")
PAUSES = Pause(evidence=("pause",))


def objects(talk: Transcript) -> list[dict[str, object]]:
    """A recording as words, one JSON object each."""
    document = to_document(talk)
    names = [name for name in talk.layers if name != "evidence"]
    evidence = document.get("evidence", {})
    return [
        {
            "word": word,
            "id": talk.id,
            **{name: document[name][at] for name in names},
            "evidence": {name: cells[at] for name, cells in evidence.items()},
        }
        for at, word in enumerate(talk.words)
    ]


WORDS = objects(TALK)
LINES = [json.dumps(word).encode() for word in WORDS]


@cache
def uncut(name: str) -> list[Transcript]:
    return list(caesura.stream(WORDS, detector=trained(name), restore=False))


@pytest.mark.parametrize("name", DETECTORS)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_cut_anywhere_it_goes_on_from_a_file(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """However lines arrive and wherever the stream is cut, sentences and delays are the same."""
    path = tmp_path_factory.mktemp("state") / "state"
    detector, sentences, at = trained(name), [], 0
    while at < len(LINES):
        file = StateFile(path, detector)
        saved = file.load()
        live_words = LiveWords(None, "stop", "words", saved.get("words"))
        live = StreamSession(detector, saved.get("session"))
        assert live_words.lines == at
        stop = at + data.draw(st.integers(1, 80))
        step = data.draw(st.sampled_from([1, 7, 100]))
        chunks = [LINES[a : min(a + step, stop)] for a in range(at, min(stop, len(LINES)), step)]
        for batch in live_words.batches(chunks):
            sentences += [each.sentence for each in live.push(batch)]
        file.save_now(live_words, live)
        at = stop
    sentences += [each.sentence for each in live.close()]
    assert sentences == uncut(name)


@pytest.mark.parametrize("name", DETECTORS)
def test_delays_are_those_of_words_that_come_one_by_one(name: str) -> None:
    stream, given, known = trained(name).stream(), 0, []
    for at in range(len(TALK)):
        known += [(each, at) for each in stream.push(TALK[at : at + 1])]
    known += [(each, len(TALK) - 1) for each in stream.close()]
    assert TALK.end is not None
    for sentence, at in known:
        given += len(sentence)
        assert sentence.evidence is not None
        words, seconds = (sentence.evidence[f"delay_{unit}"] for unit in ("words", "seconds"))
        assert np.isnan(words[:-1]).all()
        assert words[-1] == at - (given - 1)
        expected = max(TALK.end[at] - TALK.end[given - 1], 0)
        np.testing.assert_allclose(seconds[-1], expected, atol=1e-6)


def test_sentences_make_a_recording_again() -> None:
    whole = Transcript.join(uncut("Pause"))
    assert caesura.as_read(whole).words == TALK.words
    assert whole.sentences is not None
    assert whole.sentences.boundary.tolist() == Pause().detect(TALK).boundary.tolist()
    assert whole.evidence is not None
    decided = ~np.isnan(whole.evidence["delay_words"])
    assert decided.tolist() == whole.sentences.boundary.tolist()


def test_a_layer_that_comes_late_is_the_same_however_lines_arrive() -> None:
    late = [{**word, "speaker": None if at < 70 else "AB"[at % 2]} for at, word in enumerate(WORDS)]
    for name in ("PauseModel", "Pause"):
        detector = trained(name)
        live = StreamSession(detector, restore=True)
        batches = LiveWords(None, "stop", "words").batches([late])
        found = [each.sentence for batch in batches for each in live.push(batch)]
        found += [each.sentence for each in live.close()]
        assert found == list(caesura.stream(late, detector=detector))


def saved(path: Path, detector: Detector = PAUSES) -> None:
    sentences = caesura.stream(_cut(WORDS[:40]), detector=detector, state=path)
    with pytest.raises(KeyboardInterrupt):
        list(sentences)


def _cut(words: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    yield from words
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"detector": "Pause"}, "is of the detector Pause"),
        ({"caesura": "9.9"}, "version 9.9 of Caesura"),
        ({"caesura_stream": 1}, "has version 1"),
        ({"fingerprint": "x"}, "was trained differently"),
    ],
)
def test_a_state_of_something_else_is_refused(
    change: dict[str, object], told: str, tmp_path: Path
) -> None:
    from caesura.detectors.streaming import _checksum

    path = tmp_path / "state"
    saved(path)
    document = json.loads(path.read_bytes())
    del document["checksum"]
    document |= change
    path.write_text(json.dumps({**document, "checksum": _checksum(document)}))
    with pytest.raises(MismatchError, match=told):
        list(caesura.stream(WORDS, detector=PAUSES, state=path))
    assert path.exists()


@pytest.mark.parametrize("content", ["", "{}", "[]", "[[", '{"checksum": 1}', "\0"])
def test_a_damaged_state_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "state"
    path.write_text(content)
    with pytest.raises(FormatError, match="damaged"):
        list(caesura.stream(WORDS, detector=PAUSES, state=path))


def test_a_detector_that_was_trained_differently_is_refused(tmp_path: Path) -> None:
    from caesura.detectors.pause import PauseModel

    one, other = (PauseModel().train([made_up_recording(seed)]) for seed in (1, 2))
    saved(tmp_path / "state", one)
    with pytest.raises(MismatchError, match="trained differently"):
        list(caesura.stream(WORDS, detector=other, state=tmp_path / "state"))


def test_the_state_is_plain_json_of_a_few_words(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with pytest.raises(KeyboardInterrupt):
        list(caesura.stream(_cut(WORDS * 20), detector=Pause(), state=path))
    assert json.loads(path.read_bytes())["words"]["lines"] == 20 * len(WORDS)
    assert path.stat().st_size < 50_000


def test_it_is_saved_after_the_sentences_were_taken(tmp_path: Path) -> None:
    path = tmp_path / "state"
    found = stream_sentences(WORDS, detector=PAUSES, state=path)
    first = next(found).sentence
    assert json.loads(path.read_bytes())["session"]["given"] == 0
    next(found)
    assert json.loads(path.read_bytes())["session"]["given"] in (0, len(first))


def test_arguments_are_checked() -> None:
    for wrong in ({"format": "srt"}, {"on_error": "cry"}, {"detector": "Nothing"}):
        with pytest.raises(UnknownName):
            list(stream_sentences(WORDS, **wrong))  # type: ignore[arg-type]


def test_another_id_ends_a_recording_and_another_language_does_not() -> None:
    words = [
        {"word": "so", "language": "en"},
        {"word": "la", "language": "fr"},
        {"word": "it", "id": "b", "language": "de"},
        {"word": "is"},
        {"word": "a", "id": "a"},
    ]
    found = list(caesura.stream(words, detector=PAUSES))
    assert [(each.id, each.language, each.text) for each in found] == [
        ("", "en", "So la."),
        ("b", "de", "It is."),
        ("a", "de", "A."),
    ]


def test_transcripts_can_be_pushed_too() -> None:
    parts = [TALK[at : at + 9] for at in range(0, len(TALK), 9)]
    assert list(caesura.stream(parts, detector=Pause(), restore=False)) == uncut("Pause")


def test_an_endless_sentence_causes_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    words = [{"word": "on"}] * (3 * ENDLESS)
    assert len(list(caesura.stream(words, detector=PAUSES))) == 1
    assert [m for m in caplog.messages if "no sentence has ended" in m] == caplog.messages[-1:]


def test_an_open_sentence_is_kept_in_few_parts() -> None:
    live = StreamSession(PAUSES)
    for _ in range(3000):
        live.push(Transcript(("on",)))
    assert live.stream is not None
    assert len(live.stream.open) < 60  # type: ignore[attr-defined]


def test_a_model_within_others_is_identified_by_its_checksum(tmp_path: Path) -> None:
    from caesura.detectors.streaming import fingerprint
    from caesura.detectors.window_stream import Lookahead
    from caesura.models.store import Card

    folder = store.save(tmp_path / "m", Pause(), Card())
    detector = Lookahead(Model(str(folder)))
    before = fingerprint(detector)
    store.save(folder, Pause(), Card(about="another"))
    assert fingerprint(Lookahead(Model(str(folder)))) != before


@settings(max_examples=200)
@given(st.lists(st.binary(max_size=30), max_size=6))
def test_any_bytes_are_words_or_one_error(lines: list[bytes]) -> None:
    try:
        found = list(caesura.stream(lines, detector=PAUSES))
    except CaesuraError as error:
        assert "<words>:" in str(error)
    else:
        assert all(len(each) for each in found)


def test_rows_of_a_ctm_are_words_as_in_a_file(tmp_path: Path) -> None:
    rows = """a 1 0 1 « 0.5
a 1 0 1 So, 0.5
a 1 1 0.2 <sil>
a 1 2 1 [noise] -1
a 1 3 1 <ALT_BEGIN>
a 1 3 1 it
a 1 3 1 <ALT>
a 1 3 1 he
a 1 3 1 <ALT_END>
a 1 4 1 goes
a 1 5 1 .
"""
    file = tmp_path / "a.ctm"
    file.write_text(rows)
    (whole,) = caesura.read(file)
    live = Transcript.join(caesura.stream(file, detector=PAUSES)).replace(sentences=None)
    assert live.only(set(live.layers) - {"evidence"}) == whole.replace(origin=None)


@pytest.mark.parametrize("name", ["Pause", "PauseModel", "Column('prosody')", "LM"])
def test_memory_does_not_grow_with_the_talk(name: str) -> None:
    live = StreamSession(trained(name))
    for _ in range(5):
        live.push(TALK)
    tracemalloc.start()
    held = []
    for _ in range(8):
        live.push(TALK)
        gc.collect()
        # Other threads of the test runner take memory, too: only ours counts.
        ours = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, "*/caesura/*")])
        held.append(sum(trace.size for trace in ours.traces))
    tracemalloc.stop()
    # A talk of 150 words takes tens of kilobytes; the open sentence is longer at times.
    assert 0 < max(held[4:]) < max(held[:4]) + 20_000


def test_lines_say_what_the_sentences_say() -> None:
    streamed = list(stream_sentences(WORDS, detector=PAUSES))
    sentences = list(caesura.stream(WORDS, detector=PAUSES))
    assert len(sentences) > 1
    assert [each.sentence for each in streamed] == sentences
    assert [each.to_line("text") for each in streamed] == [each.text for each in sentences]
    whole = [to_document(each) for each in sentences]
    assert [json.loads(each.to_line("jsonl")) for each in streamed] == whole
    found = [json.loads(each.to_line("json")) for each in streamed]
    assert [each["text"] for each in found] == [each.text for each in sentences]
    assert [each["first"] for each in found[1:]] == [each["last"] + 1 for each in found[:-1]]
    assert found[-1]["last"] == len(WORDS) - 1
