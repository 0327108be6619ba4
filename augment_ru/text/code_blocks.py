r"""Finds code, formulas and JSON in texts, which no attack may touch.

Each pattern starts with a sign that plain texts seldom have. Between an opening and a closing sign no pattern allows
the opening sign again, so many opening signs without closing ones do not cost a search to the end of the text each.
"""

import re
from collections.abc import Iterator

import orjson

from augment_ru.edits import Span

SIGNS = "`~$<\\"
"""The characters with which formulas and code between signs begin."""
JSON = "JSON"
"""The label of the protected spans of a text that is JSON: all except its string values (keys, numbers, escapes …)."""

_BLOCK = re.compile(
    r"""
    (?P<CODE>
        (?P<line> ^ [ \t>]*+ )? (?<!`) (?P<fence> `{3,8}+ ) `*+ (?: [^`] | (?! (?P=fence) ) ` )*+
            (?: (?P=fence) `*+ | (?(line) \Z | (?!) ) )
      | ^ [ \t>]*+ (?P<tildes> ~{3,8}+ ) [^\n]* (?: \n (?! [ \t>]*+ (?P=tildes) ) [^\n]* )*+
            (?: \n [ \t>]*+ (?P=tildes) ~*+ | \Z )
      | (?<!`) `` (?!`) (?: [^`\n] | (?<!`) ` (?!`) )++ `` (?!`)
      | < (?P<tag> code | pre | script | style ) \b [^<>]{0,500} >
            (?: [^<] | < (?! /? (?P=tag) \b ) )*+ </ (?P=tag) \s* >
    )
  | (?P<FORMULA>
        (?<!\$) \$\$ [^$]++ \$\$
      | \\\( (?: [^\\] | \\ [^()] )++ \\\) | \\\[ (?: [^\\] | \\ [^\[\]] )++ \\\]
      | \\begin \{ (?P<env> [a-z]+\*? ) \} (?: [^\\] | \\ (?! (?:begin|end) \{ (?P=env) \} ) )*+ \\end \{ (?P=env) \}
      | (?<! [\w$\\] ) \$ (?! [\s$] ) [^$\n]{1,500}+ (?<! [\s\\] ) \$ (?! [\w$] )
    )
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_TEX_SIGN = re.compile(r"[\\^_{}]")
_OPERATION = re.compile(r"[-+*/=<>]")
_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
_INDENTED = re.compile(
    r"^[ \t\r]*\n((?:(?: {4}|\t)[^\n]*\S[^\n]*(?:\n|\Z)(?:[ \t\r]*\n(?= {4}|\t))*+)++)", re.MULTILINE
)
_CODE_SIGN = re.compile(r"[=_{}\[\]<>|\\$`]|\w\(")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"(\s*:)?')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")


def blocks_of(text: str) -> Iterator[Span]:
    r"""Yield the code and the formulas of one text, labelled CODE and FORMULA.

    Code stands between fences, between backticks, or in `<code>`, `<pre>`, `<script>` and `<style>`. A paragraph that
    is indented after a blank line is code, too, if it has no Cyrillic letters, or has signs that prose lacks.

    A formula stands between «$$», between «\(» and «\)», between «\[» and «\]», or in a TeX environment. Text between
    two «$» on one line is also a formula if it has a sign of TeX (one of `\ ^ _ { }`). Without such a sign, it must
    have no Cyrillic letters, and be a single word or have an operator. So «$100, а не $200» has no formula.

    >>> text = "Если $x_1 = 2$, то `f(x)`; <code>цикл()</code> стоит $100, а не $200."
    >>> [span.of(text) for span in blocks_of(text)]
    ['$x_1 = 2$', '<code>цикл()</code>']
    """
    for match in _BLOCK.finditer(text) if any(sign in text for sign in SIGNS) else ():
        label = "FORMULA" if match["CODE"] is None else "CODE"
        if match[0][0] != "$" or match[0].startswith("$$") or _is_formula(match[0][1:-1]):
            yield Span(*match.span(), label)
    for match in _INDENTED.finditer(text) if "\n    " in text or "\n\t" in text else ():
        if _CODE_SIGN.search(match[1]) or not _CYRILLIC.search(match[1]):
            yield Span(*match.span(1), "CODE")


def _is_formula(inside: str) -> bool:
    """Tell whether the text between two «$» on one line is a formula, and not ordinary text between two prices."""
    if _TEX_SIGN.search(inside):
        return True
    return not _CYRILLIC.search(inside) and (" " not in inside or _OPERATION.search(inside) is not None)


def json_of(text: str) -> list[Span]:
    r"""Find what may not change in a JSON object or list: all outside its string values, and the escapes inside them.

    Returns:
        The spans in order: the first begins where the text begins, and the last ends where the text ends. Empty if the
        text is not JSON.

    >>> text = '{"имя": "Анна", "лет": 30, "теги": ["а\\nб"]}'
    >>> [span.of(text) for span in json_of(text)]
    ['{"имя": "', '", "лет": 30, "теги": ["', '\\n', '"]}']
    """
    inner = text.strip(" \t\r\n")
    if (inner[:1], inner[-1:]) not in (("{", "}"), ("[", "]")):
        return []
    try:
        orjson.loads(text)
    except ValueError:
        return []
    found: list[Span] = []
    at = 0
    for match in _STRING.finditer(text):
        if match[2] is None:
            found.append(Span(at, match.start(1), JSON))
            found.extend(Span(*escape.span(), JSON) for escape in _ESCAPE.finditer(text, *match.span(1)))
            at = match.end(1)
    return [*found, Span(at, len(text), JSON)]
