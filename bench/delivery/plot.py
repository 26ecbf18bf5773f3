"""Plots: bars in groups, as SVG on white, in the colours of the other plots."""

from html import escape

WIDTH, LEFT, RIGHT, TOP = 860, 190, 250, 40
BAR, GAP = 15, 16
COLOURS = {"duramen": "#2b6cb0"}
OTHER = "#a0aec0"


def bars(title, groups):
    """A group of bars for each (name, [(server, length, label), ...]); lengths are shares of the longest of their group."""
    height = TOP + sum(len(rows) * BAR + GAP for _, rows in groups) + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>', f'<text x="{LEFT}" y="22" font-weight="bold">{escape(title)}</text>']
    top = TOP
    for name, rows in groups:
        middle = top + len(rows) * BAR / 2 + 5
        out.append(f'<text x="{LEFT - 12}" y="{middle:.0f}" text-anchor="end">{escape(name)}</text>')
        longest = max((length for _, length, _ in rows), default=0) or 1
        for server, length, label in rows:
            width = length / longest * (WIDTH - LEFT - RIGHT)
            out.append(f'<rect x="{LEFT}" y="{top}" width="{width:.1f}" height="{BAR - 2}" fill="{COLOURS.get(server, OTHER)}"/>')
            out.append(f'<text x="{LEFT + width + 6:.1f}" y="{top + BAR - 4}" font-size="11">{escape(server)} {escape(label)}</text>')
            top += BAR
        top += GAP
    return "\n".join([*out, "</svg>", ""])
