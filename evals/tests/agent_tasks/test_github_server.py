"""The local GitHub server answers PyGithub as GitHub does, where LangChain's tools ask."""

from __future__ import annotations

import pytest

from knitbone_evals.agent_tasks.github.repository import Issue, Repository
from knitbone_evals.agent_tasks.github.server import GitHubServer

github = pytest.importorskip("github", reason="PyGithub is not installed")


@pytest.fixture
def state():
    files = {"README.md": "# kit\n", "src/a b.py": "x = 1\n"}
    issues = {number: Issue(f"Issue {number}", "", "mira") for number in range(1, 75)}
    return Repository("acme/kit", {"main": files, "dev": {**files, "new": "1"}}, issues)


@pytest.fixture
def repository(state):
    with GitHubServer(state) as server:
        client = github.Github(
            base_url=server.url,
            auth=github.Auth.Token("t"),
            retry=None,
            seconds_between_requests=0,
            seconds_between_writes=0,
        )
        yield client.get_repo("acme/kit")
        client.close()


def test_pages_are_followed(repository):
    found = repository.get_issues(state="open")
    assert found.totalCount == 74
    assert [issue.number for issue in found] == list(range(74, 0, -1))


def test_what_is_written_is_served_from_then_on(repository, state):
    repository.get_issue(3).create_comment("First.")
    assert [one.body for one in repository.get_issue(3).get_comments()] == ["First."]
    main = repository.get_branch("main")
    repository.create_git_ref("refs/heads/fix/one", main.commit.sha)
    repository.create_file("docs/é.md", "m", "text", branch="fix/one")
    file = repository.get_contents("docs/é.md", ref="fix/one")
    assert file.decoded_content == b"text"
    repository.update_file(file.path, "m", "more", file.sha, branch="fix/one")
    assert state.branches["fix/one"]["docs/é.md"] == "more"
    pull = repository.create_pull(title="T", body="B", head="fix/one", base="main")
    assert pull.number == 75
    assert [one.head.ref for one in repository.get_pulls()] == ["fix/one"]
    assert sorted(one.name for one in repository.get_branches()) == ["dev", "fix/one", "main"]
    assert "docs/é.md" not in state.branches["main"]


def test_folders_and_paths_with_spaces_are_read_and_deleted(repository, state):
    assert [(one.type, one.path) for one in repository.get_contents("")] == [
        ("file", "README.md"),
        ("dir", "src"),
    ]
    (file,) = repository.get_contents("src", ref="dev")
    repository.delete_file(file.path, "m", file.sha, branch="dev")
    assert "src/a b.py" not in state.branches["dev"]
    assert "src/a b.py" in state.branches["main"]


@pytest.mark.parametrize(
    ("ask", "status"),
    [
        (lambda r: r.get_issue(99), 404),
        (lambda r: r.get_branch("none"), 404),
        (lambda r: r.get_contents("none"), 404),
        (lambda r: r.create_git_ref("refs/heads/dev", r.get_branch("main").commit.sha), 422),
        (lambda r: r.create_git_ref("refs/heads/a b", r.get_branch("main").commit.sha), 422),
        (lambda r: r.create_git_ref("refs/heads/x", "0" * 40), 422),
        (lambda r: r.create_file(".git/x", "m", "t", branch="dev"), 422),
        (lambda r: r.update_file("new", "m", "t", "0" * 40, branch="dev"), 409),
        (lambda r: r.delete_file("new", "m", "0" * 40, branch="dev"), 409),
        (lambda r: r.get_issue(1).create_comment(" "), 422),
        (lambda r: r.create_pull(title="T", body="", head="main", base="main"), 422),
    ],
)
def test_what_github_refuses_is_refused(repository, state, ask, status):
    before = state.copy()
    with pytest.raises(github.GithubException) as error:
        ask(repository)
    assert error.value.status == status
    assert state == before
