"""Answer each question of the analysis separately: a failure removes one answer, not the document.

A failed question leaves a ``Missing`` behind. Whatever reads that is not answered either, so a
missing answer never passes for an empty one. What the questions are does not belong here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NoReturn, TypeVar, cast

from polars.exceptions import PanicException

from pileup.analysis.contract import ProblemDoc, UnansweredDoc

_Answer = TypeVar("_Answer")
_Blank = TypeVar("_Blank")
_SHOWN = 200

DEFECTS = (Exception, PanicException)
"""What a question may raise because of a defect; polars' panics are no ``Exception``."""


class Unanswered(Exception):  # noqa: N818  (a state, not a defect)
    """Raised by reading a ``Missing`` answer; the message says why it is missing."""


class Missing:
    """The answer to a question that failed: reading it in any way raises ``Unanswered``."""

    def __init__(self, why: str) -> None:
        self.why = why

    def _read(self, *_: object) -> NoReturn:
        raise Unanswered(self.why)

    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = __getattr__ = _read


class Answers:
    """Answers to questions, and a record of each question that has none."""

    def __init__(self, interrupts: tuple[type[BaseException], ...] = ()) -> None:
        """Take the exceptions that end the whole analysis, such as a time limit."""
        self._interrupts = interrupts
        self._missing: dict[str, str] = {}

    def ask(self, part: str, question: Callable[[], _Answer]) -> _Answer:
        """Return the answer, or a ``Missing`` that fails whoever reads it."""
        try:
            return question()
        except self._interrupts:
            raise
        except DEFECTS as error:
            return cast("_Answer", Missing(self._note(part, error)))

    def settle(self, part: str, question: Callable[[], _Answer], blank: _Blank) -> _Answer | _Blank:
        """Return the answer, or ``blank`` for the document; ``documents`` reports the failure."""
        answer = self.ask(part, question)
        if isinstance(answer, Missing):
            self._missing.setdefault(part, answer.why)
            return blank
        return answer

    def listed(self, part: str, question: Callable[[], Iterable[_Answer]]) -> list[_Answer]:
        """Return the answer as a list for the document, empty if the question failed."""
        return self.settle(part, lambda: list(question()), None) or []

    def documents(self) -> list[UnansweredDoc]:
        """List the questions without an answer, in their order."""
        return [UnansweredDoc(part=part, why=why) for part, why in self._missing.items()]

    def problems(self) -> list[ProblemDoc]:
        """Report the questions without an answer where people look for problems."""
        return [
            ProblemDoc(
                artifact="",
                path="analysis",
                line=None,
                message=f"Not answered: {part.replace('_', ' ')}. {why}",
                severity="error",
            )
            for part, why in self._missing.items()
        ]

    def _note(self, part: str, error: BaseException) -> str:
        why = str(error) if isinstance(error, Unanswered) else _defect(part, error)
        return self._missing.setdefault(part, why)


def _defect(part: str, error: BaseException) -> str:
    text = " ".join(str(error).split())[:_SHOWN]
    named = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return (
        f"A defect in Pileup stopped the question about {part.replace('_', ' ')} ({named}). "
        "All other answers are complete. Please report this."
    )


__all__ = ["DEFECTS", "Answers", "Missing", "Unanswered"]
