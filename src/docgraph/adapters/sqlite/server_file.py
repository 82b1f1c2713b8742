"""The file that servers on one store share, beside it: API keys, and the book of ingestions."""

from docgraph.adapters.sqlite.side_file import SideFile

SERVER_FILE = SideFile(
    kind="server file",
    application_id=0x646F6373,  # "docs"
    version=1,
    schema="server_schema.sql",
)
