#!/usr/bin/env python3
"""The navigation of the site follows from docs/README.md: tools/docs_nav.py writes `nav` of mkdocs.yml (./dev pages).
A heading is a tab, and a list item `* **Name**: ..` a group of it. A page is in the tab of its folder, others where they
are linked first."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
START = "Start"
OTHER_TABS = {"Printed commands"}  # headings of the page itself


def links(text: str):
    """Pages of docs/ and CONTRIBUTING.md that a text links to, without anchors."""
    return [link.removeprefix("../") for link in re.findall(r"\]\(((?:\.\./)?[\w/]+\.md)\)", text)]


def navigation(readme: str):
    """{tab: {group: [page]}}; group "" is the tab itself."""
    tabs, taken = {}, set()
    parts = re.split(r"^## (.*)\n", readme, flags=re.MULTILINE)
    sections = [(START, parts[0]), *zip(parts[1::2], parts[2::2])]
    folders = {tab.lower() for tab, _ in sections}
    for tab, text in sections:
        if tab in OTHER_TABS:
            continue
        groups = tabs.setdefault(tab, {"": ["README.md"] if tab == START else []})
        for item in re.split(r"^\* ", text, flags=re.MULTILINE):
            name = re.match(r"\*\*([^*]+)\*\*:", item)
            group = groups.setdefault(name[1] if name and tab != START else "", [])
            for page in links(item):
                folder = page.split("/")[0] if "/" in page else ""
                elsewhere = folder in folders and folder != tab.lower() and tab != START
                if page not in taken and not elsewhere:
                    taken.add(page)
                    group.append(page)
    return tabs


def as_yaml(tabs) -> str:
    lines = ["nav:"]
    for tab, groups in tabs.items():
        lines.append(f"  - {tab}:")
        for group, pages in groups.items():
            if group and pages:
                lines.append(f"      - {group}:")
            lines += [f"{'          ' if group else '      '}- {page}" for page in pages]
    return "\n".join(lines) + "\n"


def with_navigation(config: str, readme: str) -> str:
    return config[:config.index("nav:\n")] + as_yaml(navigation(readme))


def main() -> None:
    config = ROOT / "mkdocs.yml"
    config.write_text(with_navigation(config.read_text(), (ROOT / "docs/README.md").read_text()))


if __name__ == "__main__":
    main()
