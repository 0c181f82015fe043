#!/usr/bin/env python3
"""Draws the film of the practice enough_worry: one breath over a lake, ten seconds, without sound and without words. It is our own work.

    apt-get install ffmpeg python3-numpy
    Questionnaires/draw_film.py

The sun rises for four seconds while one breathes in, and sinks for six seconds while one breathes out. The last frame continues with the first one. The
film is committed, so neither the build nor the tests need these programs. Another version of them gives other bytes.
"""

import pathlib
import subprocess

import numpy

FILM = pathlib.Path(__file__).parent / "instruments/enough_worry/1.0.1/media/breath.mp4"
WIDTH, HEIGHT, RATE, SECONDS, IN = 640, 360, 24, 10, 4
# The line between sky and water, in pixels from above.
SHORE = 236
# Colours of the sky and of the water from above to below, of the sun, and of the hills.
SKY = ("#5F7F9C", "#A9BCC9", "#F1DFC4")
WATER = ("#B9BFBF", "#5C7A94", "#35506A")
SUN, HILLS = "#F6C98B", ("#8DA0AC", "#6F8798")


def colour(text):
    return numpy.array([int(text[i:i + 2], 16) for i in (1, 3, 5)], dtype=float)


def gradient(colours, height):
    """Colours between the given ones, one for each line."""
    stops = numpy.array([colour(one) for one in colours])
    places = numpy.linspace(0, 1, len(stops))
    lines = numpy.linspace(0, 1, height)
    return numpy.stack([numpy.interp(lines, places, stops[:, channel]) for channel in range(3)], axis=1)


def mix(picture, top, share):
    """Lays a colour over the picture. The share is between 0 and 1 for each pixel."""
    picture += (top - picture) * numpy.clip(share, 0, 1)[:, :, None]


def breath(second):
    """How full the lungs are, from 0 to 1. The change is slow at both ends."""
    part = second / IN if second < IN else 1 - (second - IN) / (SECONDS - IN)
    return (1 - numpy.cos(numpy.pi * part)) / 2


def frame(second):
    full, turn = breath(second), 2 * numpy.pi * second / SECONDS
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH].astype(float)
    picture = numpy.empty((HEIGHT, WIDTH, 3))
    picture[:SHORE] = gradient(SKY, SHORE)[:, None]
    picture[SHORE:] = gradient(WATER, HEIGHT - SHORE)[:, None]
    sky = y < SHORE
    # The sun with its glow, behind the hills
    centre, radius = SHORE - 4 - 92 * full, 40 + 12 * full
    distance = numpy.hypot(x - WIDTH / 2, y - centre)
    mix(picture, colour(SUN), numpy.exp(-(distance / (90 + 70 * full)) ** 2) * (.35 + .3 * full) * sky)
    mix(picture, colour("#FFF1D6"), (radius + .5 - distance) * sky)
    for top, (height, phase, length) in zip(HILLS, ((34, .6, 210), (18, 2.4, 140)), strict=True):
        ridge = SHORE - height * (1 + numpy.sin(x / length + phase)) / 2 - 4
        mix(picture, colour(top), (y - ridge + .5) * sky)
    # The light on the water, in slow waves that are longer near the eye
    depth = numpy.clip((y - SHORE) / (HEIGHT - SHORE), 0, 1)
    wave = numpy.sin(70 * numpy.sqrt(depth + .02) + 2.2 * numpy.sin(x / 90 + turn) - 2 * turn) + .6 * numpy.sin(
        43 * numpy.sqrt(depth + .02) - x / 70 - turn)
    mix(picture, colour("#DCE5E8"), (.05 + .05 * depth) * (wave + 1.2) * ~sky)
    path = numpy.exp(-(((x - WIDTH / 2) / (46 + 60 * depth + 22 * full)) ** 2))
    mix(picture, colour("#FFE6BD"), path * (.25 + .4 * full) * (1 - .65 * depth) * numpy.clip(.55 + .45 * wave, 0, 1) * ~sky)
    return numpy.clip(picture + .5, 0, 255).astype(numpy.uint8)


def main():
    FILM.parent.mkdir(exist_ok=True)
    frames = b"".join(frame(number / RATE).tobytes() for number in range(RATE * SECONDS))
    subprocess.run(
        ["ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(RATE), "-i", "pipe:", "-an",
         "-c:v", "libx264", "-preset", "veryslow", "-tune", "animation", "-crf", "20", "-pix_fmt", "yuv420p", "-threads", "1", "-map_metadata", "-1",
         "-fflags", "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart", FILM],
        input=frames, check=True)


if __name__ == "__main__":
    main()
