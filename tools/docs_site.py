#!/usr/bin/env python3
"""Renders docs/ as a site with mkdocs and checks the site: tools/docs_site.py (./dev docs). Fails
if a page is not in the navigation, if a link or its anchor does not exist, or if a rendered page
still contains Markdown. mkdocs also loads this file as a hook (mkdocs.yml), which converts links to
files outside docs/ and adds the empty lines that mkdocs, unlike GitHub, needs before lists and
tables."""
import html.parser
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITE = ROOT / "build-docs"
PYTHON = "/usr/bin/python3"  # Debian's, which has mkdocs
LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")
ITEM = re.compile(r"\s*(?:[*-]|\d+\.) ")


def lines_outside_code(markdown: str):
    """Yields (line, whether the line is outside of fenced code)."""
    fenced = False
    for line in markdown.split("\n"):
        fence = line.startswith("```")
        yield line, not fenced and not fence
        fenced ^= fence


def with_empty_lines(markdown: str) -> str:
    """Inserts an empty line before each list and table that follows text."""
    lines, previous, in_list = [], "", False
    for line, is_text in lines_outside_code(markdown):
        item, row = is_text and ITEM.match(line) is not None, is_text and line.startswith("|")
        if previous and ((item and not in_list) or (row and not previous.startswith("|"))):
            lines.append("")
        in_list = is_text and (item or (in_list and (line == "" or line.startswith(" "))))
        lines.append(line)
        previous = line
    return "\n".join(lines)


def slug(heading: str, separator: str) -> str:
    """Returns the anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", separator)


# Hooks of mkdocs. Paths in the site are relative to docs/. Files outside docs/ keep their path in
# the project.

def on_config(config):
    config["mdx_configs"]["toc"] = {"slugify": slug, "permalink": False}
    return config


def target_of(page: str, link: str) -> str:
    """Returns the path in the project to which a link of a page leads."""
    folder = "" if page == "CONTRIBUTING.md" else os.path.join("docs", os.path.dirname(page))
    return os.path.normpath(os.path.join(folder, link))


def on_files(files, config):
    from mkdocs.structure.files import File

    def add(path):
        if files.get_file_from_path(path) is None:
            files.append(File(path, str(ROOT), config["site_dir"], config["use_directory_urls"]))

    add("CONTRIBUTING.md")
    for file in files.documentation_pages():
        for _, link, _ in LINK.findall(pathlib.Path(file.abs_src_path).read_text()):
            target = target_of(file.src_path, link)
            if not target.startswith("docs/") and (ROOT / target).is_file():
                add(target)
    return files


def on_page_markdown(markdown, page, config, files):
    def in_site(found):
        target = target_of(page.file.src_path, found[2])
        path = target[len("docs/"):] if target.startswith("docs/") else target
        return found[1] + os.path.relpath(path, os.path.dirname(page.file.src_path) or ".") + found[3]

    text = "\n".join(LINK.sub(in_site, line) if is_text else line for line, is_text in lines_outside_code(markdown))
    return with_empty_lines(text)


# Checks of the rendered pages.

class Page(html.parser.HTMLParser):
    """Collects the links and anchors of a page and its text outside of code."""

    def __init__(self, path: pathlib.Path):
        super().__init__()
        self.links, self.anchors, self.text, self.loads = [], set(), [], []
        self.code = self.blocks = 0
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.code += tag in ("code", "pre", "script", "style")
        self.blocks += tag == "pre"
        self.anchors.update(filter(None, [values.get("id"), values.get("name")]))
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in ("script", "link", "img", "iframe"):
            self.loads.append(values.get("src") or values.get("href") or "")

    def handle_endtag(self, tag):
        self.code -= tag in ("code", "pre", "script", "style")

    def handle_data(self, data):
        if not self.code:
            self.text.append(data)


def page_faults(name: str, page: Page, pages: dict):
    for link in page.links:
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if target.endswith(("/", ".")) or (SITE / target).is_dir():
            target = os.path.normpath(os.path.join(target, "index.html"))
        if not (SITE / target).exists():
            yield f"nothing at {link}"
        elif anchor and target in pages and anchor not in pages[target].anchors:
            yield f"no heading for {link}"
    for load in page.loads:
        if re.match(r"https?:|//", load):
            yield f"loads {load} from another server"
    for left in re.findall(r"^(?:```|#+ |\* |- |\d+\. ).*|^\|.*\|$|\]\(\S+\)", "".join(page.text), re.M):
        yield f'Markdown is left over: "{left[:60]}"'


def main() -> int:
    subprocess.run([sys.executable, ROOT / "tools/check_docs.py"], check=True)
    if subprocess.run([PYTHON, "-c", "import mkdocs, material"], stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: the site needs the packages mkdocs and mkdocs-material")
        return 0
    subprocess.run([PYTHON, "-m", "mkdocs", "build", "--strict", "--clean", "--quiet"], cwd=ROOT, check=True)
    pages = {path.relative_to(SITE).as_posix(): Page(path) for path in sorted(SITE.rglob("*.html"))}
    faults = [f"{name}: {fault}" for name, page in pages.items() if name != "404.html"
              for fault in page_faults(name, page, pages)]
    print("\n".join(faults) if faults else
          f"docs: {len(pages)} pages, {sum(page.blocks for page in pages.values())} code blocks in build-docs; links lead "
          "somewhere\nread them with 'python3 -m http.server --directory build-docs'")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
