"""Projection of entities: laws, and comparison with a slow search by time."""

import math
from itertools import combinations_with_replacement
from pathlib import Path
from statistics import median

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.transcript import Span, Transcript
from caesura.formats.files import read_file
from caesura.text.alignment.word_alignment import align
from caesura.text.entity_projection import MAX_DISTANCE, project, separate_overlaps
from caesura.text.phonetics import phone_distances, phones

WORDS = st.sampled_from("kodak co dac new york yolk anna an and 5 - の".split())


@st.composite
def transcripts(draw: st.DrawFn) -> Transcript:
    words = tuple(draw(st.lists(WORDS, max_size=8)))
    # Words may go back in time, but not before the beginning of the recording.
    start = 4.0 + np.cumsum([draw(st.sampled_from([-0.5, 0.0, 0.2, 0.5, 1.0])) for _ in words])
    end = start + [draw(st.sampled_from([0.1, 0.3, math.nan])) for _ in words]
    places = st.tuples(st.integers(0, 7), st.integers(0, 7)).map(sorted)
    drawn = draw(st.lists(places, max_size=4))
    spans = tuple(Span(a, b, "X") for a, b in drawn if b < len(words))
    made = Transcript(words, start=start, end=end, entities=spans)
    return draw(st.sampled_from([made, made.replace(start=None, end=None)]))


def times(transcript: Transcript, at: int) -> tuple[float, float]:
    """Return the earliest start and the latest end of a word."""
    assert transcript.start is not None
    assert transcript.end is not None
    cells = list(zip(transcript.start.tolist(), transcript.end.tolist(), strict=True))
    if not any(map(math.isnan, cells[at])):
        return cells[at]
    before = [end for start, end in cells[:at] if not math.isnan(start + end)]
    after = [start for start, end in cells[at + 1 :] if not math.isnan(start + end)]
    return (before[-1] if before else -math.inf, after[0] if after else math.inf)


def any_known(transcript: Transcript, words: range) -> bool:
    if transcript.start is None or transcript.end is None:
        return False
    return any(not math.isnan(transcript.start[at] + transcript.end[at]) for at in words)


def slow(
    reference: Transcript, hypothesis: Transcript, entity: Span, collar: float
) -> tuple[float, ...] | None:
    """Find the words of an entity by time, trying every span; None if time is no help."""
    aligned = align(reference.words, hypothesis.words)
    own = range(entity.first, entity.last + 1)
    target = "".join(phones(reference.words[entity.first : entity.last + 1]))
    if not (target and any_known(reference, own) and any_known(hypothesis, range(len(hypothesis)))):
        return None
    low = min(times(reference, at)[0] for at in own)
    high = max(times(reference, at)[1] for at in own)

    def candidate(at: int) -> bool:
        start, end = times(hypothesis, at)
        elsewhere = bool(aligned.equal[at]) and int(aligned.source[at]) not in own
        return end >= low - collar and start <= high + collar and not elsewhere

    def apart(one: float, other: float) -> float:
        return 0.0 if one == other else abs(one - other)

    best = []
    for first, last in combinations_with_replacement(range(len(hypothesis)), 2):
        heard = "".join(phones(hypothesis.words[first : last + 1]))
        short = last == first or len(heard) <= 2 * len(target)
        if short and all(map(candidate, range(first, last + 1))):
            far = float(phone_distances([target], [heard])[0])
            start, end = times(hypothesis, first)[0], times(hypothesis, last)[1]
            off = round(apart(start, low) + apart(end, high), 6)
            best.append((far, off, last - first, first))
    if not best or min(best)[0] >= MAX_DISTANCE:
        return ()
    far, _, more, first = min(best)
    return (first, first + more, far)


def late(reference: Transcript, hypothesis: Transcript) -> float:
    """Return the median time offset of equal words."""
    if reference.start is None or hypothesis.start is None:
        return 0.0
    aligned = align(reference.words, hypothesis.words)
    off = [
        hypothesis.start[at] - reference.start[source]
        for at, source in enumerate(aligned.source.tolist())
        if aligned.equal[at] and np.isfinite(hypothesis.start[at] - reference.start[source])
    ]
    return abs(median(off)) if off else 0.0


@given(transcripts(), transcripts(), st.sampled_from([0.0, 0.25, 1.0]))
def test_the_time_path_tries_every_span(
    reference: Transcript, hypothesis: Transcript, collar: float
) -> None:
    bare = project(reference, hypothesis.only(()))
    for one, aligned in zip(project(reference, hypothesis, collar), bare, strict=True):
        expected = slow(reference, hypothesis, one.entity, collar)
        if expected is None or late(reference, hypothesis) > max(collar, 0.5):
            assert one == aligned
        elif expected and expected[2] <= aligned.distance:
            assert (one.by, (one.first, one.last, one.distance)) == ("time", expected)
        elif aligned.found and aligned.distance < MAX_DISTANCE:
            assert one == aligned
        else:
            assert one.by == "lost"


@given(transcripts(), transcripts())
def test_the_alignment_path_is_the_hull_of_aligned_words(
    reference: Transcript, hypothesis: Transcript
) -> None:
    bare = hypothesis.only(())
    target = align(reference.words, hypothesis.words).target.tolist()
    for one in project(reference, bare):
        inside = [at for at in target[one.entity.first : one.entity.last + 1] if at >= 0]
        before = [at for at in target[: one.entity.first] if at >= 0]
        if inside:
            assert one[1:4] == (inside[0], inside[-1], "alignment")
        else:
            place = before[-1] + 1 if before else 0
            assert one[1:] == (place, place - 1, "lost", 1.0)


@given(transcripts(), transcripts())
def test_spans_lie_inside_and_parted_ones_never_overlap(
    reference: Transcript, hypothesis: Transcript
) -> None:
    each = project(reference, hypothesis)
    assert tuple(one.entity for one in each) == (reference.entities or ())
    apart = separate_overlaps(each)
    assert [one.entity for one in apart] == [one.entity for one in each]
    assert separate_overlaps(apart) == apart
    free = 0
    for one, whole in zip(apart, each, strict=True):
        assert free <= one.first <= one.last + 1 <= len(hypothesis)
        assert (one.last < one.first) == (one.by == "lost")
        assert 0 <= one.distance <= 1
        assert one.by == "lost" or (whole.first <= one.first and one.last == whole.last)
        free = one.last + 1


@given(transcripts())
def test_a_copy_is_projected_onto_itself(reference: Transcript) -> None:
    for one in project(reference, reference.only(())):
        assert (one.first, one.last) == one.entity[:2]
        assert one.distance == 0


def halved(reference: Transcript) -> tuple[Transcript, list[tuple[int, int]]]:
    """Split the long words of a call in two; return it with the words of each entity."""
    assert reference.start is not None
    assert reference.end is not None
    words: list[str] = []
    start, end, first = [], [], []
    for at, word in enumerate(reference.words):
        first.append(len(words))
        cut = [word[: len(word) // 2], word[len(word) // 2 :]] if len(word) > 5 else [word]
        length = (reference.end[at] - reference.start[at]) / len(cut)
        words += cut
        start += [reference.start[at] + length * part for part in range(len(cut))]
        end += [reference.start[at] + length * (part + 1) for part in range(len(cut))]
    made = Transcript(tuple(words), start=np.array(start), end=np.array(end))
    first.append(len(words))
    return made, [(first[a], first[b + 1] - 1) for a, b, *_ in reference.entities or ()]


def test_real_entities_heard_in_halves_are_found_by_time(corpora: Path) -> None:
    (reference,) = read_file(str(corpora / "earnings22" / "references" / "4474955.nlp"))
    hypothesis, truth = halved(reference)
    by_time, aligned = (
        [(one.first, one.last) for one in project(reference, each)]
        for each in (hypothesis, hypothesis.only(()))
    )
    right, fewer = (
        np.mean([a == b for a, b in zip(x, truth, strict=True)]) for x in (by_time, aligned)
    )
    assert len(truth) > 100
    assert right > 0.97
    assert right > fewer
