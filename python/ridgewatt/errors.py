"""The exceptions of the package. Each message is one line that says what is wrong, where, and what
to do about it. The command line prints the same line."""

import builtins

__all__ = ["Error", "InputError", "NotFoundError", "PermissionError", "IoError", "NotSupportedError",
           "UsageError", "NoSolutionError"]


class Error(Exception):
    """Base class of all exceptions that Ridgewatt raises."""


class InputError(Error, ValueError):
    """The content of a file or another input is malformed, truncated, inconsistent or dangerous."""


class NotFoundError(Error, FileNotFoundError):
    """A file, device or name does not exist."""


class PermissionError(Error, builtins.PermissionError):
    """The operating system denied access."""


class IoError(Error, OSError):
    """Reading or writing failed for a reason other than a missing file or a denied access."""


class NotSupportedError(Error, NotImplementedError):
    """The board, the sensor or this build does not support the operation."""


class UsageError(Error, ValueError):
    """An argument is wrong, or the arguments do not fit together."""


class NoSolutionError(Error):
    """No answer meets the limits."""
