"""LangChain's GitHub toolkit over the real PyGithub, which asks a server of ours."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from github import Auth, Github
from langchain_community.agent_toolkits.github.toolkit import GitHubToolkit
from langchain_community.utilities.github import GitHubAPIWrapper

from knitbone_evals.agent_tasks.tools.tool import Tool, langchain_tool

__all__ = ["connect", "github_kit"]

_UNUSABLE = {"get_pull_request", "list_pull_request_files"}
"""They count tokens with tiktoken, which fetches its vocabulary from the internet."""


def connect(url: str) -> Github:
    """PyGithub for a server, without the pauses that GitHub's own asks for."""
    token = Auth.Token("token-of-the-local-server")
    return Github(
        base_url=url, auth=token, retry=None, seconds_between_requests=0, seconds_between_writes=0
    )


def github_kit(client: Github, repository: str) -> tuple[Tool, ...]:
    """The toolkit's tools for one repository, as LangChain documents them.

    Their names are the toolkit's own modes (``comment_on_issue``): its titles (``Comment on
    Issue``) are no names that providers accept.
    """
    # The wrapper's own way to a client is a GitHub App at github.com.
    wrapper = GitHubAPIWrapper.model_construct(
        github=client,
        github_repo_instance=client.get_repo(repository),
        github_repository=repository,
        active_branch="main",
        github_base_branch="main",
    )
    tools: list[Any] = [*GitHubToolkit.from_github_api_wrapper(wrapper).get_tools()]
    actions: dict[str, Any] = {tool.mode: tool for tool in tools}
    return tuple(
        langchain_tool(action, mode, _runner(action))
        for mode, action in actions.items()
        if mode not in _UNUSABLE
    )


def _runner(action: Any) -> Callable[..., str]:
    def run(**arguments: Any) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # its way to read its schema
            return str(action.invoke(arguments))

    return run
