"""A GitHub API server in this process, for one repository: what LangChain's GitHub tools ask of it.

It has state: what is written is served from then on. Requests are handled one at a time.
"""

from __future__ import annotations

import base64
import re
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from knitbone_evals.agent_tasks.github.answers import Answers, blob_sha, commit_sha
from knitbone_evals.agent_tasks.github.http import Answer, JsonServer, Paged
from knitbone_evals.agent_tasks.github.repository import Issue, PullRequest, Repository

__all__ = ["GitHubServer"]

AGENT = "release-bot"
"""The user in whose name the tools write."""
_BRANCH_NAME = re.compile(r"(?!.*(?:\.\.|//|@\{))[^\s~^:?*\[\\\x00-\x1f]+(?<![/.])")
"""What git-check-ref-format accepts, near enough."""
Query = Mapping[str, str]
Body = Mapping[str, Any]


class ApiError(Exception):
    """An answer that is an error, as GitHub words it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class GitHubServer:
    """Serves a repository at ``url``, as a context manager.

    Args:
        state: is changed by what the client does.
    """

    def __init__(self, state: Repository) -> None:
        self.state = state
        self._http = JsonServer(self._answer)
        self.url = self._http.url
        self._say = Answers(state, self.url)
        self._lock = threading.Lock()

    def __enter__(self) -> GitHubServer:
        self._http.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.__exit__(kind, error, trace)

    def _answer(self, method: str, target: str, body: Body) -> Answer:
        split = urlsplit(target)
        query = dict(parse_qsl(split.query))
        path = unquote(split.path)
        with self._lock:
            try:
                status, told = self._route(method, path, query, body)
            except ApiError as error:
                return error.status, {"message": error.message}, ""
            except (KeyError, TypeError, ValueError) as error:
                return 422, {"message": f"Validation Failed: {error!r}"}, ""
        if not isinstance(told, Paged):
            return status, told, ""
        here, link = told.page(f"{self.url}{split.path}", query)
        return status, here, link

    def _route(self, method: str, path: str, query: Query, body: Body) -> tuple[int, Any]:
        if path.startswith("/search/"):
            return 200, self._search(path.removeprefix("/search/"), query)
        prefix = f"/repos/{self.state.name}"
        if path != prefix and not path.startswith(f"{prefix}/"):
            raise ApiError(404, "Not Found")
        rest = path.removeprefix(prefix).strip("/")
        for verb, pattern, handler in self._routes():
            if verb == method and (match := re.fullmatch(pattern, rest)):
                return handler(*match.groups(), query, body)
        raise ApiError(404, "Not Found")

    def _routes(self) -> list[tuple[str, str, Callable[..., tuple[int, Any]]]]:
        return [
            ("GET", "", self._itself),
            ("GET", "issues", self._issues),
            ("GET", r"issues/(\d+)", self._issue),
            ("GET", r"issues/(\d+)/comments", self._comments),
            ("POST", r"issues/(\d+)/comments", self._comment),
            ("GET", "pulls", self._pulls),
            ("GET", r"pulls/(\d+)", self._pull),
            ("POST", "pulls", self._open_pull),
            ("POST", r"pulls/(\d+)/requested_reviewers", self._request_review),
            ("GET", "branches", self._branches),
            ("GET", "branches/(.+)", self._branch),
            ("POST", "git/refs", self._new_branch),
            ("GET", "contents/?(.*)", self._contents),
            ("PUT", "contents/(.+)", self._put),
            ("DELETE", "contents/(.+)", self._remove),
        ]

    def _itself(self, _q: Query, _b: Body) -> tuple[int, Any]:
        return 200, self._say.repository()

    def _issues(self, query: Query, _: Body) -> tuple[int, Any]:
        state = query.get("state", "open")
        found = [
            self._say.issue(number, issue)
            for number, issue in sorted(self.state.issues.items(), reverse=True)
            if state in {"all", issue.state}
        ]
        return 200, Paged(found)

    def _issue(self, number: str, _q: Query, _b: Body) -> tuple[int, Any]:
        return 200, self._say.issue(int(number), self._known_issue(number))

    def _comments(self, number: str, _q: Query, _b: Body) -> tuple[int, Any]:
        count = len(self._known_issue(number).comments)
        return 200, Paged([self._say.comment(int(number), i) for i in range(count)])

    def _comment(self, number: str, _: Query, body: Body) -> tuple[int, Any]:
        issue = self._known_issue(number)
        if not str(body["body"]).strip():
            raise ApiError(422, "Validation Failed: body can't be blank")
        issue.comments.append((AGENT, str(body["body"])))
        return 201, self._say.comment(int(number), len(issue.comments) - 1)

    def _pulls(self, _q: Query, _b: Body) -> tuple[int, Any]:
        found = [self._say.pull(n, one) for n, one in sorted(self.state.pulls.items())]
        return 200, Paged(found[::-1])

    def _pull(self, number: str, _q: Query, _b: Body) -> tuple[int, Any]:
        return 200, self._say.pull(int(number), self._known_pull(number))

    def _open_pull(self, _: Query, body: Body) -> tuple[int, Any]:
        head, base = str(body["head"]), str(body["base"])
        branches, title = self.state.branches, str(body["title"])
        if head not in branches or base not in branches or not title.strip():
            raise ApiError(422, "Validation Failed")
        if commit_sha(branches[head]) == commit_sha(branches[base]):
            raise ApiError(422, f"Validation Failed: No commits between {base} and {head}")
        if any(one.head == head and one.base == base for one in self.state.pulls.values()):
            raise ApiError(422, f"Validation Failed: A pull request already exists for {head}.")
        number = self.state.next_number()
        pull = PullRequest(title, str(body.get("body") or ""), head, base, AGENT)
        self.state.pulls[number] = pull
        return 201, self._say.pull(number, pull)

    def _request_review(self, number: str, _: Query, body: Body) -> tuple[int, Any]:
        pull = self._known_pull(number)
        pull.reviewers += [str(login) for login in body["reviewers"]]
        return 201, self._say.pull(int(number), pull)

    def _branches(self, _q: Query, _b: Body) -> tuple[int, Any]:
        return 200, Paged([self._say.branch(name) for name in sorted(self.state.branches)])

    def _branch(self, name: str, _q: Query, _b: Body) -> tuple[int, Any]:
        if name not in self.state.branches:
            raise ApiError(404, "Branch not found")
        return 200, self._say.branch(name)

    def _new_branch(self, _: Query, body: Body) -> tuple[int, Any]:
        name = str(body["ref"]).removeprefix("refs/heads/")
        if name in self.state.branches:
            raise ApiError(422, "Reference already exists")
        if name == body["ref"] or not _BRANCH_NAME.fullmatch(name):
            raise ApiError(422, f"{body['ref']} is not a valid ref name.")
        for files in self.state.branches.values():
            if commit_sha(files) == body["sha"]:
                self.state.branches[name] = dict(files)
                return 201, self._say.reference(name)
        raise ApiError(422, "Object does not exist")

    def _contents(self, path: str, query: Query, _: Body) -> tuple[int, Any]:
        files = self._files(query.get("ref", "main"))
        path = path.strip("/")
        if path in files:
            return 200, self._say.file(path, files[path])
        inside = self._say.folder(path, files)
        if path and not inside:
            raise ApiError(404, "Not Found")
        return 200, inside

    def _put(self, path: str, _: Query, body: Body) -> tuple[int, Any]:
        branch = str(body.get("branch", "main"))
        files = self._files(branch)
        _check_path(path)
        if path in files and body.get("sha") != blob_sha(files[path]):
            raise ApiError(409, f"{path} does not match {body.get('sha')}")
        status = 200 if path in files else 201
        files[path] = base64.b64decode(body["content"]).decode()
        commit = self._say.commit(branch, str(body["message"]))
        return status, {"content": self._say.file(path, files[path]), "commit": commit}

    def _remove(self, path: str, query: Query, body: Body) -> tuple[int, Any]:
        said = {**query, **body}
        branch = str(said.get("branch", "main"))
        files = self._files(branch)
        if path not in files:
            raise ApiError(404, "Not Found")
        if said.get("sha") != blob_sha(files[path]):
            raise ApiError(409, f"{path} does not match {said.get('sha')}")
        del files[path]
        return 200, {"content": None, "commit": self._say.commit(branch, str(said["message"]))}

    def _search(self, kind: str, query: Query) -> Any:
        words = [w for w in query.get("q", "").lower().split() if not w.startswith("repo:")]
        if kind == "issues":
            found = [
                self._say.issue(number, issue)
                for number, issue in sorted(self.state.issues.items(), reverse=True)
                if all(word in f"{issue.title} {issue.body}".lower() for word in words)
            ]
        else:
            found = [
                self._say.file(path, text, whole=False)
                for path, text in sorted(self.state.branches["main"].items())
                if all(word in f"{path} {text}".lower() for word in words)
            ]
        return {"total_count": len(found), "items": Paged(found).page("", query)[0]}

    def _known_issue(self, number: str) -> Issue:
        if int(number) not in self.state.issues:
            raise ApiError(404, "Not Found")
        return self.state.issues[int(number)]

    def _known_pull(self, number: str) -> PullRequest:
        if int(number) not in self.state.pulls:
            raise ApiError(404, "Not Found")
        return self.state.pulls[int(number)]

    def _files(self, branch: str) -> dict[str, str]:
        if branch not in self.state.branches:
            raise ApiError(404, f"No commit found for the ref {branch}")
        return self.state.branches[branch]


def _check_path(path: str) -> None:
    if path.startswith("/") or any(part in {"", ".", "..", ".git"} for part in path.split("/")):
        raise ApiError(422, "path contains a malformed path component")
