#!/usr/bin/env python3
"""Reads the stories of alter-ego aloud with a synthetic voice, as a placeholder for a human reader.

    apt-get install espeak-ng ffmpeg
    Questionnaires/read_stories.py

The text of a story is its `body` in library/stories.<language>.csv. Each language has a lower and a higher voice. The files are committed, so neither the
build nor the tests need these programs. Another version of them gives other bytes.
"""

import csv
import pathlib
import subprocess

LIBRARY = pathlib.Path(__file__).parent / "studies/alter-ego/library"
VOICES = {"en": {"low": ("en-gb", 30), "high": ("en-gb+f3", 60)}, "de": {"low": ("de", 30), "high": ("de+f3", 60)}}
WORDS_PER_MINUTE = "150"


def main():
    for language, voices in VOICES.items():
        with (LIBRARY / f"stories.{language}.csv").open(newline="", encoding="utf-8") as table:
            for story in csv.DictReader(table):
                for variant, (voice, pitch) in voices.items():
                    spoken = subprocess.run(
                        ["espeak-ng", "-v", voice, "-p", str(pitch), "-s", WORDS_PER_MINUTE, "-g", "4", "--stdout", story["body"]],
                        check=True, capture_output=True).stdout
                    # 24 kbit/s, one channel of 22.05 kHz: about 200 kB for a minute.
                    subprocess.run(
                        ["ffmpeg", "-loglevel", "error", "-y", "-i", "pipe:", "-ac", "1", "-ar", "22050", "-b:a", "24k", "-map_metadata", "-1", "-fflags", "+bitexact",
                         "-metadata", f"title={story['title']}", LIBRARY / story[f"audio.{variant}"]],
                        input=spoken, check=True)


if __name__ == "__main__":
    main()
