"""Model folders: nothing is lost, damage is always detected, and no half model is left."""

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from safetensors.numpy import save as pack

from caesura import __version__
from caesura.core.errors import ModelError, OutputError
from caesura.core.protocols import Detector
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined
from caesura.detectors.pause import Pause
from caesura.models import store
from caesura.models.store import Card
from tiny import Bare, Tiny, register, trained_tiny

CARD = Card(
    name="small",
    about="Of no use – but small",
    language="en",
    licence="CC0-1.0",
    data=({"name": "talk", "recordings": 1, "words": 13, "sentences": 2},),
    scores={"goal": "f1", "f1": 0.5, "ser": 0.1 + 0.2},
    curve=({"order": 2, "f1": 0.25}, {"order": 3, "f1": None}),
    notes="\x00 is no letter; \ud800 is half of one",
)
FILES = (store.CARD, store.ARRAYS)
TALK = Transcript(tuple("so we know of this talk too".split()))


@pytest.fixture(scope="module", autouse=True)
def _registered() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        register(patch)
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return store.save(tmp_path / "model", trained_tiny(), CARD)


@pytest.fixture(scope="module")
def saved_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    place = store.save(tmp_path_factory.mktemp("saved") / "model", trained_tiny(), CARD)
    return {name: (place / name).read_bytes() for name in FILES}


def rewrite_card(folder: Path, **changes: Any) -> None:
    """Change a card and make its checksum right again."""
    document = json.loads((folder / store.CARD).read_text()) | changes
    del document["checksum"]
    plain = json.dumps(document, sort_keys=True)
    document["checksum"] = hashlib.sha256(plain.encode()).hexdigest()
    (folder / store.CARD).write_text(json.dumps(document))


def replace_arrays(folder: Path, data: bytes) -> None:
    """Replace the arrays, and make the checksums right again."""
    (folder / store.ARRAYS).write_bytes(data)
    rewrite_card(folder, bytes=len(data), sha256=hashlib.sha256(data).hexdigest())


def pack_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    return pack(dict(arrays))


def test_saved_and_loaded_are_the_same_bit_by_bit(folder: Path) -> None:
    card, detector = store.load(folder)
    assert detector == trained_tiny()
    for name, array in trained_tiny().state().items():
        assert detector.state()[name].dtype == array.dtype
        assert detector.state()[name].tobytes() == array.tobytes()
    assert detector.log_odds(TALK).tobytes() == trained_tiny().log_odds(TALK).tobytes()
    data = (folder / store.ARRAYS).read_bytes()
    assert card == replace(
        CARD,
        detector=repr(trained_tiny()),
        version=__version__,
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
    )
    assert store.read_card(folder) == card


def test_saving_again_gives_the_same_bytes(folder: Path, saved_files: dict[str, bytes]) -> None:
    for name in FILES:
        assert (folder / name).read_bytes() == saved_files[name]


def test_the_order_of_arrays_does_not_matter(tmp_path: Path) -> None:
    arrays = {name: np.arange(3) for name in "dbeac"}
    backwards = {name: arrays[name] for name in "caebd"}
    one = store.save(tmp_path / "one", Bare().from_state(arrays), CARD)
    other = store.save(tmp_path / "other", Bare().from_state(backwards), CARD)
    for name in FILES:
        assert (one / name).read_bytes() == (other / name).read_bytes()


def test_arrays_of_all_shapes_and_orders_come_back(tmp_path: Path) -> None:
    square = np.arange(12, dtype=np.int16).reshape(3, 4)
    arrays = {
        "number": np.array(2.5),
        "nothing": np.zeros((0, 3), np.float32),
        "turned": square.T,
        "every other": square[:, ::2],
        "other end first": square.astype(">i2"),
        "half": np.array([np.nan, -0.0, np.inf], np.float16),
        "ä": np.array([True, False]),
    }
    found = store.load(store.save(tmp_path / "m", Bare().from_state(arrays), Card())).detector
    assert set(found.state()) == set(arrays)
    for name, array in arrays.items():
        assert found.state()[name].shape == array.shape
        np.testing.assert_array_equal(found.state()[name], array)


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([1j]), np.array([None])], ids=str)
def test_only_numbers_are_stored(tmp_path: Path, array: NDArray[Any]) -> None:
    with pytest.raises(ModelError, match=r"'x' is of .*, and not of numbers"):
        store.save(tmp_path / "m", Bare().from_state({"x": array}), Card())
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_is_too_large_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "ARRAYS_LIMIT", 100)
    store.save(tmp_path / "m", Bare().from_state({}), Card())
    with pytest.raises(ModelError, match="a model of 104 bytes is too large; cut it down"):
        store.save(tmp_path / "m", Bare().from_state({"x": np.zeros(13)}), Card())


@given(data=st.data())
def test_any_changed_byte_is_detected(
    data: st.DataObject, saved_files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    name = data.draw(st.sampled_from(FILES))
    at = data.draw(st.integers(0, len(saved_files[name]) - 1))
    flipped = bytearray(saved_files[name])
    flipped[at] ^= data.draw(st.integers(1, 255))
    folder = tmp_path_factory.mktemp("flipped")
    for each, content in saved_files.items():
        (folder / each).write_bytes(content if each != name else bytes(flipped))
    try:
        card = store.load(folder).card
    except ModelError as error:
        assert str(folder) in str(error)
    else:
        # A blank may become another blank: then the card still says the same.
        assert name == store.CARD
        assert card.to_document() == json.loads(saved_files[name])


@given(data=st.data())
def test_any_truncated_file_is_detected(
    data: st.DataObject, saved_files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    name = data.draw(st.sampled_from(FILES))
    # The last character of the card is the end of a line, which says nothing.
    stop = data.draw(st.integers(0, len(saved_files[name]) - 2))
    folder = tmp_path_factory.mktemp("cut")
    for each, content in saved_files.items():
        (folder / each).write_bytes(content if each != name else content[:stop])
    with pytest.raises(ModelError, match=r"damaged|not JSON"):
        store.load(folder)


@given(content=st.binary(max_size=60) | st.text(max_size=60).map(lambda t: json.dumps(t).encode()))
def test_any_other_content_of_a_card_is_a_model_error(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / store.CARD).write_bytes(content)
    with pytest.raises(ModelError, match=r"not JSON|not the card"):
        store.read_card(folder)


DEEP = ("[" * 100_000, "the card is not JSON")
MANY = ('{"caesura_model": ' + "9" * 5000 + "}", "the card is not JSON")
DOCUMENTS = [
    ("{}", "this is not the card of a model"),
    ("[1]", "this is not the card of a model"),
    ('{"caesura_model": true}', "this is not the card of a model"),
    ('{"caesura_model": 1}', "the card is damaged"),
    ('{"caesura_model": 0}', "the card is damaged"),
    ('{"caesura_model": 2}', "has format 2, and this program knows 1; use a newer version"),
]


@pytest.mark.parametrize(("text", "message"), [*DOCUMENTS, DEEP, MANY])
def test_json_that_is_no_card_is_refused(folder: Path, text: str, message: str) -> None:
    (folder / store.CARD).write_text(text)
    for reading in (store.load, store.read_card):
        with pytest.raises(ModelError, match=message) as found:
            reading(folder)
        assert str(found.value).startswith(f"{folder}/{store.CARD}: ")


CHANGES = [
    ({"name": 3}, "the name of a card cannot be 3"),
    ({"bytes": True}, "the bytes of a card cannot be True"),
    ({"bytes": -1}, "should have at most -1"),
    ({"bytes": 1 << 40}, "the model has more than 2147483648 bytes"),
    ({"bytes": 10}, "should have at most 10"),
    ({"bytes": 1 << 20}, "the arrays are damaged"),
    ({"sha256": "0"}, "the arrays are damaged"),
    ({"data": {}}, "the data of a card are a list of rows"),
    ({"data": [1]}, "the data of a card cannot be 1"),
    ({"curve": [{"x": [1]}]}, r"the curve of a card cannot have \[1\] under 'x'"),
    ({"scores": []}, r"the scores of a card cannot be \[\]"),
    ({"extra": 1}, "the card is damaged"),
    (
        {"detector": "Nothing"},
        "cannot be made: no detector, tagger or entity model is named 'Nothing'; use version",
    ),
    ({"detector": "Tiny(weight=1)"}, "cannot be made: Tiny has no setting 'weight'; use version"),
    (
        {"detector": "__import__('os')"},
        "cannot be made: no detector, tagger or entity model is named '__import__'",
    ),
    ({"detector": "Lookahead(Tiny, words=0)"}, "cannot be made: Lookahead: words is"),
    ({"detector": "("}, "cannot be made: '\\(' is not a detector"),
    ({"detector": "Pause"}, "do not fit Pause: ends, keys, known, seen missing or unknown"),
]


@pytest.mark.parametrize(("changes", "message"), CHANGES, ids=str)
def test_a_wrong_card_with_a_right_checksum_is_refused(
    folder: Path, changes: dict[str, Any], message: str
) -> None:
    rewrite_card(folder, **changes)
    with pytest.raises(ModelError, match=message) as found:
        store.load(folder)
    assert str(found.value).startswith(str(folder))


def arrays(**changes: NDArray[Any] | None) -> bytes:
    state = {**trained_tiny().state(), **changes}
    return pack_arrays({name: array for name, array in state.items() if array is not None})


FILLS = [
    (arrays(extra=np.zeros(3)), r"do not fit Tiny\(letters=9, .*\): extra missing or unknown"),
    (arrays(ends=None), "do not fit .*: there is no 'ends'"),
    (arrays(known=None), "do not fit .*: known missing or unknown"),
    (arrays(keys=np.zeros(2)), "do not fit .*: there are not as many keys as ends; copy it again"),
    (arrays(keys=np.zeros((13, 2))), "do not fit .*: unhashable type: 'list'"),
    (arrays(ends=np.zeros(13, np.complex64)), "'ends' is of complex64, and not of numbers"),
    (b"", "the arrays cannot be read"),
    (b"\xff" * 8 + b"{}", "the arrays cannot be read"),
    (arrays().replace(b'"F64"', b'"F8x"'), "the arrays cannot be read"),
    (arrays().replace(b'"BOOL"', b'"F4"  '), "the arrays cannot be read"),
]


@pytest.mark.parametrize(("data", "message"), FILLS, ids=[str(i) for i in range(len(FILLS))])
def test_arrays_that_do_not_fit_are_refused(folder: Path, data: bytes, message: str) -> None:
    replace_arrays(folder, data)
    with pytest.raises(ModelError, match=message) as found:
        store.load(folder)
    assert str(found.value).startswith(f"{folder}/{store.ARRAYS}: ")
    assert store.read_card(folder).bytes == len(data)


def test_arrays_of_another_model_are_detected(folder: Path) -> None:
    other = trained_tiny().from_state({n: a[:5] for n, a in trained_tiny().state().items()})
    small = store.save(folder.parent / "other", other, CARD)
    shutil.copy(small / store.ARRAYS, folder / store.ARRAYS)
    with pytest.raises(ModelError, match="their checksum is not the card's; copy it again"):
        store.load(folder)
    shutil.copy(small / store.CARD, folder / store.CARD)
    assert len(store.load(folder).detector.state()["keys"]) == 5


def test_a_missing_file_is_named(folder: Path) -> None:
    for name in (store.ARRAYS, store.CARD):
        (folder / name).unlink()
        with pytest.raises(ModelError, match=f"there is no {name}, so this is not a whole model"):
            store.load(folder)
    for path in (folder / "nowhere", folder.parent / "file", folder / ("x" * 300)):
        (folder.parent / "file").write_text("x")
        with pytest.raises(ModelError, match=r"no such model|cannot be read") as found:
            store.load(path)
        assert str(path) in str(found.value)


def test_a_file_too_large_is_not_read(folder: Path) -> None:
    with (folder / store.CARD).open("r+b") as file:
        file.truncate(store.CARD_LIMIT + 1)
    with pytest.raises(ModelError, match="has 16777217 bytes, and should have at most 16777216"):
        store.read_card(folder)
    with (folder / store.ARRAYS).open("r+b") as file:
        file.truncate(1 << 40)
    copy_card_of_new_model(folder)
    with pytest.raises(ModelError, match="has 1099511627776 bytes, and should have at most"):
        store.load(folder)


def copy_card_of_new_model(folder: Path) -> None:
    shutil.copy(store.save(folder.parent / "new", trained_tiny(), CARD) / store.CARD, folder)


@pytest.mark.parametrize("name", FILES)
def test_a_folder_in_place_of_a_file_is_no_model(folder: Path, name: str) -> None:
    (folder / name).unlink()
    (folder / name).mkdir()
    with pytest.raises(ModelError, match=f"there is no {name}"):
        store.load(folder)
    shutil.rmtree(folder)


def test_a_model_replaces_a_model_even_a_damaged_one(folder: Path) -> None:
    (folder / store.CARD).write_text('{"caesura_model": 1, ')
    (folder / store.ARRAYS).write_text("")
    assert store.save(folder, Pause(0.7), CARD) == folder
    assert store.load(folder).detector == Pause(0.7)
    assert sorted(inner.name for inner in folder.iterdir()) == sorted(FILES)


def test_an_empty_folder_is_filled_and_a_name_is_given(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert store.load(store.save(tmp_path / "empty", trained_tiny(), Card())).card.name == "empty"


@pytest.mark.parametrize(
    "inside", [["thesis.txt"], [*FILES, "thesis.txt"], [store.ARRAYS], [store.CARD]]
)
def test_nothing_but_a_model_is_replaced(tmp_path: Path, inside: list[str]) -> None:
    for name in inside:
        (tmp_path / name).write_text('{"of": "another program"}')
    with pytest.raises(OutputError, match="not a model is there; name another folder"):
        store.save(tmp_path, trained_tiny(), CARD)
    assert sorted(inner.name for inner in tmp_path.iterdir()) == sorted(inside)


def test_a_model_with_a_file_of_the_user_beside_it_is_not_replaced(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match="not a model is there; name another folder"):
        store.save(folder, Pause(0.7), CARD)
    assert (folder / "notes.txt").read_text() == "mine"
    assert store.load(folder).detector == trained_tiny()


@pytest.mark.parametrize("where", ["file", "file/model", "", "x" * 300])
def test_a_place_where_no_model_can_be_written_is_an_error(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match=r"cannot be written|empty name"):
        store.save(tmp_path / where if where else "", trained_tiny(), CARD)
    assert (tmp_path / "file").read_text() == "x"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("part", FILES)
@pytest.mark.parametrize("former", [True, False])
def test_after_an_interruption_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, former: bool
) -> None:
    target = tmp_path / "model"
    if former:
        store.save(target, Pause(0.7), CARD)
    write = Path.write_bytes

    def interrupted(self: Path, data: bytes) -> int:
        if self.name == part:
            write(self, data[:10])
            raise KeyboardInterrupt
        return write(self, data)

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.save(target, trained_tiny(), CARD)
    assert list(tmp_path.iterdir()) == [target] * former
    if former:
        assert store.load(target).detector == Pause(0.7)


def test_a_detector_that_could_not_be_loaded_is_not_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError, match="Tiny has to be trained"):
        store.save(tmp_path / "m", Tiny(), CARD)
    monkeypatch.setattr(Tiny, "name", "Small")
    with pytest.raises(ModelError, match=r"Small\(.*\) cannot be stored: no detector"):
        store.save(tmp_path / "m", trained_tiny(), CARD)
    monkeypatch.setattr(Tiny, "name", "Pause")
    with pytest.raises(ModelError, match=r"cannot be stored: Pause has no setting 'letters'"):
        store.save(tmp_path / "m", trained_tiny(), CARD)
    monkeypatch.setattr(Tiny, "__repr__", lambda _: "Pause")
    with pytest.raises(ModelError, match="cannot be stored: its text does not make it again"):
        store.save(tmp_path / "m", trained_tiny(), CARD)
    assert list(tmp_path.iterdir()) == []


def test_a_card_holds_the_scores_and_settings_of_training() -> None:
    none = Undefined("there are no boundaries")
    row = {"classes": (".", "?"), "detector": Pause(), "f1": np.float64(0.5), "n": np.int64(3)}
    card = Card(scores={"f1": none, "nan": float("nan")}, curve=(row,))
    assert card.scores == {"f1": None, "nan": None}
    assert card.curve == ({"classes": "('.', '?')", "detector": repr(Pause()), "f1": 0.5, "n": 3},)
    assert Card.from_document(json.loads(json.dumps(card.to_document()))) == card


def test_shipped_models_are_complete_and_small() -> None:
    for name, folder in store.shipped_models().items():
        card, learner = store.load(store.find_folder(name))
        assert store.find_folder(name) == folder
        assert card.name == name
        assert isinstance(learner, Detector) == (name != "atene")
        assert card.about
        assert card.licence
        assert sum(file.stat().st_size for file in folder.iterdir()) <= 5_000_000
