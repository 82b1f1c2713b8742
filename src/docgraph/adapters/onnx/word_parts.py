"""Cuts a text where the granite tokenizer does, so that its tokens are those of what is cut.

The tokenizer splits a text by one regular expression (GPT-2's) and merges bytes within each part
alone, so the counts of parts add up. A part never holds a space after another character, so the
counts of words and of lines add up too, each with all spaces before it, whatever they are made of.
"""

import re

# A line or word ends before a space only where no space is before that: `(?<=\s)` goes on.
LINE = re.compile(r"(?a:\s*+)[^\n]++(?:(?<=\s)(?a:\s++)[^\n]*+)*+|(?a:\s++)")
WORD = re.compile(r"(?a:\s*+\S++)(?:(?<=\s)(?a:\s++\S*+))*+|(?a:\s++)")
PART = re.compile(r"(?a:'(?:[stmd]|re|ve|ll)| ?(?:[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]+)|\s+(?!\S)|\s+)")


def has_parts(word: str) -> bool:
    """Whether `PART` is the tokenizer's own expression on this word.

    Python's classes are not the tokenizer's on all of Unicode, and `<mask>` is one token.
    """
    return word.isascii() and "<" not in word


def is_plain(line: str, first: str) -> bool:
    """Whether single spaces alone part the words of a line, which has but ends of lines before."""
    body = line.lstrip("\n")
    return bool(first) and body.isprintable() and "  " not in body and not body.endswith(" ")
