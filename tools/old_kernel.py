#!/usr/bin/env python3
"""tools/old_kernel.py COMMAND...: runs COMMAND with the system calls of Linux 4.9 (JetPack 4).

A seccomp filter makes every newer system call fail with ENOSYS. The last call of 4.9 is pkey_free,
which is 331 on x86-64 and 290 on arm64; the next one, statx, came with 4.11. Under qemu's user
emulation, the filter applies to the calls of qemu. Flags of old calls are not checked.
"""
import ctypes
import os
import platform
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, JUMP_GE, JUMP_EQ, RETURN = 0x20, 0x35, 0x15, 0x06  # linux/bpf_common.h, 32-bit words
ALLOW, ENOSYS = 0x7FFF0000, 0x00050000 | 38  # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO
# AUDIT_ARCH of linux/audit.h, and the first call that 4.9 does not have.
MACHINES = {"x86_64": (0xC000003E, 332), "aarch64": (0xC00000B7, 291)}


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def instruction(code, if_true, if_false, value):
    return struct.pack("=HBBI", code, if_true, if_false, value)


def forbid_new_calls():
    """Starts to filter the calls of this process and its children. Raises OSError if that fails."""
    architecture, first_unknown = MACHINES[platform.machine()]
    # In struct seccomp_data, the number is at offset 0 and the architecture at offset 4.
    code = b"".join([instruction(LOAD, 0, 0, 4), instruction(JUMP_EQ, 0, 3, architecture),
                     instruction(LOAD, 0, 0, 0), instruction(JUMP_GE, 0, 1, first_unknown),
                     instruction(RETURN, 0, 0, ENOSYS), instruction(RETURN, 0, 0, ALLOW)])
    program = Program(len(code) // 8, code)
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
                      (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)):
        if libc.prctl(*arguments) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    forbid_new_calls()
    os.execvp(sys.argv[1], sys.argv[1:])
