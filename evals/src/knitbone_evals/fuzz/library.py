"""Tools of langchain-community and langchain-experimental, built offline over small fixtures.

Each function builds one tool: ``knitbone_evals.fuzz.library:read_file()`` is a target. It works in
the
current folder, which must hold a copy of what ``write_files`` writes; requests go to a server on
the loopback address, in a thread of the same process. The packages they need are in
``library_requirements.txt``; none of them is a dependency of knitbone.
"""

from __future__ import annotations

import importlib
import sqlite3
from pathlib import Path
from typing import Any

from knitbone_evals.fuzz import service

__all__ = ["LibraryMissingError", "targets", "write_files"]

_REQUIREMENTS = "evals/src/knitbone_evals/fuzz/library_requirements.txt"
_FILES = "langchain_community.tools.file_management"
_REQUESTS = "langchain_community.tools.requests.tool"
_SQL = "langchain_community.tools.sql_database.tool"
_JSON = "langchain_community.tools.json.tool"
_PYTHON = "langchain_experimental.tools.python.tool"
_SPEC = {
    "openapi": "3.0.0",
    "info": {"title": "Museum", "version": "1.2"},
    "paths": {"/items": {"get": {"parameters": [{"name": "page"}, {"name": "kind"}]}}},
    "tags": ["items", "visits"],
}
_TEXTS = (
    "The museum opens at nine and closes at five, except on Mondays.",
    "Tickets are sold at the entrance; children under six are free.",
    "The hall of instruments holds forty pianos and two organs.",
)
_DATABASE = "museum.db"


class LibraryMissingError(ImportError):
    """A package of ``library_requirements.txt`` is not installed."""


def _get(module: str, name: str) -> Any:
    try:
        return getattr(importlib.import_module(module), name)
    except ImportError as problem:
        raise LibraryMissingError(
            f"{module} cannot be imported ({problem}); "
            f"install the packages of {_REQUIREMENTS} into an environment of their own"
        ) from problem


def write_files(root: Path) -> None:
    """Write some files to read, move and delete, and a small database, into an empty folder."""
    (root / "notes").mkdir()
    (root / "notes" / "plan.md").write_text("# Plan\n\n- call the plumber\n", encoding="utf-8")
    (root / "menu.txt").write_text("soup\ntrout\nsorbet\n", encoding="utf-8")
    (root / "prices.csv").write_text("item,cents\nsoap,320\n", encoding="utf-8")
    (root / "empty.txt").touch()
    (root / "photo.bin").write_bytes(bytes(range(256)))
    database = sqlite3.connect(root / _DATABASE)
    with database:
        database.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, year INTEGER)")
        database.execute("CREATE TABLE visit (day TEXT, people INTEGER)")
        database.executemany(
            "INSERT INTO item (name, year) VALUES (?, ?)", [("piano", 1821), ("organ", 1740)]
        )
        database.execute("INSERT INTO visit VALUES ('2024-05-01', 212)")
    database.close()


def _file_tool(name: str) -> Any:
    return _get(_FILES, name)(root_dir=".")


def copy_file() -> Any:
    """Copies a file."""
    return _file_tool("CopyFileTool")


def file_delete() -> Any:
    """Deletes a file."""
    return _file_tool("DeleteFileTool")


def file_search() -> Any:
    """Finds files by a pattern."""
    return _file_tool("FileSearchTool")


def list_directory() -> Any:
    """Lists a folder."""
    return _file_tool("ListDirectoryTool")


def move_file() -> Any:
    """Moves a file."""
    return _file_tool("MoveFileTool")


def read_file() -> Any:
    """Reads a file."""
    return _file_tool("ReadFileTool")


def write_file() -> Any:
    """Writes a file."""
    return _file_tool("WriteFileTool")


def _json_tool(name: str) -> Any:
    return _get(_JSON, name)(spec=_get(_JSON, "JsonSpec")(dict_=_SPEC))


def json_spec_list_keys() -> Any:
    """Lists the keys of a JSON document."""
    return _json_tool("JsonListKeysTool")


def json_spec_get_value() -> Any:
    """Reads a value of a JSON document."""
    return _json_tool("JsonGetValueTool")


def _requests_tool(name: str) -> Any:
    address = service.start()
    wrapper = _get("langchain_community.utilities.requests", "TextRequestsWrapper")()
    tool = _get(_REQUESTS, name)(requests_wrapper=wrapper, allow_dangerous_requests=True)
    # As an application says where its service is; the tool's own text stays in front.
    return tool.model_copy(
        update={"description": f"{tool.description}\nThe service is at {address}/items"}
    )


def requests_get() -> Any:
    """Sends a GET request."""
    return _requests_tool("RequestsGetTool")


def requests_post() -> Any:
    """Sends a POST request."""
    return _requests_tool("RequestsPostTool")


def requests_patch() -> Any:
    """Sends a PATCH request."""
    return _requests_tool("RequestsPatchTool")


def requests_put() -> Any:
    """Sends a PUT request."""
    return _requests_tool("RequestsPutTool")


def requests_delete() -> Any:
    """Sends a DELETE request."""
    return _requests_tool("RequestsDeleteTool")


def _sql_tool(name: str) -> Any:
    wrapper = _get("langchain_community.utilities", "SQLDatabase")
    return _get(_SQL, name)(db=wrapper.from_uri(f"sqlite:///{_DATABASE}"))


def sql_db_query() -> Any:
    """Runs a query."""
    return _sql_tool("QuerySQLDatabaseTool")


def sql_db_schema() -> Any:
    """Describes tables."""
    return _sql_tool("InfoSQLDatabaseTool")


def sql_db_list_tables() -> Any:
    """Lists tables."""
    return _sql_tool("ListSQLDatabaseTool")


def python_repl() -> Any:
    """Runs Python code."""
    return _get(_PYTHON, "PythonREPLTool")()


def python_repl_ast() -> Any:
    """Runs Python code and returns the value of its last expression."""
    return _get(_PYTHON, "PythonAstREPLTool")()


def sleep() -> Any:
    """Sleeps."""
    return _get("langchain_community.tools.sleep.tool", "SleepTool")()


def human() -> Any:
    """Asks a human, who always says the same."""
    return _get("langchain_community.tools.human.tool", "HumanInputRun")(
        input_func=lambda: "Yes, go ahead."
    )


def query_graphql() -> Any:
    """Queries a GraphQL service."""
    wrapper = _get("langchain_community.utilities.graphql", "GraphQLAPIWrapper")
    _get("gql.transport.requests", "RequestsHTTPTransport")
    return _get("langchain_community.tools.graphql.tool", "BaseGraphQLTool")(
        graphql_wrapper=wrapper(graphql_endpoint=f"{service.start()}/graphql")
    )


def bm25() -> Any:
    """Retrieves passages by their words."""
    _get("rank_bm25", "BM25Okapi")
    retriever = _get("langchain_community.retrievers", "BM25Retriever").from_texts(list(_TEXTS))
    return _get("langchain_core.tools.retriever", "create_retriever_tool")(
        retriever, "museum_search", "Searches what the museum says about itself."
    )


_BUILDERS = (
    *(copy_file, file_delete, file_search, list_directory, move_file, read_file, write_file),
    *(json_spec_list_keys, json_spec_get_value),
    *(requests_get, requests_post, requests_patch, requests_put, requests_delete),
    *(sql_db_query, sql_db_schema, sql_db_list_tables),
    *(python_repl, python_repl_ast, sleep, human, query_graphql, bm25),
)


def targets() -> list[str]:
    """The tools as targets; each target builds its tool anew."""
    return [f"{__name__}:{builder.__name__}()" for builder in _BUILDERS]
