"""Small drawings that stand inside a line of text or a table: plain SVG without any style, made from numbers alone."""

from collections.abc import Sequence

from markupsafe import Markup

_WIDTH, _HEIGHT = 120, 24
_POINTS = 60


def sparkline(values: Sequence[float | None]) -> Markup:
    """Return a line of the values, thinned to 60 points, its last value marked; a gap where a value is unknown.

    It says nothing that the table beside it does not say in numbers, so it is hidden from screen readers.
    """
    known = [value for value in values if value is not None]
    if not known:
        return Markup("")
    step = max(len(values) // _POINTS, 1)
    points = list(range(len(values) - 1, -1, -step))[::-1]
    low, high = min(0.0, *known), max(known)
    scale = (_HEIGHT - 4) / (high - low) if high > low else 0.0
    across = _WIDTH / max(len(points) - 1, 1)
    parts, pen_is_down, last_y = [], False, float(_HEIGHT - 2)
    for place, index in enumerate(points):
        value = values[index]
        if value is None:
            pen_is_down = False
            continue
        last_y = _HEIGHT - 2 - (value - low) * scale
        parts.append(f"{'L' if pen_is_down else 'M'}{place * across:.1f} {last_y:.1f}")
        pen_is_down = True
    kind = "spark" if high > low else "spark none"
    # Only numbers formatted above stand in it.
    return Markup(  # noqa: S704
        f'<svg class="{kind}" viewBox="0 0 {_WIDTH} {_HEIGHT}" aria-hidden="true" focusable="false">'
        f'<path d="{"".join(parts)}"/><circle cx="{_WIDTH}" cy="{last_y:.1f}" r="2"/></svg>'
    )


def balance(decoupled: int, removed: int, added: int) -> Markup:
    """Return one bar divided by a commit's tally; nothing where the tally is empty."""
    total = decoupled + removed + added
    if total <= 0:
        return Markup("")
    parts, x = [], 0.0
    for kind, count in (("d", decoupled), ("r", removed), ("a", added)):
        width = 100 * count / total
        parts.append(f'<rect class="{kind}" x="{x:.2f}" y="0" width="{width:.2f}" height="10"/>')
        x += width
    return Markup(  # noqa: S704
        '<svg class="balance" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        + "".join(parts)
        + "</svg>"
    )
