"""Indexes reports for a table lookup: rows of their tables, and the sentences around them."""

from langchain_text_splitters import RecursiveCharacterTextSplitter

splitter = RecursiveCharacterTextSplitter(
    chunk_size=160, chunk_overlap=0, separators=[""], strip_whitespace=False
)


def build(report):
    index = []
    for number, document in enumerate(splitter.create_documents([report])):
        for line in document.page_content.splitlines():
            if line.strip():
                index.append((number, line.rstrip()))
    return index


def lookup(report, key):
    """The line of the report that holds the key; a row of a table as its cells."""
    for _, line in build(report):
        if key in line:
            if line.startswith("|"):
                return [cell.strip() for cell in line.strip("|").split("|")]
            return [line]
    return []
