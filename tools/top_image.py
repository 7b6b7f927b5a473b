#!/usr/bin/env python3
"""Draws the terminal view as an image: tools/top_image.py -o docs/images/top.svg
[--program build/ridgewatt/ridgewatt] [--seconds 60] [--size 100x30]

Creates a fake AGX Orin in a temporary folder, runs a workload on it, opens `ridgewatt top` in tmux,
changes the mode with keys, and writes the content of the terminal with its colors as SVG. Needs
tmux."""
import argparse
import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unicodedata

CELL_X, CELL_Y, FONT = 8.4, 17, 14
BACK, FORE, DIM = "#10151c", "#d8dee9", "#8b95a5"
COLORS = ["#3b4252", "#ff6b6b", "#7ccf7c", "#e5c95a", "#6ca6e8", "#c792ea", "#5cc8d7", "#d8dee9"]


def spans(line):
    """Yields the pieces of a captured line: text with its attributes (color, bold, dim,
    reverse)."""
    color, flags = None, set()
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        found = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if not found:
            if piece:
                yield piece, color, frozenset(flags)
            continue
        for code in [int(word or 0) for word in found[1].split(";")]:
            if code == 0:
                color, flags = None, set()
            elif code in (1, 2, 7):
                flags.add(code)
            elif code == 22:
                flags -= {1, 2}
            elif code == 27:
                flags.discard(7)
            elif 30 <= code <= 37:
                color = COLORS[code - 30]
            elif code == 39:
                color = None


def width_of(text):
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def picture(screen, columns, rows, title):
    width, height = columns * CELL_X + 24, rows * CELL_Y + 24
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
             f'role="img" aria-label="{html.escape(title)}">',
             f"<title>{html.escape(title)}</title>",
             f'<rect width="100%" height="100%" rx="8" fill="{BACK}"/>',
             f'<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{FONT}">']
    for row, line in enumerate(screen.split("\n")[:rows]):
        cell = 0
        for text, color, flags in spans(line):
            fill = color or (DIM if 2 in flags else FORE)
            x, y = 12 + cell * CELL_X, 12 + row * CELL_Y
            cells = width_of(text)
            if 7 in flags:
                parts.append(f'<rect x="{x:.1f}" y="{y}" width="{cells * CELL_X:.1f}" height="{CELL_Y}" fill="{fill}"/>')
                fill = BACK
            bold = ' font-weight="bold"' if 1 in flags else ""
            for word in re.finditer("[^\u2800 ]+", text):  # blanks are not drawn
                at, size = x + width_of(text[:word.start()]) * CELL_X, width_of(word[0]) * CELL_X
                parts.append(f'<text x="{at:.1f}" y="{y + 13}" fill="{fill}"{bold} textLength="{size:.1f}" '
                             f'lengthAdjust="spacingAndGlyphs">{html.escape(word[0])}</text>')
            cell += cells
    return "\n".join(parts + ["</g>", "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/ridgewatt/ridgewatt")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--size", default="100x30")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    columns, rows = (int(word) for word in options.size.split("x"))
    program = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory() as folder:
        board = os.path.join(folder, "board")
        subprocess.run([program, "fake-board", "agx-orin", board, "--quiet"], check=True)
        tmux = ["tmux", "-S", os.path.join(folder, "socket")]
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}

        def ask(*words):
            return subprocess.run(tmux + list(words), check=True, env=environment, capture_output=True, text=True).stdout

        load = subprocess.Popen([program, "fake-run", "zoo:resnet50", "--minibatches", "1000000", "--quiet",
                                 "--sysroot", board])
        try:
            subprocess.run(tmux + ["-f", "/dev/null", "-u", "new-session", "-d", "-x", str(columns), "-y", str(rows),
                                   f"'{program}' top --every 0.5 --sysroot '{board}'"], check=True, env=environment)
            time.sleep(options.seconds / 3)
            ask("send-keys", "m", "Down", "Down", "Enter", "y")
            time.sleep(options.seconds / 3)
            ask("send-keys", "r")
            time.sleep(options.seconds / 3)
            screen = ask("capture-pane", "-e", "-p")
        finally:
            subprocess.run(tmux + ["kill-server"], check=False, capture_output=True)
            load.terminate()
            load.wait()
    target = pathlib.Path(options.output)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(picture(screen, columns, rows, "ridgewatt top on a fake Jetson AGX Orin"))
    print(f"{target}: {columns} x {rows} cells")
    return 0


if __name__ == "__main__":
    sys.exit(main())
