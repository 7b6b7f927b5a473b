"""The family of errors. Each says in one line what is wrong, where, and what to do about it; the
same line that the command line prints."""

import builtins

__all__ = ["Error", "InputError", "NotFoundError", "PermissionError", "IoError", "NotSupportedError",
           "UsageError", "NoSolutionError"]


class Error(Exception):
    """What Ridgewatt raises; all others are kinds of it."""


class InputError(Error, ValueError):
    """Content from outside is malformed, truncated, hostile or inconsistent."""


class NotFoundError(Error, FileNotFoundError):
    """A file, device or name does not exist."""


class PermissionError(Error, builtins.PermissionError):
    """The operating system refused."""


class IoError(Error, OSError):
    """Reading or writing failed for another reason."""


class NotSupportedError(Error, NotImplementedError):
    """The board, the sensor or the build cannot do this."""


class UsageError(Error, ValueError):
    """The question means nothing: an argument is wrong."""


class NoSolutionError(Error):
    """The question has no answer within its constraints."""
