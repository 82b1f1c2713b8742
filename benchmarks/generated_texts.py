"""Texts of generated words with the frequencies of a natural language: few frequent, most rare."""

import json
import random
from functools import cache
from pathlib import Path

SYLLABLES = [f"{first}{second}" for first in "bdfgklmnprst" for second in "aeiou"]


def random_text(where: str, least: int, most: int) -> str:
    """The same words for the same number."""
    chance = random.Random(where)  # noqa: S311
    many = chance.randint(least, most)
    return " ".join(word(int(5000 * chance.random() ** 3)) for _ in range(many))


@cache
def word(number: int) -> str:
    chance = random.Random(f"word {number}")  # noqa: S311
    return "".join(chance.choices(SYLLABLES, k=chance.randint(1, 4)))


def short_texts(path: Path, documents: int) -> Path:
    """One chunk each."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(documents):
            title, text = (
                random_text(f"title {number}", 2, 4),
                random_text(f"text {number}", 20, 60),
            )
            print(json.dumps({"_id": str(number), "title": title, "text": text}), file=file)
    return path


def linked_pages(documents: int, sections: int, words: int) -> dict[str, str]:
    """Markdown by path; every page links to three others."""
    return {f"{number}.md": page(number, documents, sections, words) for number in range(documents)}


def page(number: int, documents: int, sections: int, words: int) -> str:
    """The page of this number among so many."""
    chance = random.Random(f"links {number}")  # noqa: S311
    links = ", ".join(f"[page](/{chance.randrange(documents)}.md)" for _ in range(3))
    parts = [f"# {random_text(f'title {number}', 2, 4).capitalize()}\n\nSee {links}.\n"]
    for part in range(sections):
        title = random_text(f"heading {number} {part}", 2, 3).capitalize()
        parts.append(f"## {title}\n\n{random_text(f'section {number} {part}', words, words)}\n")
    return "\n".join(parts)
