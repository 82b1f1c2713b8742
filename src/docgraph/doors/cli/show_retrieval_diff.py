"""What people see of the difference between two retrievals."""

from docgraph.doors.cli.show import out, said
from docgraph.model.retrieval_diff import RetrievalDiff


def show_retrieval_diff(found: RetrievalDiff) -> None:
    """What they were asked with, then lines that only one side has, then numbers."""
    for one in found.asked:
        out.print(f"[dim]{said(one.name)}: {said(str(one.left))} -> {said(str(one.right))}[/dim]")
    for mark, documents in (("-", found.documents_lost), ("+", found.documents_gained)):
        for document in documents:
            out.print(f"{mark} {said(document)}")
    for mark, edges in (("-", found.edges_lost), ("+", found.edges_gained)):
        for edge in edges:
            out.print(f"{mark} {said(edge.source)} ->{edge.relation}-> {said(edge.target)}")
    for mark, ids in (
        ("-", found.evidence_lost),
        ("+", found.evidence_gained),
        ("~", found.evidence_changed),
    ):
        for chunk in ids:
            out.print(f"{mark} evidence {said(chunk)}")
    for share in found.tokens:
        out.print(f"~ {said(share.name)}: {share.left} -> {share.right} tokens")
    out.print(_summed(found))


def _summed(found: RetrievalDiff) -> str:
    if not found.differs:
        return "no difference in what they give"
    moved = (
        f"documents gained {len(found.documents_gained)}, lost {len(found.documents_lost)}; "
        f"edges gained {len(found.edges_gained)}, lost {len(found.edges_lost)}"
    )
    left, right = found.tokens_in_all
    if left is None or right is None:
        return f"{moved}; {'the same context' if found.same_page else 'another context'}"
    evidence = (
        f"evidence gained {len(found.evidence_gained)}, lost {len(found.evidence_lost)}, "
        f"changed {len(found.evidence_changed)}"
    )
    return f"{moved}; {evidence}; tokens {left} -> {right} ({right - left:+d})"
