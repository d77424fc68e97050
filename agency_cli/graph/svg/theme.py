"""The colours of the picture, for light pages and for dark ones."""

from __future__ import annotations

FONT = "ui-sans-serif,-apple-system,'Segoe UI',Helvetica,Arial,'Noto Sans',sans-serif"
_LIGHT = {
    "page": "#ffffff",
    "box": "#f6f8fa",
    "edge": "#afb8c1",
    "ink": "#1f2328",
    "soft": "#59636e",
    "line": "#57606a",
    "entry": "#0969da",
    "entry-box": "#ddf4ff",
    "handoff": "#8250df",
    "added": "#1a7f37",
    "removed": "#cf222e",
    "changed": "#9a6700",
    "failed": "#cf222e",
}
_DARK = {
    "page": "#0d1117",
    "box": "#161b22",
    "edge": "#484f58",
    "ink": "#e6edf3",
    "soft": "#9198a1",
    "line": "#8b949e",
    "entry": "#58a6ff",
    "entry-box": "#10233c",
    "handoff": "#bc8cff",
    "added": "#3fb950",
    "removed": "#ff7b72",
    "changed": "#d29922",
    "failed": "#ff7b72",
}
_TONES = ("line", "handoff", "added", "removed", "changed", "failed", "soft", "entry")


def stylesheet() -> str:
    """Return the style of the whole picture."""
    rules = [
        f"svg{{{_variables(_LIGHT)}font-family:{FONT}}}",
        f"@media(prefers-color-scheme:dark){{svg{{{_variables(_DARK)}}}}}",
        ".page{fill:var(--page)}",
        ".box{fill:var(--box);stroke:var(--edge);stroke-width:1.25}",
        ".entry{fill:var(--entry-box);stroke:var(--entry);stroke-width:2}",
        "text{fill:var(--ink)}.soft{fill:var(--soft)}.strong{font-weight:600}",
        ".middle{text-anchor:middle}",
        ".flow{fill:none;stroke-linejoin:round}",
        ".dashed{stroke-dasharray:5 4}.idle{opacity:.4}",
        ".open{fill:var(--page);stroke-width:1.5}",
        ".number{text-anchor:middle;font-weight:600;fill:var(--page)}",
    ]
    tones = (f".s-{tone}{{stroke:var(--{tone})}}.f-{tone}{{fill:var(--{tone})}}" for tone in _TONES)
    return "".join([*rules, *tones])


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())
