"""Damage to files: bytes deleted, replaced and moved, and JSON values exchanged."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

TOKENS = [  # what readers stumble over: marks of many formats, odd numbers, half characters
    b"", b"\0", b"\xff\xfe", b"\n", b"\r\n", b"\t", b" ", b'"', b"'", b"{", b"}", b"[", b"]", b"<", b">",
    b"<ALT_BEGIN>", b"null", b"NaN", b"-1", b"1e999", b"1e-999", b"99999999999999999999", b"0", b"\xe2\x80\xa8",
    b"\xc3", b"|", b",", b";;", b"--> ", b"&#0;", b"&lt;", b"<!DOCTYPE x>", b"0x10", b"\xf0\x9f\x99\x82", b"1_0",
    b"\xef\xbb\xbf", b"-", b":", b"..", b"*", b"# ", b"true", b"\xd9\xa3", b"\x85", b"\x0c", b"inf",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, -1, 1.5, 1e308, 10**30, "", " ", "x", "NaN", "-1", "1e999", "12.5s", [], {}, [None],
    [[]], {"a": 1}, "PT1H", "\ud800", "٣", "a\nb", [{"start": "x"}], -0.5, "...",
]  # fmt: skip


def damage(sample: bytes, random: Random) -> bytes:
    """Return a damaged copy of a file."""
    if sample[:1] in b"{[" and random.random() < 0.5:
        try:
            return _damage_json(sample, random)
        except ValueError:
            pass
    data = bytearray(sample)
    for _ in range(random.choice((1, 1, 1, 2, 4, 16))):
        _damage_bytes(data, random)
    return bytes(data)


def _damage_bytes(data: bytearray, random: Random) -> None:
    """Delete, replace, insert, cut off or repeat some bytes, or exchange two lines."""
    at = random.randrange(len(data) + 1)
    stop = min(len(data), at + random.choice((1, 1, 2, 8, 64)))
    match random.randrange(7):
        case 0:
            del data[at:stop]
        case 1:
            data[at:stop] = random.randbytes(stop - at)
        case 2:
            data[at:at] = random.choice(TOKENS)
        case 3:
            data[at:stop] = random.choice(TOKENS)
        case 4:
            del data[at:]
        case 5:
            data[at:at] = data[at:stop] * random.choice((1, 2, 3))
        case _:
            lines = data.split(b"\n")
            one, two = random.randrange(len(lines)), random.randrange(len(lines))
            lines[one], lines[two] = lines[two], lines[one]
            data[:] = b"\n".join(lines)


def _damage_json(sample: bytes, random: Random) -> bytes:
    """Delete, repeat or exchange some values of a JSON document."""
    document = json.loads(sample)
    for _ in range(random.choice((1, 1, 2, 5))):
        places = list(_places(document))
        if not places:
            break
        holder, key = random.choice(places)
        match random.randrange(4):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(key, holder[key])
            case 2:
                other, name = random.choice(places)
                if other is not holder and not isinstance(other[name], (dict, list)):
                    holder[key] = other[name]
            case _:
                holder[key] = copy.deepcopy(random.choice(VALUES))
    return json.dumps(document).encode("utf-8", "surrogatepass")


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every list and object below a JSON value with each of its keys."""
    pairs = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, inner in pairs:
        yield node, key
        yield from _places(inner)
