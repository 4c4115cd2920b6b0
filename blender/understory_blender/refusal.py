"""What a user can put right: one sentence that says what is wrong, where, and what to do.

Operators report it in Blender's own way; nothing else is caught by them but what the package
refuses, whose sentences are of the same kind.
"""

from __future__ import annotations


class Refusal(Exception):
    """Something that a user can put right."""


class Cancelled(Exception):
    """The user does not want it any more."""
