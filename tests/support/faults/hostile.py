"""What may come from others: texts, values of JSON, changes of files."""

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from strategies import SENTENCES

PARTS: Sequence[Callable[[Random], str]] = (
    lambda random: random.choice(SENTENCES),
    lambda random: "".join(random.choices("абвгдеёжзийклмнопрстуфхцчшщъыьэюя", k=random.randint(1, 12))),
    lambda random: "".join(random.choices("абвгдеёжзиЙКЛМН  \n,.!?-—«»()@#/:’", k=random.randint(1, 30))),
    lambda random: "".join(chr(_code(random, 0, 0x10FFFF)) for _ in range(random.randint(1, 8))),
    lambda random: "".join(chr(_code(random, 0x300, 0x2FFF)) for _ in range(random.randint(1, 8))),
    lambda random: "".join(chr(_code(random, 0x1F000, 0x1FFFF)) for _ in range(random.randint(1, 8))),
    lambda random: random.choice("аеёийо") + "".join(random.choices("\u0301\u0306\u0308\u0300\u200d\ufe0f", k=4)),
    lambda random: (
        random.choice(["🇷", "🇷🇺", "👨‍👩‍👧", "👋🏽", "\u200b", "\u00ad", "\ufeff", "\u202e", "\x00", "\x1b[31m", "\x85"])
        * random.randint(1, 9)
    ),
    lambda random: (
        random.choice(
            [
                "https://я.рф/",
                "a@b.ru",
                "@кот",
                "#тег",
                "<b>",
                "</b>",
                "&amp;",
                "{имя}",
                "%s",
                "\\n",
                "C:\\",
                "`код`",
                "(A)",
                "(Б)",
                "1)",
                "[1]",
                "ya.ru",
            ]
        )
        * random.randint(1, 4)
    ),
    lambda random: (
        random.choice(
            ["%", ")", "(", "«", "»", "-", "—", "ё", "й", "не ", "\u0301", "🇷", "1", ".", " ", "\n", "\t", "х" * 30]
        )
        * random.randint(20, 400)
    ),
    lambda random: f"{random.randint(-(10**6), 10**12)} {random.choice(['руб.', 'кг', '%', '-й', 'мая', ''])} ",
)
"""What hostile texts are put together from."""


def _code(random: Random, least: int, most: int) -> int:
    """A code point that is no surrogate."""
    while True:
        code = random.randint(least, most)
        if not 0xD800 <= code <= 0xDFFF:
            return code


def text(random: Random) -> str:
    """A text of a few parts, joined as they come."""
    joints = random.choice(["", " ", "\n"])
    return joints.join(random.choice(PARTS)(random) for _ in range(random.randint(1, 5)))[:3000]


VALUES: Sequence[Any] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    10**9,
    -(10**9),
    2**53,
    2**63,
    10**400,
    0.0,
    -0.5,
    1.5,
    1e308,
    "",
    "x",
    "кот",
    "0",
    "-1",
    "1e400",
    "../../etc/passwd",
    "/dev/zero",
    "a\x00b",
    "\x1b[31m",
    "[/red]",
    "я" * 5000,
    "%s{0}{{x}}",
    [],
    {},
    [None],
    [[]],
    [0],
    ["x"],
    ["x", "x"],
    {"x": 1},
    {"": None},
    [[[[[[]]]]]],
    list(range(300)),
    {str(number): number for number in range(50)},
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:  # noqa: ANN401
    """The places of a value of JSON, apart from itself."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = []
    for key, one in inner:
        found += [(*path, key), *paths(one, (*path, key))]
    return found


def change(random: Random, value: Any) -> tuple[Any, ...]:  # noqa: ANN401
    """A change of a value of JSON: where, what is done, and a value that it may take."""
    kind = random.choice(["set", "set", "set", "delete", "twice", "add", "near"])
    return (kind, random.choice(paths(value)), random.choice(VALUES), random.randint(-2, 2))


def changed(value: Any, changes: Sequence[tuple[Any, ...]]) -> Any:  # noqa: ANN401
    """A copy of a value with changes; one that does not fit any more is passed over."""
    value = json.loads(json.dumps(value))
    for kind, path, new, step in changes:
        holder = value
        try:
            for key in path[:-1]:
                holder = holder[key]
            _change(holder, path[-1], kind, new, step)
        except (LookupError, TypeError):
            continue
    return value


def _change(holder: Any, key: Any, kind: str, new: Any, step: int) -> None:  # noqa: ANN401
    old = holder[key]
    if kind == "set":
        holder[key] = new
    elif kind == "delete":
        del holder[key]
    elif kind == "twice" and isinstance(holder, list):
        holder.insert(key, old)
    elif kind == "twice":
        holder[f"{key}{step}"] = old
    elif kind == "add" and isinstance(holder, list):
        holder.append(new)
    elif kind == "add":
        holder["new"] = new
    elif isinstance(old, int | float):  # near
        holder[key] = old + step
    elif isinstance(old, str):
        holder[key] = old[: len(old) // 2] + str(step) + old[len(old) // 2 :]


def byte_change(random: Random, size: int) -> tuple[int, int, bytes]:
    """A change of bytes: from, how many are left out, and what stands there."""
    at = random.randint(0, max(size, 1))
    gone = random.choice([0, 1, 1, 2, random.randint(0, 40), size])
    new = random.choice(
        [
            b"",
            bytes([random.randint(0, 255)]),
            random.randbytes(random.randint(1, 20)),
            b'"',
            b"\n",
            b"\r",
            b",",
            b"\\",
            b"{",
            b"[" * random.choice([1, 200, 20_000]),
            b"\x00",
            b"\xff",
            b"\xed\xa0\x80",
            "\u2028".encode(),
            b"9" * 5000,
            b"1e400",
            b"NaN",
            b"null",
            b"{}",
            b'{"a":1,"a":2}',
            b"\\ud800",
            "я".encode() * 3000,
            b"'''",
            b"#",
            b"=",
            b"]]",
        ]
    )
    return at, gone, new


def with_bytes(data: bytes, changes: Sequence[tuple[int, int, bytes]]) -> bytes:
    """Bytes with changes, one after another."""
    for at, gone, new in changes:
        data = data[:at] + new + data[at + gone :]
    return data
