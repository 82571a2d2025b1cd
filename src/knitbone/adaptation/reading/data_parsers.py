"""Parsers of structured data: which function or class of which library parses which format.

``json.loads`` parses JSON, ``yaml.safe_load`` YAML, LangChain's ``XMLOutputParser`` XML. The
requirements of what is read from the result are those of ``structured.py``.
"""

from __future__ import annotations

from typing import NamedTuple

from knitbone.adaptation.reading.inferred_shapes import declared_shape
from knitbone.adaptation.requirements.operation_names import class_name, function_name
from knitbone.adaptation.requirements.records import Shape, StructuredFormat
from knitbone.adaptation.requirements.uses import Operation

__all__ = ["DataParser", "data_parser", "parser_format", "parses"]

_PARSER_FUNCTIONS: dict[str, StructuredFormat] = {
    "json.loads": "json",
    "json.load": "json",
    "json.JSONDecoder().decode": "json",
    "json.JSONDecoder().raw_decode": "json",
    "orjson.loads": "json",
    "ujson.loads": "json",
    "simplejson.loads": "json",
    "rapidjson.loads": "json",
    "json5.loads": "json",
    "hjson.loads": "json",
    "demjson3.decode": "json",
    "dirtyjson.loads": "json",
    "json_repair.loads": "json",
    "partial_json_parser.loads": "json",
    "pydantic_core.from_json": "json",
    "msgspec.json.decode": "json",
    "pandas.read_json": "json",
    "jiter.from_json": "json",
    "yaml.safe_load": "yaml",
    "yaml.load": "yaml",
    "yaml.full_load": "yaml",
    "yaml.unsafe_load": "yaml",
    "yaml.safe_load_all": "yaml",
    "ruamel.yaml.YAML().load": "yaml",
    "msgspec.yaml.decode": "yaml",
    "tomllib.loads": "toml",
    "tomli.loads": "toml",
    "toml.loads": "toml",
    "tomlkit.parse": "toml",
    "msgspec.toml.decode": "toml",
    "ast.literal_eval": "python-literal",
    "csv.reader": "csv",
    "csv.DictReader": "csv",
    "pandas.read_csv": "csv",
    "xml.etree.ElementTree.fromstring": "xml",
    "xml.etree.ElementTree.XML": "xml",
    "xml.etree.ElementTree.parse": "xml",
    "xml.etree.cElementTree.fromstring": "xml",
    "defusedxml.ElementTree.fromstring": "xml",
    "defusedxml.ElementTree.parse": "xml",
    "xml.dom.minidom.parseString": "xml",
    "lxml.etree.fromstring": "xml",
    "lxml.etree.XML": "xml",
    "lxml.objectify.fromstring": "xml",
    "xmltodict.parse": "xml",
    "langchain_core.utils.json.parse_json_markdown": "json",
    "langchain_core.utils.json.parse_partial_json": "json",
    "langchain.output_parsers.json.parse_json_markdown": "json",
    "langchain_core.utils.json.parse_and_check_json_markdown": "json",
}
"""Functions of Python and of libraries that parse a text, with its format."""
_PARSER_CLASSES: dict[str, StructuredFormat] = {
    "JsonOutputParser": "json",
    "SimpleJsonOutputParser": "json",
    "PydanticOutputParser": "json",
    "StructuredOutputParser": "json",
    "JsonOutputFunctionsParser": "json",
    "JsonKeyOutputFunctionsParser": "json",
    "PydanticOutputFunctionsParser": "json",
    "PydanticAttrOutputFunctionsParser": "json",
    "JsonOutputToolsParser": "json",
    "JsonOutputKeyToolsParser": "json",
    "PydanticToolsParser": "json",
    "GuardrailsOutputParser": "json",
    "LangchainOutputParser": "json",
    "JSONAgentOutputParser": "json",
    "YamlOutputParser": "yaml",
    "XMLOutputParser": "xml",
}
"""Output parsers of LangChain and LlamaIndex, by the name of the class. Most take a fence off
themselves where there is one; none asks for it, so it is no requirement."""
_JSON_METHODS = frozenset({"model_validate_json", "parse_raw", "validate_json", "from_json"})
"""Methods of pydantic and msgspec that parse JSON into a class."""
_YAML_METHODS = frozenset({"parse_raw_yaml", "from_yaml"})
"""Methods of libraries on top of pydantic that parse YAML into a class."""
_PARSE_METHODS = frozenset(
    {"parse", "invoke", "ainvoke", "aparse", "parse_result", "aparse_result", "__call__", "batch"}
    | {"parse_with_prompt", "stream", "transform"}
)
"""Methods by which a parser object gets the text."""


class DataParser(NamedTuple):
    """The format that a parser reads, and the class that it was given."""

    format: StructuredFormat
    declared: Shape | None


def data_parser(operation: Operation) -> DataParser | None:
    """Return the parser that an operation is; ``None`` where it is none."""
    name = operation.name
    declared = declared_shape(operation)
    if name in _PARSER_FUNCTIONS:
        return DataParser(_PARSER_FUNCTIONS[name], declared)
    function = function_name(name)
    if name.startswith("."):
        return None
    cls = class_name(name)
    if cls in _PARSER_CLASSES and (function in _PARSE_METHODS or function == cls):
        return DataParser(_PARSER_CLASSES[cls], declared)
    if function in _JSON_METHODS and (declared is not None or cls):
        return DataParser("json", declared)
    if function in _YAML_METHODS and declared is not None:
        return DataParser("yaml", declared)
    features = (*operation.arguments, *(value for _, value in operation.keywords))
    if cls == "BeautifulSoup" and any(f in ("xml", "lxml-xml") for f in features):
        return DataParser("xml", None)
    return None


def parser_format(operation: Operation) -> StructuredFormat | None:
    """Return the format that an operation parses; ``None`` where it parses none."""
    parser = data_parser(operation)
    return parser.format if parser is not None else None


def parses(function: str) -> bool:
    """Return whether a function of a library turns a text into data."""
    return function in _PARSER_FUNCTIONS
