#!/usr/bin/env python3
"""Derives the navigation of the site from docs/README.md and writes `nav` of mkdocs.yml (./dev
pages). A heading becomes a tab, and a list item `* **Name**: ..` a group in the tab. A page is in
the tab of its folder, or else where it is linked first."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
START = "Start"
OTHER_TABS = {"Printed commands"}  # headings that are not tabs


def links(text: str):
    """Returns the pages of docs/, and CONTRIBUTING.md, to which a text links, without anchors."""
    return [link.removeprefix("../") for link in re.findall(r"\]\(((?:\.\./)?[\w/]+\.md)\)", text)]


def navigation(readme: str):
    """Returns {tab: {group: [page]}}. The group "" contains pages directly in the tab."""
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
