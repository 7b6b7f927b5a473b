#!/usr/bin/env python3
"""Checks documentation, sources, scripts and commit messages for the words in WORDS, which plain
English does not need, and suggests others. Commit messages are checked from the commit that added
this file on."""
import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIXES = {".md", ".h", ".cc", ".c", ".cu", ".py", ".pyi", ".js", ".mjs", ".html", ".css", ".sh", ".cmake", ".txt", ".toml"}
NAMES = {"dev"}  # scripts without a suffix

# Words (a regular expression; a space also matches a line break in a comment), letters that every
# match contains, and what to write instead. The search for letters saves most of the time.
WORDS = [
    (r"foret(?:old|ells?|elling)", "foret", "predicted, predict"),
    (r"told", "told", "given, stated, reported, known; told apart: separated"),
    (r"tells? (?:\w+ )?apart", "apart", "separate, distinguish"),
    (r"(?:say|says|said) of", "", "say about"),
    (r"besides?", "beside", "next to, with, in addition to, compared with"),
    (r"meanwhile", "meanwhile", "during the run, at the same time"),
    (r"mend(?:s|ed|ing)?", "mend", "fix; relaxation, suggestion"),
    (r"stands? twice", "twice", "duplicate"),
    (r"so many", "many", "N, this number of"),
    (r"anew", "anew", "again"),
    (r"whereof|wherein|whence|thence|thereof|hitherto|henceforth", "", "of which, in which, from which"),
    (r"at hand", "hand", "available, on this machine"),
    (r"hangs? on", "hang", "depends on"),
    (r"(?:the|a|this|each|its|one|per|other|lower) rooms?|rooms|has room", "room", "module; has space"),
    (r"alcoves?", "alcove", "internal folder"),
    (r"(?:a|the|its|of|public) faces?", "face", "public header, module header, interface"),
    (r"(?:lower|higher|upper|top|same|one) floors?|rooms on floors", "floor", "layer"),
    (r"the house", "house", "the library, the project"),
    (r"plays? (?:it|the board|a board)", "play", "simulates"),
    (r"most power", "most", "maximum power"),
    (r"limits kept", "kept", "limits met"),
    (r"shows no power", "shows", "has no power sensor"),
    (r"made by hand", "made", "written by hand, constructed"),
]

# Accepted findings: pattern of the file or "commit HASH", text around the finding, reason.
EXCEPTIONS = [
    ("tools/check_words.py", "", "the list itself"),
    ("commit 92e007e900*", "73 columns", "published before the limit was checked"),
    ("docs/reference/*", "`mends", "deprecated name of relaxations in JSON"),
    ("docs/reference/*", "[].mends", "the same, by board"),
    ("ridgewatt/report/*", '"mends', "the same"),
    ("python/*", "mends", "deprecated name of relaxations"),
    ("python/*", "Mend", "deprecated name of Relaxation"),
    ("*", "foretold_", "deprecated names of predicted_s and predicted_j in JSON, CSV and plan files"),
    ("*", "_beside", "deprecated names of a_together_ms and b_together_ms in JSON and CSV"),
    ("*", "told_by", "deprecated name of known_from in CSV"),
]

SUBJECT = re.compile(r"[a-z][\w./-]*(?:, [a-z][\w./-]*)*: \S")
SUBJECT_COLUMNS = 72


def pattern(words: str) -> re.Pattern:
    """Returns a pattern that matches `words` as whole words, also within snake_case and CamelCase
    names."""
    gap = r"[ \t]*(?:\n[ \t]*(?://+|#+|\*)?)?[ \t]+|\n"
    in_text = rf"(?<![a-z])(?:{words.replace(' ', f'(?:{gap})')})(?![a-z])"
    camel = re.sub(r"(?:^|(?<=\|))[a-z]| [a-z]", lambda start: start[0].strip().upper(), words)
    return re.compile(rf"(?i:{in_text})|(?<=[a-z0-9])(?:{camel})(?![a-z])")


TABLE = [(pattern(words), letters, suggestion) for words, letters, suggestion in WORDS]


def findings(text: str):
    lower = text.lower()
    for words, letters, suggestion in TABLE:
        for found in words.finditer(text) if letters in lower else ():
            yield found.start(), f'"{" ".join(found[0].split())}": write {suggestion}'


def excused(file: str, line: str) -> bool:
    return any(fnmatch.fnmatch(file, files) and text in line for files, text, _ in EXCEPTIONS)


def file_findings(file: str) -> list[str]:
    text = (ROOT / file).read_text(errors="replace")
    lines = text.splitlines()
    faults = []
    for start, fault in sorted(findings(text)):
        number = text.count("\n", 0, start) + 1
        if not excused(file, lines[number - 1]):
            faults.append(f"{file}:{number}: {fault}")
    return faults


def git(*arguments: str) -> str:
    run = subprocess.run(["git", *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return run.stdout if run.returncode == 0 else ""


def message_faults(subject: str, body: str):
    if len(subject) > SUBJECT_COLUMNS:
        yield f"the subject has {len(subject)} columns, {SUBJECT_COLUMNS} at most"
    if not SUBJECT.match(subject) and not subject.startswith("Revert "):
        yield "the subject is not 'module: what changes'"
    unquoted = re.sub(r"""(?<!\w)(["'`])[^"'`]*\1(?!\w)""", "", f"{subject}\n{body}")  # old text
    yield from (fault for _, fault in findings(unquoted))


def commit_faults():
    """Returns the faults of commit messages since the commit that added this file."""
    added = git("log", "--diff-filter=A", "--format=%H %at", "--", "tools/check_words.py").split()
    if not added:
        return
    for commit in git("log", "--no-merges", "--format=%H%x1f%at%x1f%s%x1f%b%x1e", f"{added[-2]}..HEAD").split("\x1e")[:-1]:
        name, written, subject, body = commit.strip("\n").split("\x1f")
        if int(written) > int(added[-1]):
            yield from (f"commit {name[:10]}: {fault}" for fault in message_faults(subject, body)
                        if not excused(f"commit {name}", fault))


def main() -> int:
    faults = list(commit_faults())
    for file in sorted(set(git("ls-files", "-co", "--exclude-standard").splitlines())):
        path = ROOT / file
        if path.is_file() and (path.suffix in SUFFIXES or path.name in NAMES):
            faults += file_findings(file)
    print("\n".join(faults) if faults else "words: plain English in files and commit messages")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
