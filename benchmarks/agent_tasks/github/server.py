"""A GitHub API server in this process, for one repository: what LangChain's GitHub tools ask of it.

It has state: what is written is served from then on. Requests are handled one at a time.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from benchmarks.agent_tasks.github.answers import Answers, blob_sha, commit_sha
from benchmarks.agent_tasks.github.repository import PullRequest, Repository

__all__ = ["GitHubServer"]

AGENT = "release-bot"
"""The user in whose name the tools write."""
_A_PAGE = 30
"""GitHub's own number of entries a page."""
_BRANCH_NAME = re.compile(r"(?!.*(?:\.\.|//|@\{))[^\s~^:?*\[\\\x00-\x1f]+(?<![/.])")
"""What git-check-ref-format accepts, near enough."""
Query = Mapping[str, str]
Body = Mapping[str, Any]
_Answer = tuple[int, Any, str]
"""Status, body, and where the next pages are."""


class ApiError(Exception):
    """An answer that is an error, as GitHub words it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class GitHubServer:
    """Serves a repository on a free port of the loopback interface, as a context manager.

    Args:
        state: is changed by what the client does.
    """

    def __init__(self, state: Repository) -> None:
        self.state = state
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self._answer))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._say = Answers(state, self.url)
        self._lock = threading.Lock()
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    def __enter__(self) -> GitHubServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, method: str, target: str, body: Body) -> _Answer:
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
        if not isinstance(told, _Paged):
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
            ("GET", "", lambda _q, _b: (200, self._say.repository())),
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

    def _issues(self, query: Query, _: Body) -> tuple[int, Any]:
        state = query.get("state", "open")
        found = [
            self._say.issue(number, issue)
            for number, issue in sorted(self.state.issues.items(), reverse=True)
            if state in {"all", issue.state}
        ]
        return 200, _Paged(found)

    def _issue(self, number: str, _q: Query, _b: Body) -> tuple[int, Any]:
        return 200, self._say.issue(int(number), self._known_issue(number))

    def _comments(self, number: str, _q: Query, _b: Body) -> tuple[int, Any]:
        count = len(self._known_issue(number).comments)
        return 200, _Paged([self._say.comment(int(number), i) for i in range(count)])

    def _comment(self, number: str, _: Query, body: Body) -> tuple[int, Any]:
        issue = self._known_issue(number)
        if not str(body["body"]).strip():
            raise ApiError(422, "Validation Failed: body can't be blank")
        issue.comments.append((AGENT, str(body["body"])))
        return 201, self._say.comment(int(number), len(issue.comments) - 1)

    def _pulls(self, _q: Query, _b: Body) -> tuple[int, Any]:
        found = [self._say.pull(n, one) for n, one in sorted(self.state.pulls.items())]
        return 200, _Paged(found[::-1])

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
        return 200, _Paged([self._say.branch(name) for name in sorted(self.state.branches)])

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
        return {"total_count": len(found), "items": _Paged(found).page("", query)[0]}

    def _known_issue(self, number: str) -> Any:
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


class _Paged(list[Any]):
    """Entries that are served by the page."""

    def page(self, url: str, query: Query) -> tuple[list[Any], str]:
        """One page, and the header that tells of the next and the last."""
        size = max(int(query.get("per_page", _A_PAGE)), 1)
        number = max(int(query.get("page", 1)), 1)
        last = max(-(-len(self) // size), 1)
        rest = "".join(f"&{k}={v}" for k, v in query.items() if k != "page")
        links = {"next": number + 1, "last": last} if number < last else {}
        link = ", ".join(f'<{url}?page={n}{rest}>; rel="{name}"' for name, n in links.items())
        return list(self[(number - 1) * size : number * size]), link


def _handler(answer: Callable[[str, str, Body], _Answer]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body are two small packets: the second is not to wait for the first's receipt.
        disable_nagle_algorithm = True

        def _do(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            said = json.loads(body) if body else {}
            status, told, link = answer(self.command, self.path, said)
            text = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            if link:
                self.send_header("Link", link)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _do  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nothing is printed."""

    return Handler
