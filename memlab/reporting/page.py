"""The report as one HTML page."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from memlab.digests import slug
from memlab.reporting.content import METRIC, Content
from memlab.reporting.document import MARK
from memlab.reporting.embed import csp_hash, script_json
from memlab.reporting.shown import language, visible

if TYPE_CHECKING:
    from jinja2 import Template

_SCRIPTS = ("elements.js", "tables.js", "dialogue.js", "failure.js", "failures.js", "start.js")


def as_html(content: Content) -> str:
    """Return a report as a page that fetches nothing and runs nothing but its own script."""
    from markupsafe import Markup

    style, script = _asset("page.css"), _script()
    browser = content.browser
    page: str = _template().render(
        content=content,
        mark=MARK,
        metric=METRIC,
        version=dict(content.facts).get("memlab", ""),
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704 - memlab's own files
        script=Markup(script),  # noqa: S704
        index=Markup(script_json(browser.index)) if browser else "",  # noqa: S704
        dialogues=[Markup(script_json(d)) for d in browser.dialogues] if browser else [],  # noqa: S704
    )
    return page


def _policy(style: str, script: str) -> str:
    """Return a Content-Security-Policy: no request, one style, one script, images inside."""
    return (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src {csp_hash(style)}; script-src {csp_hash(script)}"
    )


def _asset(name: str) -> str:
    return (files("memlab.reporting") / "assets" / name).read_text("utf-8")


def _script() -> str:
    """Return the scripts as one; they share a scope of their own."""
    parts = "\n".join(map(_asset, _SCRIPTS))
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=False)
    environment.filters |= {
        "visible": visible,
        "language": language,
        "anchor": slug,
        "sortkey": lambda key: "" if key != key else repr(float(key)).replace("inf", "Infinity"),
    }
    return environment.from_string(_asset("page.html"))
