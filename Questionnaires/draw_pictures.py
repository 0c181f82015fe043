"""Draws the icons and pictures of the studies in this folder, and Saunter's own icons. They are our own work.

    pip install playwright pillow && python Questionnaires/draw_pictures.py [STUDY …]

Each drawing is SVG. Chromium draws it, and Pillow stores it with few colours, so that a file has some kilobytes. With names of studies only their
pictures are drawn.
"""

import io
import math
import pathlib
import sys

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
    "alter-ego": (
        "#3F5E7A", "#E6EDF3",
        # A circle, and another one that it could be.
        '<circle cx="208" cy="256" r="104"/><circle cx="304" cy="256" r="104" fill="none" stroke="#fff" stroke-width="24"/>',
        '<circle cx="480" cy="214" r="150" fill="#F2DDB0"/><circle cx="480" cy="214" r="92" fill="#F7EBD0"/>'
        '<path d="M0 330c150-50 300-50 480 0s330 50 480 0v150H0z" fill="#A9BFD1"/><path d="M0 390c160-40 320-30 480 6s320 40 480-10v94H0z" fill="#6F8FAA"/>'
        '<g fill="#3F5E7A"><path d="M372 404c0-62 10-70 10-104a44 44 0 0 1 88 0c0 34 10 42 10 104z"/></g>'
        '<g fill="#3F5E7A" fill-opacity=".5"><path d="M480 404c0-62 10-70 10-104a44 44 0 0 1 88 0c0 34 10 42 10 104z"/></g>'
        '<path d="M0 404h960v76H0z" fill="#3F5E7A"/>'),
}


def columns(xs, top, bottom, fill):
    """Columns of a temple, each with a capital and a base."""
    return "".join(
        f'<rect x="{x - 17}" y="{top}" width="34" height="{bottom - top}" fill="{fill}"/><rect x="{x - 30}" y="{top - 16}" width="60" height="18" rx="5" fill="{fill}"/>'
        f'<rect x="{x - 28}" y="{bottom - 12}" width="56" height="14" rx="4" fill="{fill}"/>' for x in xs)


def figure(x, y, size, fill):
    """A person in a long garment, without a face. The feet are at (x, y)."""
    return (
        f'<g transform="translate({x} {y}) scale({size})" fill="{fill}"><circle cx="0" cy="-118" r="20"/>'
        '<path d="M-34 0c0-56 8-92 34-92s34 36 34 92z"/></g>')


def tree(x, y, height, width, fill, trunk):
    """A cypress or a round tree. Its foot is at (x, y)."""
    return (
        f'<rect x="{x - 5}" y="{y - height * .4}" width="10" height="{height * .4}" rx="4" fill="{trunk}"/>'
        f'<ellipse cx="{x}" cy="{y - height * .6}" rx="{width / 2}" ry="{height * .42}" fill="{fill}"/>')


def house(x, y, width, height, wall, roof, lights=()):
    """A house with a pointed roof and some windows in which there is light. Its lower left corner is at (x, y)."""
    return (
        f'<rect x="{x}" y="{y - height}" width="{width}" height="{height}" fill="{wall}"/>'
        f'<path d="M{x - 12} {y - height}l{width / 2 + 12}-{width * .42}l{width / 2 + 12} {width * .42}z" fill="{roof}"/>'
        + "".join(f'<rect x="{x + dx}" y="{y - dy}" width="22" height="30" rx="3" fill="#F6D58E"/>' for dx, dy in lights))


# The garden of the Epicureans: a table with bread and two cups under trees.
TABLE = (
    '<rect x="340" y="316" width="280" height="18" rx="9" fill="#7A5A34"/><path d="M372 334l-18 92M588 334l18 92" stroke="#7A5A34" stroke-width="14" stroke-linecap="round"/>'
    '<ellipse cx="470" cy="296" rx="62" ry="24" fill="#D9A15B"/><path d="M440 288l14 16M466 284l14 18M492 286l12 16" stroke="#B97F3D" stroke-width="5" stroke-linecap="round"/>'
    '<path d="M364 272h40l-6 44h-28z" fill="#B5654A"/><path d="M556 272h40l-6 44h-28z" fill="#B5654A"/>')
LAWN = '<path d="M0 340c170-40 320-36 480-14s320 20 480-20v174H0z" fill="#A7CDBC"/><path d="M0 410c200-30 360-10 520 8s300 6 440-24v86H0z" fill="#7BB29C"/>'

# file: (width, height, background, body), below this folder.
LIBRARY = "studies/alter-ego/library/media"
FURTHER = {
    "alter-ego": {
        # The small circle in the large one, over a quiet sea.
        f"{LIBRARY}/control.png": (
            960, 480, "#E6F0F7",
            '<circle cx="480" cy="232" r="196" fill="#C6DCEA"/><circle cx="480" cy="232" r="150" fill="#D8E8F2"/><circle cx="480" cy="232" r="66" fill="#1A5A86"/>'
            '<circle cx="480" cy="232" r="34" fill="#F2D9A0"/>'
            '<path d="M0 366c120-30 240-30 360 0s240 30 360 0 160-22 240-8v122H0z" fill="#8DB6D0"/><path d="M0 410c120-26 240-26 360 0s240 26 360 0 160-18 240-6v76H0z" fill="#4F8BB0"/>'
            '<path d="M0 448c140-18 300-14 480 0s330 8 480-6v38H0z" fill="#1A5A86"/>'),
        f"{LIBRARY}/enough.png": (
            960, 480, "#E2F0EC",
            '<circle cx="760" cy="118" r="58" fill="#F2D9A0"/>' + LAWN
            + tree(150, 400, 250, 110, "#4C937F", "#5F4A2E") + tree(250, 384, 180, 84, "#6BAA97", "#5F4A2E") + tree(824, 388, 230, 104, "#4C937F", "#5F4A2E")
            + f'<g transform="translate(2 10)">{TABLE}</g>'),
        f"{LIBRARY}/questions.png": (
            960, 480, "#FBF1DC",
            '<path d="M110 128L480 34l370 94z" fill="#D9B98A"/><rect x="110" y="128" width="740" height="24" fill="#C9A36C"/>'
            + columns((170, 294, 666, 790), 170, 402, "#E2C79B")
            + '<rect x="80" y="402" width="800" height="26" fill="#C9A36C"/><rect x="40" y="428" width="880" height="52" fill="#B88F55"/>'
            '<path d="M432 250c0-34 22-54 50-54s48 18 48 46c0 40-46 40-46 74" fill="none" stroke="#7A4A00" stroke-width="20" stroke-linecap="round"/><circle cx="484" cy="356" r="14" fill="#7A4A00"/>'),
        # The pages of the onboarding.
        f"{LIBRARY}/path.png": (
            960, 480, "#EEF2EE",
            '<circle cx="690" cy="140" r="70" fill="#F2D9A0"/><path d="M0 270c180-80 330-60 480-14s330 40 480-50v274H0z" fill="#C9DDD5"/>'
            '<path d="M0 350c200-50 330-30 500 0s320 10 460-40v170H0z" fill="#93BFAF"/>'
            '<path d="M330 480c30-54 190-50 200-96s-110-38-96-78c10-30 70-34 112-40-34 16-54 22-52 42 4 34 130 34 130 84 0 46-70 52-104 88z" fill="#FBF6E8"/>'
            + "".join(f'<circle cx="{x}" cy="{y}" r="{r}" fill="#1E6A5B"/>' for x, y, r in ((352, 440, 17), (590, 372, 14), (412, 316, 11), (578, 262, 8)))),
        f"{LIBRARY}/letter.png": (
            960, 480, "#E6F0F7",
            '<rect x="270" y="110" width="420" height="270" rx="18" fill="#FFFFFF" stroke="#8DB6D0" stroke-width="8"/><path d="M278 122l202 150 202-150" fill="none" stroke="#8DB6D0" stroke-width="8"/>'
            '<circle cx="480" cy="292" r="62" fill="#1A5A86"/><path d="M456 290v-18a24 24 0 0 1 48 0v18" fill="none" stroke="#fff" stroke-width="10"/><rect x="446" y="286" width="68" height="46" rx="8" fill="#fff"/>'
            '<path d="M90 420h780" stroke="#8DB6D0" stroke-width="8" stroke-linecap="round"/>'),
        f"{LIBRARY}/steps.png": (
            960, 480, "#FBF1DC",
            "".join(f'<rect x="{150 + 220 * i}" y="{300 - 70 * i}" width="220" height="{140 + 70 * i}" fill="{fill}"/>' for i, fill in enumerate(("#E9CF9F", "#D9B98A", "#C9A36C")))
            + "".join(f'<circle cx="{260 + 220 * i}" cy="{250 - 70 * i}" r="34" fill="{fill}"/>' for i, fill in enumerate(("#9CC4B6", "#5B9D8A", "#1E6A5B")))
            + '<path d="M60 440h840" stroke="#7A4A00" stroke-width="8" stroke-linecap="round"/>'),
        # Pictures of stories.
        "instruments/control_morning/1.0.0/media/circles.png": (
            960, 480, "#F3F5F2",
            '<circle cx="480" cy="240" r="210" fill="none" stroke="#9DB8C9" stroke-width="6" stroke-dasharray="4 22" stroke-linecap="round"/><circle cx="480" cy="240" r="92" fill="#1A5A86"/>'
            + "".join(f'<circle cx="{480 + 158 * math.cos(angle):.0f}" cy="{240 + 158 * math.sin(angle):.0f}" r="{r}" fill="{fill}"/>' for angle, r, fill in (
                (0.4, 22, "#B9CFDD"), (1.5, 30, "#CBDCE6"), (2.5, 18, "#B9CFDD"), (3.6, 26, "#CBDCE6"), (4.7, 20, "#B9CFDD"), (5.6, 28, "#CBDCE6")))
            + '<path d="M438 244l28 28 56-62" fill="none" stroke="#F2D9A0" stroke-width="16" stroke-linecap="round" stroke-linejoin="round"/>'),
        "instruments/control_view/1.0.0/media/roofs.png": (
            960, 480, "#3A5470",
            '<circle cx="770" cy="100" r="44" fill="#F3E9CF"/>' + "".join(f'<circle cx="{x}" cy="{y}" r="3" fill="#DCE6EF"/>' for x, y in (
                (90, 70), (210, 120), (330, 50), (470, 96), (590, 44), (660, 150), (880, 190), (140, 180), (540, 160)))
            + '<path d="M0 330c200-60 420-60 620-20s260 20 340-10v180H0z" fill="#2F465F"/>'
            + house(60, 480, 150, 130, "#27394D", "#1D2B3B", ((38, 92),)) + house(240, 480, 120, 180, "#2B4057", "#22334A", ((24, 150), (74, 96)))
            + house(400, 480, 190, 120, "#27394D", "#1D2B3B", ((60, 84), (118, 84))) + house(620, 480, 130, 170, "#2B4057", "#22334A", ((54, 120),))
            + house(780, 480, 150, 120, "#27394D", "#1D2B3B", ((30, 84), (96, 84)))),
        "instruments/enough_pleasure/1.0.0/media/garden.png": (
            960, 480, "#EAF3EE",
            LAWN + tree(196, 394, 210, 150, "#5B9D8A", "#5F4A2E") + tree(772, 388, 250, 170, "#4C937F", "#5F4A2E") + TABLE
            + "".join(f'<circle cx="{x}" cy="{y}" r="9" fill="{fill}"/>' for x, y, fill in (
                (90, 430, "#C9737F"), (150, 452, "#F2D9A0"), (230, 438, "#C9737F"), (742, 446, "#F2D9A0"), (820, 430, "#C9737F"), (890, 450, "#F2D9A0")))),
        "instruments/questions_know/1.0.0/media/market.png": (
            960, 480, "#FBF1DC",
            '<rect x="60" y="96" width="840" height="26" fill="#C9A36C"/>' + columns((130, 300, 660, 830), 140, 398, "#E2C79B")
            + '<rect x="40" y="398" width="880" height="82" fill="#C9A36C"/>' + figure(428, 424, 1.5, "#7A4A00") + figure(548, 424, 1.36, "#1E6A5B")
            + '<g fill="#FFFFFF" stroke="#D9B98A" stroke-width="5"><rect x="336" y="150" width="86" height="56" rx="26"/><rect x="556" y="170" width="86" height="56" rx="26"/></g>'
            '<g fill="#7A4A00"><circle cx="360" cy="178" r="5"/><circle cx="379" cy="178" r="5"/><circle cx="398" cy="178" r="5"/></g>'
            '<g fill="#1E6A5B"><circle cx="580" cy="198" r="5"/><circle cx="599" cy="198" r="5"/><circle cx="618" cy="198" r="5"/></g>'),
    },
}


def svg(width, height, background, body):
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"><rect width="{width}" height="{height}" fill="{background}"/>{body}</svg>'


def main(chosen):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()

        def draw(drawing, width, height, path, colours):
            page.set_viewport_size({"width": width, "height": height})
            page.set_content(f"<style>*{{margin:0}}svg{{display:block;width:{width}px;height:{height}px}}</style>{drawing}")
            picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            path.parent.mkdir(parents=True, exist_ok=True)
            picture.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)

        for study, (colour, soft, glyph, scene) in STUDIES.items():
            if chosen and study not in chosen:
                continue
            folder = HERE / "studies" / study / "media"
            draw(svg(512, 512, colour, f'<g fill="#fff">{glyph}</g>'), 512, 512, folder / "icon.png", 16)
            draw(svg(960, 480, soft, scene), 960, 480, folder / "picture.png", 32)
            for file, (width, height, background, body) in FURTHER.get(study, {}).items():
                draw(svg(width, height, background, body), width, height, HERE / file, 32)
        for pixels in () if chosen else (192, 512):
            draw(svg(512, 512, "#1E6A5B", PATH), pixels, pixels, ASSETS / f"icon-{pixels}.png", 8)
        browser.close()


if __name__ == "__main__":
    main(set(sys.argv[1:]))
