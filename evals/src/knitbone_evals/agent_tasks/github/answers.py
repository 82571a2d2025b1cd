"""GitHub's REST answers about a repository's state (docs.github.com/rest, version 2022-11-28), as
far as PyGithub reads them for LangChain's GitHub tools."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from knitbone_evals.agent_tasks.github.repository import Issue, PullRequest, Repository

__all__ = ["Answers", "blob_sha", "commit_sha"]

Json = dict[str, Any]


def blob_sha(text: str) -> str:
    """The name that git gives to a file's contents."""
    body = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()


def commit_sha(files: dict[str, str]) -> str:
    """A name for a branch's newest commit, by what it holds: two branches that hold the same have
    the same newest commit."""
    return hashlib.sha1(repr(sorted(files.items())).encode()).hexdigest()


class Answers:
    """What the server says of one state.

    Args:
        url: address of the server, without a slash at its end.
    """

    def __init__(self, state: Repository, url: str) -> None:
        self._state = state
        self._url = f"{url}/repos/{state.name}"
        self._root = url

    def repository(self) -> Json:
        owner, _, name = self._state.name.partition("/")
        return {
            "id": 1,
            "name": name,
            "full_name": self._state.name,
            "owner": self.user(owner),
            "default_branch": "main",
            "private": False,
            "url": self._url,
            "html_url": self._url,
        }

    def user(self, login: str) -> Json:
        return {"login": login, "id": 1, "type": "User", "url": f"{self._root}/users/{login}"}

    def issue(self, number: int, issue: Issue) -> Json:
        url = f"{self._url}/issues/{number}"
        return {
            "id": number,
            "number": number,
            "title": issue.title,
            "body": issue.body,
            "state": issue.state,
            "user": self.user(issue.user),
            "comments": len(issue.comments),
            "comments_url": f"{url}/comments",
            "url": url,
            "html_url": url,
            "labels": [],
            "repository_url": self._url,
        }

    def comment(self, number: int, index: int) -> Json:
        user, text = self._state.issues[number].comments[index]
        url = f"{self._url}/issues/comments/{number}{index:03}"
        return {
            "id": number * 1000 + index,
            "body": text,
            "user": self.user(user),
            "url": url,
            "html_url": url,
        }

    def pull(self, number: int, pull: PullRequest) -> Json:
        url = f"{self._url}/pulls/{number}"
        return {
            "id": number,
            "number": number,
            "title": pull.title,
            "body": pull.body,
            "state": "open",
            "user": self.user(pull.user),
            "head": {"ref": pull.head, "sha": commit_sha(self._state.branches[pull.head])},
            "base": {"ref": pull.base, "sha": commit_sha(self._state.branches[pull.base])},
            "commits": 1,
            "comments": 0,
            "url": url,
            "html_url": url,
            "requested_reviewers": [self.user(login) for login in pull.reviewers],
        }

    def branch(self, name: str) -> Json:
        sha = commit_sha(self._state.branches[name])
        url = f"{self._url}/commits/{sha}"
        return {"name": name, "commit": {"sha": sha, "url": url}, "protected": False}

    def reference(self, name: str) -> Json:
        sha = commit_sha(self._state.branches[name])
        return {
            "ref": f"refs/heads/{name}",
            "url": f"{self._url}/git/refs/heads/{name}",
            "object": {"type": "commit", "sha": sha, "url": f"{self._url}/git/commits/{sha}"},
        }

    def commit(self, branch: str, message: str) -> Json:
        sha = commit_sha(self._state.branches[branch])
        return {"sha": sha, "message": message, "url": f"{self._url}/git/commits/{sha}"}

    def file(self, path: str, text: str, *, whole: bool = True) -> Json:
        url = f"{self._url}/contents/{path}"
        said = {
            "type": "file",
            "name": path.rpartition("/")[2],
            "path": path,
            "sha": blob_sha(text),
            "size": len(text.encode()),
            "url": url,
            "html_url": url,
        }
        if whole:
            content = base64.encodebytes(text.encode()).decode()
            said |= {"encoding": "base64", "content": content}
        return said

    def folder(self, path: str, files: dict[str, str]) -> list[Json]:
        """What stands in a folder; nothing where there is none."""
        prefix = f"{path}/" if path else ""
        inside = sorted(name for name in files if name.startswith(prefix))
        entries: dict[str, Json] = {}
        for name in inside:
            head, slash, _ = name.removeprefix(prefix).partition("/")
            where = prefix + head
            if not slash:
                entries[where] = self.file(where, files[name], whole=False)
            elif where not in entries:
                url = f"{self._url}/contents/{where}"
                sha = blob_sha(where)
                entries[where] = {"type": "dir", "name": head, "path": where, "sha": sha,
                                  "size": 0, "url": url}  # fmt: skip
        return list(entries.values())
