"""The language of `when`: its names, and its parser.

Grammar, loosest first::

    either     = both ("or" both)*
    both       = negation ("and" negation)*
    negation   = "not" negation | comparison
    comparison = sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)*
    sum        = product (("+" | "-") product)*
    product    = factor (("*" | "/") factor)*
    factor     = "-" factor | number | name | "true" | "false" | "(" either ")"

A chained comparison holds if each of its links does. Every part is a number or a truth; the two are
never mixed. A name may be a parameter of the policy: its value stands in the tree then.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from difflib import get_close_matches
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from loo_sim.policies.tree import (
    COMPARISONS,
    Arithmetic,
    Comparison,
    Junction,
    Kind,
    Minus,
    Name,
    Node,
    Not,
    Number,
    Truth,
)

MOST_CHARACTERS = 1000
MOST_NESTED = 30
"""Deepest nesting of parentheses, `not` and minus signs."""

ANNOUNCE_NAMES: Mapping[str, Kind] = MappingProxyType(
    {
        "trumps": "number",
        "over_best": "number",
        "over_second": "number",
        "high": "number",
        "middle": "number",
        "low": "number",
        "plain_suits": "number",
        "seat": "number",
        "to_act": "number",
        "players": "number",
        "dealer": "truth",
        "standers": "number",
        "folded": "number",
        "miss_free": "truth",
        "pot": "number",
        "trick": "number",
        "loo": "number",
    }
)
"""What a condition of `[announce]` may speak of."""

PLAY_NAMES: Mapping[str, Kind] = MappingProxyType(
    {
        "trick_no": "number",
        "last": "truth",
        "in_play": "number",
        "my_tricks": "number",
        "best_is_trump": "truth",
    }
)
"""What a condition of `[play]` may speak of."""

MONEY_NAMES = frozenset({"pot", "trick", "loo"})
"""Names whose values no policy file can bound: they depend on the experiment."""

_TRUTHS = {"true": True, "false": False}
_KEYWORDS = ("and", "or", "not", *_TRUTHS)
TAKEN_NAMES = frozenset({*ANNOUNCE_NAMES, *PLAY_NAMES, *_KEYWORDS})
"""Names that no parameter may have."""

NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
"""What a parameter may be called."""

NO_PARAMS: Mapping[str, float] = MappingProxyType({})
_MISTAKEN = {"=": "==", "=>": ">=", "=<": "<=", "<>": "!=", "&&": "and", "||": "or", "!": "not"}
_MISTAKEN |= {"&": "and", "|": "or", "//": "/"}
_TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d+)?(?![\w.]))"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<mistake>=>|=<|<>|&&|\|\||//|=(?!=)|!(?!=)|[&|])"
    r"|(?P<sign><=|>=|==|!=|[-+*/<>()])",
    re.ASCII,
)


class LanguageError(ValueError):
    """A condition is wrong.

    Attributes
    ----------
    column : int
        Column of the condition, from 1.
    what, hint : str
        As in `loo_sim.problems.Problem`.
    """

    def __init__(self, column: int, what: str, hint: str = "") -> None:
        self.column = column
        self.what = what
        self.hint = hint
        super().__init__(f"column {column}: {what}" + (f" ({hint})" if hint else ""))


class _Token(NamedTuple):
    kind: str
    text: str
    column: int


def parse(text: str, names: Mapping[str, Kind], params: Mapping[str, float] = NO_PARAMS) -> Node:
    """Parse a condition.

    Parameters
    ----------
    text : str
        The condition.
    names : mapping of str to {"number", "truth"}
        The names it may use: `ANNOUNCE_NAMES` or `PLAY_NAMES`.
    params : mapping of str to (float or bool)
        Parameters of the policy, for which their values are put.

    Returns
    -------
    Node
        A node whose value is a truth.

    Raises
    ------
    LanguageError
        At the first thing that is wrong.
    """
    if len(text) > MOST_CHARACTERS:
        raise LanguageError(
            MOST_CHARACTERS + 1,
            f"the condition is longer than {MOST_CHARACTERS} characters",
            "make several rules of it, or a table",
        )
    parser = _Parser(text, names, params)
    node = parser.either()
    if parser.token.kind != "end":
        raise parser.unexpected("an operator or the end")
    if node.kind != "truth":
        raise LanguageError(
            1, f"'{node}' is a number, not a condition", "compare it with something, as in pot >= 6"
        )
    return node


def literal(value: float) -> Node:
    """A number, or true or false, as a part of a condition."""
    if isinstance(value, bool):
        return Truth(value)
    number = Number(_digits(abs(value)))
    return Minus((number,)) if value < 0 else number


def _digits(value: float) -> str:
    """A number from 0 up without an exponent; 6 and 6.0 are written alike."""
    if isinstance(value, int):
        return str(value)
    return format(Decimal(repr(value)).normalize(), "f")


def names_in(text: str) -> frozenset[str]:
    """Every name that a condition speaks of, parameters included."""
    return frozenset(token.text for token in _tokens(text) if token.kind == "name")


@lru_cache(maxsize=1_000)
def _number_tokens(text: str) -> tuple[_Token, ...]:
    return tuple(token for token in _tokens(text) if token.kind == "number")


def numbers_in(text: str) -> tuple[float, ...]:
    """The numbers of a condition, as they follow each other."""
    return tuple(float(token.text) for token in _number_tokens(text))


def with_numbers(text: str, values: Mapping[int, float]) -> str:
    """The condition with other numbers at some places of `numbers_in`."""
    pieces, end = [], 0
    for place, token in enumerate(_number_tokens(text)):
        if place in values:
            value, start = values[place], token.column - 1
            digits = f"(-{_digits(-value)})" if value < 0 else _digits(value)
            pieces += [text[end:start], digits]
            end = start + len(token.text)
    return "".join([*pieces, text[end:]])


class _Parser:
    def __init__(self, text: str, names: Mapping[str, Kind], params: Mapping[str, float]) -> None:
        self.names = names
        self.params = params
        self.tokens = _tokens(text)
        self.token = next(self.tokens)
        self.depth = 0

    def accept(self, *texts: str) -> str | None:
        """Step over the token if it is one of `texts`."""
        text = self.token.text
        if self.token.kind == "end" or text not in texts:
            return None
        self.token = next(self.tokens)
        return text

    def unexpected(self, wanted: str) -> LanguageError:
        kind, text, column = self.token
        if kind == "end":
            return LanguageError(column, f"the condition ends where {wanted} should be")
        hint = text.lower() if text.lower() in _KEYWORDS and text not in _KEYWORDS else ""
        return LanguageError(
            column, f"'{text}' stands where {wanted} should be", hint and f"write '{hint}'"
        )

    def deeper(self, parse_inner: Callable[[], Node]) -> Node:
        if self.depth == MOST_NESTED:
            raise LanguageError(
                self.token.column,
                f"nested more than {MOST_NESTED} deep",
                "make several rules of it",
            )
        self.depth += 1
        node = parse_inner()
        self.depth -= 1
        return node

    def operand(self, parse_inner: Callable[[], Node], kind: Kind, of: str) -> Node:
        """An operand that must be of one kind."""
        column = self.token.column
        node = parse_inner()
        if node.kind != kind:
            raise _wrong_kind(node, kind, of, column)
        return node

    def either(self) -> Node:
        return self.junction("or", self.both)

    def both(self) -> Node:
        return self.junction("and", self.negation)

    def junction(self, word: str, parse_inner: Callable[[], Node]) -> Node:
        column = self.token.column
        operands = [parse_inner()]
        while self.accept(word):
            if len(operands) == 1 and operands[0].kind != "truth":
                raise _wrong_kind(operands[0], "truth", f"'{word}'", column)
            operands.append(self.operand(parse_inner, "truth", f"'{word}'"))
        return operands[0] if len(operands) == 1 else Junction(tuple(operands), word)

    def negation(self) -> Node:
        if self.accept("not"):
            return Not((self.operand(lambda: self.deeper(self.negation), "truth", "'not'"),))
        return self.comparison()

    def comparison(self) -> Node:
        column = self.token.column
        parts, signs = [self.sum()], []
        while sign := self.accept(*COMPARISONS):
            right_column = self.token.column
            left, right = parts[-1], self.sum()
            if left.kind != right.kind:
                number, truth = (left, right) if left.kind == "number" else (right, left)
                raise LanguageError(
                    column,
                    f"'{number}' is a number and '{truth}' is true or false: "
                    "they cannot be compared",
                )
            if left.kind == "truth" and sign not in ("==", "!="):
                raise _wrong_kind(left, "number", f"'{sign}'", column)
            parts.append(right)
            signs.append(sign)
            column = right_column
        return Comparison(tuple(parts), tuple(signs)) if signs else parts[0]

    def sum(self) -> Node:
        return self.arithmetic(("+", "-"), self.product)

    def product(self) -> Node:
        return self.arithmetic(("*", "/"), self.factor)

    def arithmetic(self, known: tuple[str, ...], parse_inner: Callable[[], Node]) -> Node:
        column = self.token.column
        parts, signs = [parse_inner()], []
        while sign := self.accept(*known):
            if parts[0].kind != "number":
                raise _wrong_kind(parts[0], "number", f"'{sign}'", column)
            parts.append(self.operand(parse_inner, "number", f"'{sign}'"))
            signs.append(sign)
        return Arithmetic(tuple(parts), tuple(signs)) if signs else parts[0]

    def factor(self) -> Node:
        if self.accept("-"):
            return Minus((self.operand(lambda: self.deeper(self.factor), "number", "'-'"),))
        if self.accept("("):
            node = self.deeper(self.either)
            if not self.accept(")"):
                raise self.unexpected("')' or an operator")
            return node
        kind, text, column = self.token
        if kind == "number":
            if not math.isfinite(float(text)):
                raise LanguageError(column, "the number is too large")
            self.accept(text)
            return Number(text)
        if kind == "name" and text not in ("and", "or", "not"):
            self.accept(text)
            return Truth(_TRUTHS[text]) if text in _TRUTHS else self.name(text, column)
        raise self.unexpected("a number, a name or '('")

    def name(self, text: str, column: int) -> Node:
        if text in self.names:
            return Name(text, self.names[text])
        if text in self.params:
            return literal(self.params[text])
        other = "play" if self.names is ANNOUNCE_NAMES else "announce"
        known = ", ".join((*self.names, *self.params))
        if text in ANNOUNCE_NAMES or text in PLAY_NAMES:
            raise LanguageError(column, f"'{text}' is known only under [{other}]", f"here: {known}")
        words = (*self.names, *self.params, *_KEYWORDS)
        close = get_close_matches(text.lower(), words, n=1)
        raise LanguageError(
            column,
            f"unknown name '{text}'",
            f"did you mean '{close[0]}'?" if close else f"one of: {known}",
        )


def _wrong_kind(node: Node, wanted: Kind, of: str, column: int) -> LanguageError:
    if wanted == "number":
        return LanguageError(column, f"'{node}' is true or false, but {of} takes numbers")
    return LanguageError(
        column,
        f"'{node}' is a number, but {of} takes what is true or false",
        "compare it with something, as in pot >= 6",
    )


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while True:
        while at < len(text) and text[at] in " \t\n":
            at += 1
        column = at + 1
        if at == len(text):
            yield _Token("end", "", column)
            return
        match = _TOKEN.match(text, at)
        if match is None:
            if text[at].isdigit():
                raise LanguageError(column, "no such number", "as in 2 or 0.5")
            raise LanguageError(column, f"'{text[at]}' means nothing here")
        kind, word = str(match.lastgroup), match[0]
        if kind == "mistake":
            raise LanguageError(column, f"'{word}' is no operator", f"write '{_MISTAKEN[word]}'")
        yield _Token(kind, word, column)
        at = match.end()
