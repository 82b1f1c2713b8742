"""An import contract: which libraries, besides the standard one, some modules may know."""

import sys

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from importlinter.domain.imports import Module


class AllowedLibrariesContract(Contract):
    """Holds if every library that `source_modules` import directly is one of those allowed."""

    type_name = "allowed_libraries"

    source_modules = fields.ListField(subfield=fields.ModuleField())
    allowed_libraries = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002
        # The fields are declared above as fields, and read here as the values they parsed.
        sources: list[Module] = self.source_modules  # type: ignore[assignment]
        libraries: set[str] = self.allowed_libraries  # type: ignore[assignment]
        allowed = {*sys.stdlib_module_names, *libraries}
        strangers = sorted(
            (importer, imported)
            for source in sources
            for importer in {source.name, *graph.find_descendants(source.name)}
            for imported in graph.find_modules_directly_imported_by(importer)
            if graph.is_module_squashed(imported) and imported.split(".")[0] not in allowed
        )
        return ContractCheck(kept=not strangers, metadata={"strangers": strangers})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for importer, imported in check.metadata["strangers"]:
            output.print_error(f"{importer} imports {imported}")
