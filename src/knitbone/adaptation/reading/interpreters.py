"""Family of readers: parsers, compilers and interpreters that receive the output (Comfrey §4.4.1).

``exec(text)`` demands Python, ``cursor.execute(text)`` SQL of the database's dialect,
``subprocess.run(text, shell=True)`` a shell command. The tables name what each library runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from knitbone.adaptation.reading.text_consumers import (
    Consumer,
    FamilyResult,
    ReadOn,
    Text,
    items_of,
    lowest_confidence,
    unknown,
)
from knitbone.adaptation.requirements.operation_names import class_name, function_name, library
from knitbone.adaptation.requirements.records import ParserSyntax, Requirement
from knitbone.adaptation.requirements.uses import Computed, Operation, Use

__all__ = ["language_of", "read_syntax"]

_FUNCTIONS = {
    "exec": ("python", ""),
    "eval": ("python", "eval"),
    "builtins.exec": ("python", ""),
    "builtins.eval": ("python", "eval"),
    "ast.parse": ("python", ""),
    "compile": ("python", ""),
    "builtins.compile": ("python", ""),
    "runpy.run_path": ("python", ""),
    "codeop.compile_command": ("python", ""),
    "black.format_str": ("python", ""),
    "autopep8.fix_code": ("python", ""),
    "libcst.parse_module": ("python", ""),
    "re.compile": ("regex", ""),
    "regex.compile": ("regex", ""),
    "os.system": ("shell", ""),
    "os.popen": ("shell", ""),
    "subprocess.getoutput": ("shell", ""),
    "subprocess.getstatusoutput": ("shell", ""),
    "asyncio.create_subprocess_shell": ("shell", ""),
    "shlex.split": ("shell", ""),
    "bashlex.parse": ("shell", ""),
    "js2py.eval_js": ("javascript", ""),
    "execjs.eval": ("javascript", ""),
    "execjs.compile": ("javascript", ""),
    "esprima.parseScript": ("javascript", ""),
    "sqlalchemy.text": ("sql", ""),
    "sqlalchemy.sql.text": ("sql", ""),
    "sqlalchemy.sql.expression.text": ("sql", ""),
    "sqlglot.parse_one": ("sql", ""),
    "sqlglot.parse": ("sql", ""),
    "sqlglot.transpile": ("sql", ""),
    "sqlparse.parse": ("sql", ""),
    "pandas.read_sql": ("sql", ""),
    "pandas.read_sql_query": ("sql", ""),
    "polars.read_database": ("sql", ""),
    "pandasql.sqldf": ("sql", "sqlite"),
    "lxml.html.fromstring": ("html", ""),
    "lxml.html.document_fromstring": ("html", ""),
    "html.parser.HTMLParser().feed": ("html", ""),
    "html5lib.parse": ("html", ""),
    "jinja2.Template": ("jinja", ""),
    "jinja2.Environment().from_string": ("jinja", ""),
    "graphviz.Source": ("dot", ""),
}
"""Functions of Python and of libraries that run or parse a text: language and dialect."""
_CLASSES = {
    "PythonREPL": ("python", ""),
    "PythonREPLTool": ("python", ""),
    "PythonAstREPLTool": ("python", ""),
    "LocalPythonInterpreter": ("python", ""),
    "LocalPythonExecutor": ("python", ""),
    "BashProcess": ("shell", ""),
    "ShellTool": ("shell", ""),
    "SQLDatabase": ("sql", ""),
    "BeautifulSoup": ("html", ""),
    "HTMLParser": ("html", ""),
}
"""Classes of libraries whose objects run or parse a text: language and dialect."""
_RUN_METHODS = frozenset(
    {"run", "invoke", "ainvoke", "__call__", "execute", "feed", "run_no_throw", "arun", "run_sql"}
)
"""Methods by which those objects get the text."""
DIALECTS = {
    "sqlite3": "sqlite",
    "aiosqlite": "sqlite",
    "apsw": "sqlite",
    "psycopg": "postgres",
    "psycopg2": "postgres",
    "asyncpg": "postgres",
    "pg8000": "postgres",
    "pymysql": "mysql",
    "MySQLdb": "mysql",
    "mysql": "mysql",
    "aiomysql": "mysql",
    "asyncmy": "mysql",
    "duckdb": "duckdb",
    "snowflake": "snowflake",
    "pyodbc": "tsql",
    "pymssql": "tsql",
    "oracledb": "oracle",
    "cx_Oracle": "oracle",
    "clickhouse_driver": "clickhouse",
    "clickhouse_connect": "clickhouse",
    "databricks": "databricks",
    "trino": "trino",
    "prestodb": "presto",
    "redshift_connector": "redshift",
    "pyhive": "hive",
    "pyspark": "spark",
    "sqlalchemy": "",
    "django": "",
}
"""Database libraries, with their dialect of SQL; empty where a URL decides."""
_SQL_METHODS = frozenset(
    {"execute", "executemany", "executescript", "exec_driver_sql", "fetch", "fetchrow", "fetchval"}
    | {
        "sql",
        "query",
        "query_df",
        "execute_async",
        "command",
        "raw",
        "scalar",
        "scalars",
        "prepare",
    }
)
"""Methods of connections and cursors that get a statement."""
_STATEMENT_PARAMETERS = frozenset(
    {"", "0", "sql", "query", "statement", "operation", "command", "code", "source", "args", "cmd"}
    | {"input", "stmt", "shell_cmd", "popenargs", "object", "expression", "markup"}
)
"""Parameters that get the text to run; another one is data."""
_PROCESS_FUNCTIONS = frozenset(
    f"subprocess.{name}" for name in ("run", "call", "check_output", "check_call", "Popen")
) | {"asyncio.create_subprocess_exec"}
"""Functions that start a command given as a list."""
_INTERPRETERS = {
    "python": "python",
    "python3": "python",
    "sys.executable": "python",
    "ipython": "python",
    "node": "javascript",
    "deno": "javascript",
    "bun": "javascript",
    "bash": "shell",
    "sh": "shell",
    "zsh": "shell",
    "/bin/bash": "shell",
    "/bin/sh": "shell",
    "powershell": "powershell",
    "pwsh": "powershell",
    "cmd": "batch",
    "ruby": "ruby",
    "perl": "perl",
    "php": "php",
    "Rscript": "r",
    "psql": "sql",
    "sqlite3": "sql",
    "mysql": "sql",
    "osascript": "applescript",
}
"""Programs that run a text, with its language."""
_CODE_FLAGS = frozenset({"-c", "-e", "--eval", "-r", "-lc", "-ic", "/c", "-Command", "--command"})
"""Options of those programs behind which the text stands."""


def read_syntax(consumers: Sequence[Consumer], read_on: ReadOn) -> FamilyResult:
    """Return one requirement for each interpreter that a text is given to."""
    del read_on
    requirements: list[Requirement] = []
    claimed: set[int] = set()
    for index, consumer in enumerate(consumers):
        for use, run, dialect in _languages(consumer):
            claimed.add(index)
            text = consumer.text
            language = (
                (_language_in_command(text) if run == "shell" else None) if text.lost else run
            )
            if language is None:
                requirements.append(unknown(consumer, text.lost))
            else:
                requirements.append(_syntax(consumer, use, language, dialect))
    return FamilyResult(tuple(requirements), frozenset(claimed))


def _language_in_command(text: Text) -> str | None:
    """Return the language of a text inside a command line: ``f"bash -c {text}"``."""
    step = text.steps[-1] if text.steps else None
    if step is None or step.name not in ("format", "concat") or not step.arguments:
        return None
    before = step.arguments[0]
    words = before.rstrip(" \"'").split() if isinstance(before, str) else []
    if len(words) < 2 or words[-1] not in _CODE_FLAGS:
        return None
    name = words[0].removesuffix(".exe")
    if name.startswith("{"):
        # ``{shell} -c``: by the name of the variable.
        name = name.strip("{}").rpartition(".")[2].lower()
        return "shell" if name == "shell" else None
    return _INTERPRETERS.get(_command_name(name))


def _syntax(consumer: Consumer, use: Use, language: str, dialect: str) -> ParserSyntax:
    """Return the requirement of one interpreter."""
    text = consumer.text
    # Statements of an unknown database are only known in part.
    partly = language == "sql" and not dialect
    return ParserSyntax(
        language=language,
        dialect=dialect,
        parser=use.operation.name,
        steps=text.steps,
        on_violation=use.on_violation,
        evidence=use.evidence,
        confidence=lowest_confidence("medium", text.confidence) if partly else text.confidence,
        alternative=text.alternative,
        when=use.when or text.when,
    )


def _languages(consumer: Consumer) -> Iterator[tuple[Use, str, str]]:
    """Find the interpreters that a consumer is, or gives the text to, with language and dialect."""
    use = consumer.use
    if use.operation.name == "listed":
        for child in use.uses:
            if child.operation.name in _PROCESS_FUNCTIONS and (
                found := _language_of_flag(use.operation)
            ):
                yield child, found, "sqlite" if _first_item(use.operation) == "sqlite3" else ""
        return
    found = language_of(use.operation)
    if found is not None:
        yield use, *found


def language_of(operation: Operation) -> tuple[str, str] | None:
    """Return language and dialect of what an operation interprets; ``None`` where it does not."""
    name = operation.name
    if name.startswith(".") or operation.position not in _STATEMENT_PARAMETERS:
        return None
    if name in _PROCESS_FUNCTIONS:
        return _process(operation)
    if name in _FUNCTIONS:
        language, dialect = _FUNCTIONS[name]
        if language == "sql" and not dialect:
            dialect = _named_dialect(operation)
        mode = operation.keyword("mode", 1)
        compiles = name.endswith("compile") or name == "ast.parse"
        if compiles and language == "python" and mode in ("eval", "single"):
            dialect = str(mode)
        return language, dialect
    function, cls = function_name(name), class_name(name)
    if cls in _CLASSES and (function in _RUN_METHODS or function == cls):
        language, dialect = _CLASSES[cls]
        if language == "sql":
            dialect = _named_dialect(operation)
        return (language, dialect) if language else None
    return _database(operation)


def _database(operation: Operation) -> tuple[str, str] | None:
    """Return the dialect of the database whose method gets a statement."""
    name = operation.name
    driver = _driver(name) or DIALECTS.get(library(name))
    if driver is None or function_name(name) not in _SQL_METHODS or name.count(".") < 1:
        return None
    if library(name) == "pyspark" and function_name(name) != "sql":
        return None
    return "sql", driver or _named_dialect(operation)


def _named_dialect(operation: Operation) -> str:
    """Return the dialect that a URL or an argument names: ``sqlite:///data.db``,
    ``dialect="duckdb"``."""
    given = [*operation.settings, *operation.keywords]
    for key, value in given:
        if key in ("dialect", "read") and isinstance(value, str):
            return value
        if isinstance(value, str) and "://" in value:
            scheme = value.partition("://")[0].partition("+")[0].lower()
            known = {"postgresql": "postgres", "mariadb": "mysql", "mssql": "tsql"}
            return known.get(scheme, scheme)
    for value in (*operation.arguments, *(value for _, value in operation.keywords)):
        # ``pandas.read_sql_query(text, sqlite3.connect(path))``
        if isinstance(value, Computed) and "(" in value.expression:
            dialect = _driver(value.expression)
            if dialect:
                return dialect
    return ""


def _driver(path: str) -> str:
    """Return the dialect of the library that made a connection."""
    if ".bigquery." in path:
        return "bigquery"
    if path.startswith("pyhive."):
        return path.split(".")[1].removesuffix("()")
    return DIALECTS.get(library(path)) or ""


def _process(operation: Operation) -> tuple[str, str] | None:
    """Return the language of a shell command, or of an interpreter's standard input."""
    if operation.position == "input":
        first = operation.keyword("args", 0)
        command = items_of(first)
        language = _INTERPRETERS.get(_command_name(command[0])) if command else None
        return (language, "") if language else None
    if operation.keyword("shell") is True:
        return "shell", ""
    return None


def _first_item(operation: Operation) -> str:
    """Return the program of a command that is written as a list."""
    items = items_of(operation.arguments[1]) if len(operation.arguments) > 1 else ()
    return _command_name(items[0]) if items else ""


def _language_of_flag(operation: Operation) -> str | None:
    """Return the language of the value in ``["python", "-c", value]``."""
    if len(operation.arguments) < 2:
        return None
    index, items = operation.arguments[0], items_of(operation.arguments[1])
    if not isinstance(index, int) or not 0 < index <= len(items):
        return None
    if items[index - 1] not in _CODE_FLAGS:
        return None
    return _INTERPRETERS.get(_first_item(operation))


def _command_name(value: object) -> str:
    """Return the name of a program without its folder."""
    if isinstance(value, Computed):
        return value.expression
    name = value if isinstance(value, str) else ""
    return name if name in _INTERPRETERS else name.rpartition("/")[2]
