"""What tests with other people's programs share."""
import shutil
import socket
import unittest


def needs(*programs):
    missing = [name for name in programs if not shutil.which(name)]
    return unittest.skipIf(missing, f"skipped: no {', '.join(missing)}")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
