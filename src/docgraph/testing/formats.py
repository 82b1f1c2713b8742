"""What every format must do. Its test is a subclass with the format and a few files:

class TestToml(FormatRules):
    format = TOML
    files = {"settings.toml": b"[server]\\nport = 80\\n"}
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import pytest

from docgraph.ingest.build_document import build_document
from docgraph.ingest.formats.registry import FORMATS, Format, FormatRegistry, read_file
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ports.source import SourceFile, SourceProblem
from docgraph.wiring.plugins import FORMATS as GROUP
from docgraph.wiring.plugins import load_plugin

_HOSTILE = (
    b"",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"[" * 5_000,
    b'"' * 999,
    b"\r\n\r\n",
    b"---\n",
)


class FormatRules:
    """`files` are examples by path; each must be readable."""

    format: ClassVar[Format]
    files: ClassVar[Mapping[str, bytes]]

    def read(self, path: str, data: bytes) -> ParsedFile | SourceProblem:
        return self.format.read(path, data)

    def parsed(self, path: str) -> ParsedFile:
        result = self.read(path, self.files[path])
        assert isinstance(result, ParsedFile), result
        return result

    def test_it_is_found_by_its_entry_point(self) -> None:
        assert load_plugin(GROUP, self.format.name, None) is self.format

    def test_it_takes_no_shipped_name_and_no_shipped_suffix(self) -> None:
        shipped = [one for one in FORMATS if one is not self.format]
        assert self.format.name not in {one.name for one in shipped}
        assert not {suffix for one in shipped for suffix in one.suffixes} & {*self.format.suffixes}

    def test_a_suffix_has_a_dot_and_no_capitals(self) -> None:
        assert self.format.suffixes
        for suffix in self.format.suffixes:
            assert suffix.startswith(".")
            assert suffix == suffix.casefold()

    def test_a_file_with_its_suffix_is_read_by_it(self) -> None:
        registry = FormatRegistry((self.format,))
        for suffix in self.format.suffixes:
            for path in (f"a{suffix}", f"deep/A{suffix.upper()}"):
                assert registry.find(SourceFile(path, 1)) == self.format

    def test_an_example_has_a_title_and_text(self) -> None:
        assert self.files
        for path in self.files:
            parsed = self.parsed(path)
            assert parsed.title.strip()
            assert parsed.text.strip()

    def test_reading_twice_gives_the_same(self) -> None:
        for path in self.files:
            assert self.parsed(path) == self.parsed(path)

    def test_parts_are_in_order_and_within_the_text_and_their_parents(self) -> None:
        for path in self.files:
            parsed = self.parsed(path)
            starts = [part.start for part in parsed.parts]
            assert starts == sorted(starts)
            for number, part in enumerate(parsed.parts):
                assert 0 <= part.start <= part.end <= len(parsed.text)
                if part.parent is not None:
                    assert part.parent < number
                    parent = parsed.parts[part.parent]
                    assert parent.start <= part.start <= part.end <= parent.end

    def test_parts_have_names_of_their_own(self) -> None:
        for path in self.files:
            suffixes = [part.suffix for part in self.parsed(path).parts]
            assert len(suffixes) == len(set(suffixes))

    def test_an_example_becomes_a_document_with_chunks(self) -> None:
        for path in self.files:
            built = build_document("r", path, self.parsed(path), (), "fingerprint")
            assert built.document.chunks
            assert len(built.document.nodes) == 1 + len(self.parsed(path).parts)

    def test_a_title_that_the_source_states_comes_first(self) -> None:
        for path, data in self.files.items():
            file = SourceFile(path, len(data), title="A title of its own")
            result = read_file(file, data, self.format)
            assert isinstance(result, ParsedFile)
            assert result == replace(self.parsed(path), title="A title of its own", titled=True)

    @pytest.mark.parametrize("data", _HOSTILE)
    def test_bytes_that_are_none_of_its_own_are_read_or_a_problem(self, data: bytes) -> None:
        result = self.read(f"a{self.format.suffixes[0]}", data)
        assert isinstance(result, ParsedFile | SourceProblem)

    def test_half_a_file_is_read_or_a_problem(self) -> None:
        for path, data in self.files.items():
            for end in range(0, len(data), max(1, len(data) // 50)):
                assert isinstance(self.read(path, data[:end]), ParsedFile | SourceProblem)
