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
from caesura.core import plugins, registry
from caesura.core.config import Configured, Trainable
from caesura.core.errors import ModelError, OutputError, PluginError
from caesura.core.protocols import Detector
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined
from caesura.detectors.pause import Pause
from caesura.models import store
from caesura.models.store import Card
from tiny import Around, Bare, Tiny, register, trained_tiny

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
AGAIN = "; copy it again from where it came, or train it anew"
VERSION = f"; use version {__version__} of Caesura, which made the model"
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


def test_a_card_is_json_that_people_can_read(folder: Path) -> None:
    text = (folder / store.CARD).read_text()
    assert text == json.dumps(json.loads(text), indent=1) + "\n"
    assert text.startswith('{\n "caesura_model": 1,\n "name": "small",\n "about": "Of no use')


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


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (np.array(["a"]), "<U1"),
        (np.array([1j]), "complex128"),
        (np.array([None]), "object"),
        (np.zeros(1, np.longdouble), str(np.dtype(np.longdouble))),
    ],
)
def test_only_numbers_are_stored(tmp_path: Path, array: NDArray[Any], kind: str) -> None:
    with pytest.raises(ModelError) as found:
        store.save(tmp_path / "m", Bare().from_state({"x": array}), Card())
    assert str(found.value) == f"the array 'x' is of {kind}, and not of numbers"
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_is_too_large_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "ARRAYS_LIMIT", 104)
    arrays = {"x": np.zeros(12), "y": np.zeros(8, np.bool_)}
    store.save(tmp_path / "m", Bare().from_state(arrays), Card())
    with pytest.raises(ModelError) as found:
        store.save(tmp_path / "m", Bare().from_state(arrays | {"z": np.zeros(1)}), Card())
    assert str(found.value) == "a model of 112 bytes is too large; cut it down or prune it"


def test_a_model_as_large_as_allowed_is_loaded(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = (folder / store.ARRAYS).stat().st_size
    monkeypatch.setattr(store, "ARRAYS_LIMIT", size)
    assert store.load(folder).detector == trained_tiny()
    monkeypatch.setattr(store, "ARRAYS_LIMIT", size - 1)
    with pytest.raises(ModelError) as found:
        store.load(folder)
    expected = f"{folder}/{store.ARRAYS}: the model has more than {size - 1} bytes"
    assert str(found.value) == expected


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
        # A blank may become another one, and 0.30000000000000004 ends with 5 as well:
        # then the card still says the same.
        assert name == store.CARD
        assert card == Card.from_document(json.loads(saved_files[name]))


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


NO_CARD = "this is not the card of a model; it is a JSON object with 'caesura_model'"
NEWER = "the model has format 2, and this program knows 1; use a newer version of Caesura"
DEEP = ("[" * 100_000, f"the card is not JSON{AGAIN}")
MANY = ('{"caesura_model": ' + "9" * 5000 + "}", f"the card is not JSON{AGAIN}")
DOCUMENTS = [
    ("{}", NO_CARD),
    ("[1]", NO_CARD),
    ('{"caesura_model": true}', NO_CARD),
    ('{"caesura_model": 1}', f"the card is damaged{AGAIN}"),
    ('{"caesura_model": 0}', f"the card is damaged{AGAIN}"),
    ('{"caesura_model": 2}', NEWER),
]


@pytest.mark.parametrize(("text", "message"), [*DOCUMENTS, DEEP, MANY])
def test_json_that_is_no_card_is_refused(folder: Path, text: str, message: str) -> None:
    (folder / store.CARD).write_text(text)
    for reading in (store.load, store.read_card):
        with pytest.raises(ModelError) as found:
            reading(folder)
        assert str(found.value) == f"{folder}/{store.CARD}: {message}"


def test_a_card_that_was_changed_by_hand_is_refused(folder: Path) -> None:
    text = (folder / store.CARD).read_text()
    (folder / store.CARD).write_text(text.replace('"licence": "CC0-1.0"', '"licence": "none"'))
    with pytest.raises(ModelError) as found:
        store.read_card(folder)
    message = f"the card is damaged: its checksum is wrong{AGAIN}"
    assert str(found.value) == f"{folder}/{store.CARD}: {message}"


WRONG_CARDS = [
    ({"name": 3}, "the name of a card cannot be 3"),
    ({"bytes": True}, "the bytes of a card cannot be True"),
    ({"data": {}}, "the data of a card are a list of rows"),
    ({"data": [1]}, "the data of a card cannot be 1"),
    ({"curve": "x"}, "the curve of a card are a list of rows"),
    ({"curve": [{"x": [1]}]}, "the curve of a card cannot have [1] under 'x'"),
    ({"scores": []}, "the scores of a card cannot be []"),
    ({"requires": "x"}, "the requires of a card cannot be 'x'"),
    ({"requires": ["x", 1]}, "the requires of a card cannot be ['x', 1]"),
    ({"extra": 1}, "the card is damaged"),
    ({"caesura_model": 0}, "the card is damaged"),
]


@pytest.mark.parametrize(("changes", "message"), WRONG_CARDS)
def test_a_wrong_card_with_a_right_checksum_is_refused(
    folder: Path, changes: dict[str, Any], message: str
) -> None:
    rewrite_card(folder, **changes)
    with pytest.raises(ModelError) as found:
        store.load(folder)
    assert str(found.value) == f"{folder}/{store.CARD}: {message}{AGAIN}"


SIZE = "the file has {size} bytes, and should have at most"
CHECKSUM = f"the arrays are damaged: their checksum is not the card's{AGAIN}"
UNKNOWN = "the detector cannot be made: no detector, tagger or entity model is named"
OTHER_CARDS = [
    ({"bytes": -1}, f"{SIZE} -1{AGAIN}"),
    ({"bytes": 10}, f"{SIZE} 10{AGAIN}"),
    ({"bytes": 1 << 20}, CHECKSUM),
    ({"sha256": "0"}, CHECKSUM),
    ({"detector": "Nothing"}, f"{UNKNOWN} 'Nothing'{VERSION}"),
    ({"detector": "__import__('os')"}, f"{UNKNOWN} '__import__'{VERSION}"),
    (
        {"detector": "Tiny(weight=1)"},
        f"the detector cannot be made: Tiny has no setting 'weight'{VERSION}",
    ),
    (
        {"detector": "Pause"},
        f"the arrays do not fit Pause: ends, keys, known, seen missing or unknown{AGAIN}",
    ),
    (
        {"detector": "Nothing", "requires": ["a==1.0", "module b.c", "d==2", "module e"]},
        f"{UNKNOWN} 'Nothing'; install what the model was made with: pip install a==1.0 d==2, "
        "and import what registers its classes: b.c, e",
    ),
    (
        {"detector": "Nothing", "requires": ["module e"]},
        f"{UNKNOWN} 'Nothing'; import what registers its classes: e",
    ),
]


@pytest.mark.parametrize(("changes", "message"), OTHER_CARDS)
def test_a_card_that_does_not_fit_the_arrays_is_refused(
    folder: Path, changes: dict[str, Any], message: str
) -> None:
    rewrite_card(folder, **changes)
    with pytest.raises(ModelError) as found:
        store.load(folder)
    size = (folder / store.ARRAYS).stat().st_size
    assert str(found.value) == f"{folder}/{store.ARRAYS}: {message.format(size=size)}"


@pytest.mark.parametrize(
    ("detector", "message"),
    [
        ("Lookahead(Tiny, words=-1)", "the detector cannot be made: Lookahead: words is"),
        ("(", "the detector cannot be made: '(' is not a detector"),
    ],
)
def test_a_detector_that_cannot_be_is_refused(folder: Path, detector: str, message: str) -> None:
    rewrite_card(folder, detector=detector)
    with pytest.raises(ModelError) as found:
        store.load(folder)
    assert str(found.value).startswith(f"{folder}/{store.ARRAYS}: {message}")


def test_the_plugins_of_a_model_are_named_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plugin(made: type[Configured]) -> plugins.Plugin | None:
        return plugins.Plugin(made, "caesura-tiny", "1.2") if made in (Tiny, Around) else None

    detector = Around(trained_tiny()).with_model(np.ones(1))
    monkeypatch.setattr(plugins, "of_class", plugin)
    card = store.load(store.save(folder, detector, CARD)).card
    assert card.requires == ("caesura-tiny==1.2",)


def test_what_to_do_about_a_plugin_is_passed_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: str) -> Trainable:
        raise PluginError("the plug-in cannot be imported", remedy="install it again")

    monkeypatch.setattr(registry, "learner", refuse)
    with pytest.raises(ModelError) as found:
        store.load(folder)
    message = "the detector cannot be made: the plug-in cannot be imported; install it again"
    assert str(found.value) == f"{folder}/{store.ARRAYS}: {message}"


def test_a_model_of_another_kind_is_refused(folder: Path) -> None:
    train = "train one: caesura train {} --train FILES --output MODEL"
    model = store.load(folder)
    with pytest.raises(ModelError) as found:
        _ = model.tagger
    tagger = train.format("Tagger")
    assert str(found.value) == f"the model small is a Tiny, and a tagger is wanted; {tagger}"
    with pytest.raises(ModelError) as found:
        _ = model.entity_model
    names = train.format("Margins")
    assert str(found.value) == f"the model small is a Tiny, and an entity model is wanted; {names}"
    with pytest.raises(ModelError) as found:
        _ = store.load(store.find_folder("atene")).detector
    advice = "name another model, or train a detector"
    assert str(found.value) == f"the model atene is a Margins, and a detector is wanted; {advice}"


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
        with pytest.raises(ModelError) as found:
            store.load(folder)
        assert str(found.value) == (
            f"{folder}: there is no {name}, so this is not a whole model; "
            "a model is a folder with card.json and arrays.safetensors"
        )


def test_a_missing_model_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    known = ", ".join(store.shipped_models())
    for path in (tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(ModelError) as found:
            store.load(path)
        advice = f"name a model folder, or a model that ships: {known}"
        assert str(found.value) == f"{path}: there is no such model; {advice}"
    path = tmp_path / ("x" * 300)
    with pytest.raises(ModelError) as found:
        store.load(path)
    assert str(found.value) == f"{path}/{store.CARD}: cannot be read: File name too long"
    monkeypatch.setattr(store, "shipped_models", dict)
    with pytest.raises(ModelError) as found:
        store.load("nowhere")
    assert str(found.value) == "nowhere: there is no such model; name a model folder"


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


OCCUPIED = "cannot be written: something that is not a model is there; name another folder"


@pytest.mark.parametrize(
    "inside", [["thesis.txt"], [*FILES, "thesis.txt"], [store.ARRAYS], [store.CARD]]
)
def test_nothing_but_a_model_is_replaced(tmp_path: Path, inside: list[str]) -> None:
    for name in inside:
        (tmp_path / name).write_text('{"of": "another program"}')
    with pytest.raises(OutputError) as found:
        store.save(tmp_path, trained_tiny(), CARD)
    assert str(found.value) == f"{tmp_path}: {OCCUPIED}"
    assert sorted(inner.name for inner in tmp_path.iterdir()) == sorted(inside)


def test_a_folder_with_a_card_that_cannot_be_read_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / store.CARD).mkdir()
    with pytest.raises(OutputError) as found:
        store.save(tmp_path, trained_tiny(), CARD)
    assert str(found.value) == f"{tmp_path}: {OCCUPIED}"


def test_a_model_with_a_file_of_the_user_beside_it_is_not_replaced(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match="not a model is there; name another folder"):
        store.save(folder, Pause(0.7), CARD)
    assert (folder / "notes.txt").read_text() == "mine"
    assert store.load(folder).detector == trained_tiny()


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("file", f"{{path}}: {OCCUPIED}"),
        ("file/model", "{path}: cannot be written: File exists"),
        ("", "the model has an empty name; name a folder for it"),
        ("x" * 300, "{path}: cannot be written: File name too long"),
    ],
    ids=["file", "below a file", "empty", "long"],
)
def test_a_place_where_no_model_can_be_written_is_an_error(
    tmp_path: Path, where: str, message: str
) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError) as found:
        store.save(tmp_path / where if where else "", trained_tiny(), CARD)
    assert str(found.value) == message.format(path=tmp_path / where)
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
    with pytest.raises(ModelError, match="the scores of a card cannot have 3 under 1"):
        Card(scores={"f1": 0.5, 1: 3})  # type: ignore[dict-item]


def test_models_that_ship_have_names_and_kinds() -> None:
    place = Path(store.__file__).parent
    found = store.shipped_models()
    assert list(found) == sorted(file.parent.name for file in place.glob("*/card.json"))
    assert found["en"] == place / "en"
    assert list(store.shipped_models("entity-model")) == ["atene"]
    assert list(store.shipped_models("detector")) == [name for name in found if name != "atene"]
    assert store.find_folder("en") == place / "en"
    assert store.find_folder("en/card.json") == Path("en/card.json")


def test_shipped_models_are_complete_and_small() -> None:
    for name, folder in store.shipped_models().items():
        card, learner = store.load(store.find_folder(name))
        assert store.find_folder(name) == folder
        assert card.name == name
        assert isinstance(learner, Detector) == (name != "atene")
        assert card.about
        assert card.licence
        most = 20_000_000 if name == "en" else 5_000_000
        assert sum(file.stat().st_size for file in folder.iterdir()) <= most
