"""The notebooks as pages, with their outputs as committed: nothing is run here."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"

_STYLE = re.compile(r"<style.*?</style>", re.DOTALL)
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


class Page(NamedTuple):
    """A notebook as Markdown, and its pictures by file name."""

    text: str
    pictures: Mapping[str, bytes]

    @property
    def title(self) -> str:
        """The heading."""
        return self.text.partition("\n")[0].lstrip("# ")

    @property
    def lead(self) -> str:
        """The first paragraph."""
        return next(part for part in self.text.split("\n\n")[1:] if part.strip())


def write_notebooks(folder: Path) -> None:
    """Write every notebook as a page with its pictures beside it."""
    for path in notebooks():
        page = converted(path)
        (folder / f"{path.stem}.md").write_text(page.text, "utf-8")
        for name, content in page.pictures.items():
            (folder / name).write_bytes(content)


def notebooks() -> list[Path]:
    """Return the notebooks in order."""
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def converted(path: Path) -> Page:
    """Return a notebook as a page."""
    import nbformat

    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in nbformat.read(path, as_version=4).cells:  # type: ignore[no-untyped-call]
        if cell.cell_type == "markdown":
            parts.append(linked(cell.source))
        elif cell.cell_type == "code":
            parts.append(f"```python\n{cell.source}\n```")
            for output in cell.outputs:
                name = f"{path.stem}-{len(pictures) + 1}.png"
                parts += shown(output, name, pictures)
    return Page("\n\n".join(parts) + "\n", pictures)


def linked(text: str) -> str:
    """Return Markdown whose links to other notebooks lead to their pages.

    >>> linked("[next](02_write_a_strategy.ipynb)")
    '[next](02_write_a_strategy.md)'
    """
    return re.sub(r"\((\d\d_\w+)\.ipynb", r"(\1.md", text)


def shown(output: Any, name: str, pictures: dict[str, bytes]) -> Iterator[str]:  # noqa: ANN401
    """Yield an output as Markdown; a picture is put aside under its name."""
    data = output.get("data", {})
    if "image/png" in data:
        pictures[name] = b64decode(data["image/png"])
        yield f"![output]({name})"
    elif "text/html" in data:
        yield boxed(data["text/html"])
    else:
        text = output.get("text") or data.get("text/plain") or "\n".join(output["traceback"])
        yield f"```text\n{_COLOUR.sub('', text).rstrip()}\n```"


def boxed(html: str) -> str:
    r"""Return HTML in one line without styles, in a box that scrolls: Markdown leaves it alone.

    >>> boxed("<style>p {}</style>\n<table>\n\n</table>")
    '<div class="output"><table> </table></div>'
    """
    return f'<div class="output">{" ".join(_STYLE.sub("", html).split())}</div>'


def cards() -> str:
    """Return a card for every notebook: its title, first paragraph and first picture."""
    found = []
    for path in notebooks():
        page = converted(path)
        picture = "".join(f"\n\n![{page.title}]({name})" for name in list(page.pictures)[:1])
        card = f"**[{page.title}]({path.stem}.md)**\n\n{page.lead}{picture}"
        found.append(f"<div markdown>\n\n{card}\n\n</div>")
    return '<div class="cards" markdown>\n\n' + "\n\n".join(found) + "\n\n</div>"
