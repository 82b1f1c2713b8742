"""Pieces of texts that are hostile to those who read YAML, JSON, questions and answers."""

from tests.growth.hostile_files import ANY_TEXT, Repeated, repeated

YAML = (
    *repeated("[", "{", "- ", "a: ", "? ", "&a ", "*a "),
    *repeated("!a ", '"', "'", "|\n", "#", "\n", "%", ","),
    *repeated("a\\N: 1\n", "- a\n", "- [a, 1]\n", "- {a: b}\n", "- 2001-01-01\n", "- 1:30\n", "é"),
    *repeated("- 1\n"),
    *(),
    *(Repeated("a: ", unit) for unit in ("[", "1", "1:", "a\n ", "\\x", '"\\x61', "- ", "<<: ")),
    Repeated("a: [", "b, ", "]"),
    Repeated("a: [", "{}, ", "]"),
    Repeated("a: {", "b\\N: c, ", "}"),
    Repeated('a: "', "\\\\x61", '"'),
    Repeated("a: |\n", " b\n"),
)  # fmt: skip
JSON = (
    *repeated("[", "{", '"', "\\\\", "{\"a\":", "[[],", "1", "-", " ", "é", '"\\\\u0061', "tru"),
    Repeated("[", "[],", "[]]"),
    Repeated("{", '"a\\N": 1,', '"b": 1}'),
    Repeated('"', "\\\\ud800", '"'),
    Repeated("[", "1e5,", "1]"),
    Repeated("", "9" * 40),
)  # fmt: skip
ENTRY = "- {from: a.md, relation: explains, to: b\\N.md}\n"
PIPELINE = (
    *YAML,
    Repeated("pipeline: x\nsteps:\n", "- search_nodes\n"),
    Repeated("pipeline: x\nsteps:\n", "- search_nodes: {top: 8, pool: 9}\n"),
    Repeated("pipeline: x\nsteps: [", "search_nodes", "]"),
    Repeated("pipeline: x\nsteps: [{search_nodes: {", "a\\N: 1, ", "}}]"),
    Repeated("pipeline: x\nsteps: [{search_nodes: {top: [", "1, ", "]}}]"),
    Repeated("pipeline: x\nextends: documents\nwithout: [", "a, ", "]"),
    Repeated("pipeline: x\nextends: documents\nchange: {", "a\\N: {}, ", "}"),
)
ANSWER = (
    *ANY_TEXT,
    *repeated("A. ", "[1", "a.[1] ", "\u3010", "[1, ", "1. ", "|a|\n", "|-|\n", "a [1]. ", "```\n"),
    *repeated(
        "**a", "<think>", "e.g. ", "J. R. ", "[^1]", "\u3002", ".[1]", "- a\n", "[1-9", ". [1] "
    ),
)
QUESTION = (
    *ANY_TEXT,
    *repeated(
        "A_", "a/", "a::", "A1 ", "PEP ", "#a", "Aaaa ", "Aaaa Bbbb ", "`a b` ", "a.b ", "1-a"
    ),
    *repeated(
        "/a/b.c ",
        "\\\\",
        "C:\\\\a\\\\",
        "a_\\N ",
        "aA",
        "AAaa",
        "~",
        "@",
        "a.py:1 ",
        "e\u0301",
        "0",
    ),
)
MARKED = (
    *ANY_TEXT,
    *repeated(
        "<|", "|>", "<s", "<|a|>", "[INST]", "[/", "<start_of_turn>", "\n## ", "\n[1] ", "\n "
    ),
    *repeated("\uff5c", "<</SYS", "question:", "\n#", "\u200b", "\r", "\x0b", "\n[1", "<unused"),
)
EVENTS = (
    *repeated(
        "data: a\n\n", "data: a\n", "a", ":", "\r", "\n", "event: a\n", "data:\n\n", "\ufeff"
    ),
    Repeated("", 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n', "data: [DONE]\n\n"),
    Repeated("", 'data: {"choices":[{"delta":{"content":"\\\\ud800"}}]}\n\n'),
    Repeated('{"choices":[{"message":{"content":"', "a", '"}}]}'),
)
FRONT_MATTER = (
    *repeated(
        "---\n", "---\na: b\n---\n", "<!---->", " ", "\n", "\u200b", " \n\u200b", "+", "\u2010"
    ),
    *(
        Repeated("---\n", unit)
        for unit in ("a: b\n", "a ", "k\\N: v\n", "[", "- a\n", "access: a\n")
    ),
    *(
        Repeated("---\n", unit, "\n---\n")
        for unit in ("a\\N: b\n", "- a\n", "access: a\n", "a: [", " ")
    ),
    Repeated("---\nk: v\naccess", " ", "x"),
    Repeated("---\nk: v\n", "[{"),
    Repeated("---", "a", "!"),
    Repeated("---\nx\naccess]", " ", "x\n---\n"),
    Repeated("", "+", "x"),
)
