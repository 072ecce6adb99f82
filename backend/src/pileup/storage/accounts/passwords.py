"""Which passwords are accepted: long enough, and not among those that are guessed first.

The estimate and the lists of common passwords, names and words are those of the library zxcvbn;
nothing is sent anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from zxcvbn import zxcvbn

from pileup.storage.accounts.breaches import is_breached
from pileup.storage.errors import Refused

MIN_PASSWORD = 10
_MAX_PASSWORD = 1000
_MIN_SCORE = 3
"""At least 10^8 guesses: years at the speed that the sign-in allows."""
_MOST_BESIDE = 4
"""Letters and digits beside the user's name, the address and the product: a year is guessed too."""
_ESTIMATED = 72
"""Characters that the estimate reads: it takes longer for longer ones, and those are strong."""


def check_password(password: str, *about: str, breached: Path | None = None) -> None:
    """Accept a new password, or raise Refused with the reason and what helps.

    about: name and e-mail address of the user, which make a bad password.
    breached: a file of breached passwords (``breaches``).
    """
    if len(password) < MIN_PASSWORD:
        raise Refused(f"a password has at least {MIN_PASSWORD} characters", "password")
    if len(password) > _MAX_PASSWORD:
        raise Refused(f"a password has at most {_MAX_PASSWORD} characters", "password")
    if is_breached(password, breached):
        raise Refused(
            "this password was found in a breach of another service: choose one that you use "
            "nowhere else",
            "password",
        )
    known = [word for text in ("pileup", *about) for word in (text, *re.findall(r"\w+", text))]
    estimate = zxcvbn(password[:_ESTIMATED], user_inputs=[word for word in known if word])
    if estimate["score"] >= _MIN_SCORE and not _consists_of(password, known):
        return
    feedback = estimate["feedback"]
    hints = [
        feedback["warning"].rstrip("."),
        *(hint.rstrip(".") for hint in feedback["suggestions"]),
    ]
    why = ". ".join(hint for hint in hints if hint)
    raise Refused(
        f"this password is easy to guess. {why or 'Use several uncommon words'}.", "password"
    )


def _consists_of(password: str, words: Iterable[str]) -> bool:
    """Return whether some of these words, and hardly anything else, make up the password."""
    rest = password.casefold()
    for word in sorted((word.casefold() for word in words if word), key=len, reverse=True):
        rest = rest.replace(word, " ")
    beside = len(re.sub(r"[\W_]", "", rest))
    return rest != password.casefold() and beside <= _MOST_BESIDE
