"""Draws the icons and pictures of the studies in this folder, and Saunter's own icons. They are our own work.

    pip install playwright pillow && python Questionnaires/draw_pictures.py

Each drawing is SVG. Chromium draws it, and Pillow stores it with few colours, so that a file has some kilobytes.
"""

import io
import pathlib

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = pathlib.Path(__file__).resolve().parent
ASSETS = HERE.parent / "Sources" / "SaunterWeb" / "assets"

# The path of icon.svg, with a margin because some devices cut a circle out of the icon.
PATH = '<path transform="translate(256 256) scale(13) translate(-16 -18)" d="M6 22c4-1 5-8 9-8s4 5 7 5 3-3 4-5" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/>'

# study: (colour, soft colour, the glyph of the icon in white on 512 x 512, the scene on 960 x 480)
STUDIES = {
    "mindful-walking": (
        "#2F6F4E", "#E3EFE5",
        '<path d="M150 384c96 0 190-6 190-64s-168-40-168-100 74-72 124-72" fill="none" stroke="#fff" stroke-width="44" stroke-linecap="round"/><circle cx="356" cy="148" r="30"/>',
        '<circle cx="700" cy="130" r="58" fill="#F2D9A0"/><path d="M0 300C170 220 300 230 470 280s330 40 490-40v240H0z" fill="#C4DCC8"/>'
        '<path d="M0 360c200-60 330-20 520 0s320-10 440-50v170H0z" fill="#8FBB9B"/>'
        '<path d="M380 480c40-60 150-70 160-112s-70-50-44-86c10-14 34-22 60-24-30 22 10 38 40 62 56 46-10 104-26 160z" fill="#FBF3DF"/>'
        '<g fill="#2F6F4E"><rect x="176" y="232" width="10" height="86" rx="5"/><ellipse cx="181" cy="206" rx="42" ry="56"/>'
        '<rect x="812" y="196" width="10" height="96" rx="5"/><ellipse cx="817" cy="166" rx="46" ry="62"/>'
        '<rect x="268" y="256" width="8" height="60" rx="4"/><ellipse cx="272" cy="238" rx="30" ry="40"/></g>'),
    "emotions-tracker": (
        "#6A4C93", "#EEE8F5",
        '<circle cx="256" cy="220" r="112" fill="none" stroke="#fff" stroke-width="34"/><path d="M100 372c40-44 78-44 104 0s64 44 104 0 64-44 104 0" fill="none" stroke="#fff" stroke-width="34" stroke-linecap="round"/>',
        '<circle cx="250" cy="170" r="96" fill="#D9CCEA"/><circle cx="390" cy="210" r="96" fill="#F4D7C7" fill-opacity=".9"/>'
        '<circle cx="530" cy="170" r="96" fill="#CFE3E8" fill-opacity=".9"/><circle cx="670" cy="210" r="96" fill="#F3E5B5" fill-opacity=".9"/>'
        '<path d="M60 380c90-90 160-90 220 0s140 90 220 0 140-90 220 0 130 60 180-20" fill="none" stroke="#6A4C93" stroke-width="10" stroke-linecap="round"/>'
        '<g fill="#6A4C93"><circle cx="170" cy="322" r="13"/><circle cx="390" cy="440" r="13"/><circle cx="610" cy="318" r="13"/><circle cx="790" cy="418" r="13"/></g>'),
    "appiness": (
        "#5B6B1E", "#F0F2DF",
        '<circle cx="256" cy="256" r="128" fill="none" stroke="#fff" stroke-width="30"/><circle cx="210" cy="226" r="19"/><circle cx="302" cy="226" r="19"/>'
        '<path d="M196 288c28 44 92 44 120 0" fill="none" stroke="#fff" stroke-width="26" stroke-linecap="round"/>',
        '<circle cx="480" cy="300" r="130" fill="#F3CF73"/>'
        '<g stroke="#F3CF73" stroke-width="16" stroke-linecap="round"><path d="M480 138V96M365 185l-30-30M595 185l30-30M318 300h-42M642 300h42"/></g>'
        '<circle cx="436" cy="266" r="13" fill="#5B6B1E"/><circle cx="524" cy="266" r="13" fill="#5B6B1E"/>'
        '<path d="M424 306c26 40 86 40 112 0" fill="none" stroke="#5B6B1E" stroke-width="13" stroke-linecap="round"/>'
        '<path d="M0 390c160-60 320-60 480-20s320 30 480-40v150H0z" fill="#B9C77A"/><path d="M0 430c200-50 380-10 560 0s290-10 400-40v90H0z" fill="#8FA045"/>'
        + "".join(f'<path d="M{x} {y}v-{h}" stroke="#5B6B1E" stroke-width="7" stroke-linecap="round"/><circle cx="{x}" cy="{y - h}" r="24" fill="{c}"/>'
                  f'<circle cx="{x}" cy="{y - h}" r="9" fill="#FBF3DF"/>' for x, y, h, c in (
            (110, 424, 90, "#C9737F"), (190, 412, 130, "#7F9BC4"), (770, 412, 120, "#C9737F"), (850, 404, 160, "#D99A4E"), (690, 428, 70, "#7F9BC4")))),
    "daily-moments": (
        "#1F6F8B", "#E1EEF3",
        '<circle cx="256" cy="256" r="30"/>' + "".join(
            f'<circle cx="{256 + x}" cy="{256 + y}" r="38"/>' for x, y in ((0, -136), (129, -42), (80, 110), (-80, 110), (-129, -42))),
        "".join(f'<circle cx="{160 + 160 * i}" cy="{300 - h}" r="56" fill="{c}"/>' for i, (h, c) in enumerate(
            ((0, "#BBD9E3"), (70, "#8FC1D1"), (110, "#F1D08B"), (60, "#6FA9BD"), (-10, "#1F6F8B"))))
        + '<path d="M60 410h840" stroke="#1F6F8B" stroke-width="8" stroke-linecap="round"/>'),
    "on-the-road": (
        "#8A5A0B", "#F6ECDA",
        '<path d="M214 132h84l96 260H118z"/><path d="M256 160v52M256 246v56M256 336v56" stroke="#8A5A0B" stroke-width="22"/>',
        '<circle cx="480" cy="190" r="78" fill="#F0B95B"/><path d="M0 250l170-90 130 80 110-60 120 70 150-100 280 110v220H0z" fill="#D8C3A0"/>'
        '<path d="M0 300h960v180H0z" fill="#B99B6B"/><path d="M446 300h68l170 180H276z" fill="#6B5836"/>'
        '<path d="M480 316v26M480 366v34M480 426v44" stroke="#F6ECDA" stroke-width="9"/>'),
    "strain-diary": (
        "#3C5A8A", "#E6ECF5",
        '<rect x="126" y="286" width="68" height="100" rx="20"/><rect x="222" y="206" width="68" height="180" rx="20"/><rect x="318" y="126" width="68" height="260" rx="20"/>',
        "".join(f'<rect x="{110 + 96 * i}" y="{400 - h}" width="64" height="{h}" rx="16" fill="{c}"/>' for i, (h, c) in enumerate(
            ((90, "#B9C8E0"), (150, "#94ABCF"), (250, "#3C5A8A"), (300, "#2C446B"), (190, "#6E8BBB"), (120, "#94ABCF"), (80, "#B9C8E0"), (60, "#CFDAEB"))))
        + '<path d="M80 418h800" stroke="#3C5A8A" stroke-width="8" stroke-linecap="round"/>'),
    "three-weeks-a-year": (
        "#2B6E6A", "#E0EFEE",
        '<circle cx="256" cy="256" r="132" fill="none" stroke="#fff" stroke-opacity=".35" stroke-width="56"/>'
        '<circle cx="256" cy="256" r="132" fill="none" stroke="#fff" stroke-width="56" pathLength="12" stroke-dasharray="1.6 2.4"/>',
        "".join(f'<rect x="{84 + 62 * (i % 13)}" y="{120 + 130 * (i // 13)}" width="44" height="92" rx="12" fill="{"#2B6E6A" if i in (1, 12, 24) else "#B5D6D3"}"/>' for i in range(26))),
    "training-or-waiting": (
        "#7A3E6E", "#F3E7F0",
        '<circle cx="178" cy="256" r="78"/><circle cx="346" cy="256" r="64" fill="none" stroke="#fff" stroke-width="28"/>',
        '<path d="M110 350c120-10 120-210 240-210s120 210 240 210 110-120 260-130" fill="none" stroke="#D9B5D0" stroke-width="18" stroke-linecap="round"/>'
        '<path d="M110 400h740" stroke="#7A3E6E" stroke-width="8" stroke-linecap="round"/><circle cx="350" cy="140" r="44" fill="#7A3E6E"/>'
        '<circle cx="590" cy="350" r="36" fill="#F3E7F0" stroke="#7A3E6E" stroke-width="14"/><circle cx="850" cy="220" r="44" fill="#B878A8"/>'),
}


def svg(width, height, background, body):
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"><rect width="{width}" height="{height}" fill="{background}"/>{body}</svg>'


def main():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()

        def draw(drawing, width, height, path, colours):
            page.set_viewport_size({"width": width, "height": height})
            page.set_content(f"<style>*{{margin:0}}svg{{display:block;width:{width}px;height:{height}px}}</style>{drawing}")
            picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            path.parent.mkdir(exist_ok=True)
            picture.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)

        for study, (colour, soft, glyph, scene) in STUDIES.items():
            folder = HERE / "studies" / study / "media"
            draw(svg(512, 512, colour, f'<g fill="#fff">{glyph}</g>'), 512, 512, folder / "icon.png", 16)
            draw(svg(960, 480, soft, scene), 960, 480, folder / "picture.png", 32)
        for pixels in (192, 512):
            draw(svg(512, 512, "#1E6A5B", PATH), pixels, pixels, ASSETS / f"icon-{pixels}.png", 8)
        browser.close()


if __name__ == "__main__":
    main()
