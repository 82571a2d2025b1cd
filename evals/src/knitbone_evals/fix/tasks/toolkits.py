"""The tools of FMB as ``knitbone fix`` is given them: each a name of this module.

They work in the folder that the sandbox calls them in, with the files of one domain for validation.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

from knitbone_evals.agent_tasks.tools.terminal import Terminal

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from langchain_community.agent_toolkits.file_management.toolkit import FileManagementToolkit
    from langchain_community.tools.shell.tool import ShellTool

FILES = ("copy_file", "file_delete", "file_search", "move_file", "read_file", "write_file",
         "list_directory")  # fmt: skip
TARGETS = {name: f"{__name__}:{name}" for name in ("terminal", *FILES)}

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    (copy_file, file_delete, file_search, move_file, read_file, write_file,
     list_directory) = FileManagementToolkit(root_dir=".").get_tools()  # fmt: skip
    # Not confined a second time: the sandbox that calls it is.
    terminal = ShellTool(process=Terminal(Path(), Path(tempfile.gettempdir()), confined=False))
