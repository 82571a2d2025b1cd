"""``knitbone run``: programs as users start them, against the same programs started plainly."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hangs import no_hang
from test_adapt_decorator import HEADER, KINDS

DRIFTED_TASKS = ["a", "b", "c"]
PLAIN = HEADER.replace('ANSWER = "1) a\\n2: b\\n3 - c"', 'ANSWER = "1. a\\n2. b"')
CALLS = {
    "coroutine": "asyncio.run(plan('x'))",
    "generator": "list(plan('x'))",
    "async generator": "asyncio.run(collect(plan('x')))",
    "method with super()": "Agent().plan('x')",
    "class method": "Agent.plan('x')",
    "static method, decorated outside": "Agent.plan('x')",
    "property": "Agent().tasks",
    "property, decorated outside": "Agent().tasks",
    "class": "Agent().plan('x')",
}
COLLECT = "async def collect(items):\n    return [item async for item in items]\n"


@pytest.fixture
def environment(tmp_path):
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("KNITBONE", "PYTHONPATH"))}
    return {**keep, "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": ""}


def write(folder, **files):
    for name, text in files.items():
        path = folder / f"{name.replace('_in_', '/').replace('INIT', '__init__')}.py"
        path = path.with_name(path.name.replace("MAIN", "__main__"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")


def plainly(folder, environment, *command, **more):
    return subprocess.run(
        command,
        check=False,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        **more,
    )


def launched(folder, environment, *command, options=(), **more):
    knitbone = (sys.executable, "-c", "from knitbone.cli import main; main()", "run")
    report = folder / "report.json"
    done = plainly(
        folder, environment, *knitbone, *options, "--report", str(report), "--", *command, **more
    )
    body = json.loads(report.read_text()) if report.exists() else {}
    return done, body


def app_of(kind, header=HEADER):
    source = KINDS[kind][0].replace("    @knitbone.adapt\n", "").replace("@knitbone.adapt\n", "")
    call = CALLS.get(kind, "plan('x')")
    return f"{header}{COLLECT}{source}def main():\n    return list({call})\n"


@pytest.fixture(scope="module")
def all_kinds(tmp_path_factory):
    """One program with a module for every kind of function, launched once for each answer."""
    outcomes = {}
    for answers, header in (("drifted", HEADER), ("conforming", PLAIN)):
        folder = tmp_path_factory.mktemp(answers)
        keep = {k: v for k, v in os.environ.items() if not k.startswith("KNITBONE")}
        environment = {**keep, "XDG_CACHE_HOME": str(folder / "cache")}
        for number, kind in enumerate(KINDS):
            write(folder, **{f"kind{number}": app_of(kind, header)})
        driver = "import importlib, json\n"
        driver += f"names = [f'kind{{n}}' for n in range({len(KINDS)})]\n"
        driver += "modules = list(map(importlib.import_module, names))\n"
        driver += "said = [m.main() for m in modules]\n"
        driver += "same = [all(seen is m.ANSWER for seen in m.SEEN) for m in modules]\n"
        driver += "print(json.dumps([said, same]))\n"
        write(folder, app=driver)
        plain = json.loads(plainly(folder, environment, sys.executable, "app.py").stdout)
        done, report = launched(folder, environment, sys.executable, "app.py")
        outcomes[answers] = (plain, json.loads(done.stdout), report)
    return outcomes


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_function_is_adapted_without_a_decorator(all_kinds, kind):
    number = list(KINDS).index(kind)
    plain, adapted, report = all_kinds["drifted"]
    assert plain[0][number] == []
    assert adapted[0][number] == DRIFTED_TASKS
    assert any(f"kind{number}.py" in site for site in report["executed"])
    assert report["untouched"] == {}


@pytest.mark.parametrize("kind", KINDS)
def test_conforming_answers_give_identical_results(all_kinds, kind):
    number = list(KINDS).index(kind)
    plain, adapted, report = all_kinds["conforming"]
    assert plain[0][number] == adapted[0][number] == ["a", "b"]
    assert adapted[1][number] is True
    assert sum(site["repaired"] for site in report["sites"]) == 0


WORLD = """
    import sys, os, threading, __main__
    import knitbone
    {header}
    names = sorted(k for k in vars(__main__) if k != "__knitbone_deliver__")
    seen = [__name__, __file__, getattr(__spec__, 'name', None), __package__, __doc__, names]
    seen += [sys.argv]
    seen += [sys.path, sys.flags, threading.current_thread().name, sys.stdin.read(), os.getcwd()]
    seen += [sys.orig_argv, sys.excepthook.__name__ != '']
    parse(ask("x"))
    print(seen)
    if __name__ == "__main__" and "fail" in sys.argv:
        def inner():
            raise ValueError("no")
        inner()
    sys.exit(len(sys.argv))
"""
COMMANDS = {
    "script": ["app.py", "--option", "a b"],
    "script in a folder": ["sub/app.py"],
    "script with options of Python": ["-W", "ignore", "-Xdev", "-u", "app.py", "x"],
    "module": ["-m", "app", "x"],
    "package": ["-m", "pkg", "x"],
    "code": ["-c", "import app", "x"],
    "error": ["app.py", "fail"],
    "error in a module": ["-m", "app", "fail"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_program_sees_the_world_as_it_is_without_us(tmp_path, environment, command):
    source = '"""Doc."""\n' + textwrap.dedent(WORLD).replace("{header}", HEADER)
    write(tmp_path, app=source, sub_in_app=source, pkg_in_INIT="", pkg_in_MAIN=source)
    arguments = [sys.executable, *COMMANDS[command]]
    plain = plainly(tmp_path, environment, *arguments, input="typed")
    done, report = launched(tmp_path, environment, *arguments, input="typed")
    assert done.stdout == plain.stdout
    assert done.returncode == plain.returncode
    assert done.stderr.startswith(plain.stderr)
    assert report["exit_code"] == plain.returncode
    assert report["executed"], done.stderr


def test_no_bytecode_of_ours_is_left_behind(tmp_path, environment):
    write(tmp_path, app="import helper\nprint(helper.work())\n")
    write(tmp_path, helper=HEADER + "def work():\n    return parse(ask('x'))\n")
    done, _ = launched(tmp_path, environment, sys.executable, "app.py")
    assert done.stdout == f"{DRIFTED_TASKS}\n"
    assert list(tmp_path.rglob("*helper*.pyc")) == []
    assert plainly(tmp_path, environment, sys.executable, "app.py").stdout == "[]\n"
    (cached,) = tmp_path.rglob("*helper*.pyc")
    before = cached.read_bytes()
    done, _ = launched(tmp_path, environment, sys.executable, "app.py")
    assert done.stdout == f"{DRIFTED_TASKS}\n"
    assert cached.read_bytes() == before


CHILDREN = {
    "fork": "c = multiprocessing.get_context('fork').Process(target=work); c.start(); c.join()",
    "spawn": "c = multiprocessing.get_context('spawn').Process(target=work); c.start(); c.join()",
    "pool": "p = multiprocessing.get_context('spawn').Pool(1)\n"
    "    print(*p.map(show, ['x'])); p.close(); p.join()",
    "subprocess": "subprocess.run([sys.executable, 'worker.py'], check=True)",
    "subprocess -c": "subprocess.run([sys.executable, '-c', 'import worker'], check=True)",
    "os.fork": "pid = os.fork(); (work(), sys.exit()) if not pid else os.waitpid(pid, 0)",
}


@pytest.mark.parametrize("way", CHILDREN)
def test_child_processes_are_adapted_and_counted(tmp_path, environment, way):
    source = HEADER + (
        "import multiprocessing, os, subprocess, sys\n"
        "def show(goal):\n    return parse(ask(goal))\n"
        "def work():\n    print(show('x'), flush=True)\n"
    )
    write(tmp_path, worker=source + "work()\n")
    start = f"if __name__ == '__main__':\n    work()\n    {CHILDREN[way]}\n"
    write(tmp_path, app=source + start)
    done, report = launched(tmp_path, environment, sys.executable, "app.py")
    assert done.stdout == f"{DRIFTED_TASKS}\n" * 2, done.stderr
    assert sum(site["repaired"] for site in report["sites"]) == 2, report
    assert report["processes"] == 2


def test_pytest_with_workers_runs_the_packages_of_the_folder(tmp_path, environment):
    write(tmp_path, pkg_in_INIT="", pkg_in_core=HEADER + "def work(g):\n    return parse(ask(g))\n")
    write(
        tmp_path,
        tests_in_test_core="""
        import pytest
        from pkg.core import work
        @pytest.mark.parametrize("n", range(4))
        def test_it(n):
            assert work("x") == ["a", "b", "c"]
        """,
    )
    for arguments in (["-q"], ["-q", "-n", "2"]):
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
        done, report = launched(tmp_path, environment, *command)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "4 passed" in done.stdout
        assert sum(site["repaired"] for site in report["sites"]) == 4


def test_another_sitecustomize_still_runs(tmp_path, environment):
    write(tmp_path / "site", sitecustomize="import builtins\nbuiltins.CUSTOM = __file__\n")
    write(tmp_path, app=HEADER + "import sitecustomize\nparse(ask('x'))\nprint(CUSTOM)\n")
    environment["PYTHONPATH"] = str(tmp_path / "site")
    done, report = launched(tmp_path, environment, sys.executable, "app.py")
    assert done.stdout == f"{tmp_path / 'site' / 'sitecustomize.py'}\n"
    assert report["executed"]


def test_observe_changes_nothing_and_strict_raises(tmp_path, environment):
    write(tmp_path, app=app_of("function") + "print(main())\n")
    done, report = launched(
        tmp_path, environment, sys.executable, "app.py", options=["--mode", "observe"]
    )
    assert done.stdout == "[]\n"
    assert report["sites"][0]["observed"] == 1
    done, _ = launched(
        tmp_path, environment, sys.executable, "app.py", options=["--mode", "strict"]
    )
    assert done.returncode == 1
    assert "RequirementViolation" in done.stderr


def test_an_installed_package_is_adapted_when_it_is_named(tmp_path, environment):
    installed = tmp_path / "site-packages"
    write(installed, agentlib_in_INIT=HEADER + "def work():\n    return parse(ask('x'))\n")
    write(tmp_path / "here", app="import agentlib\nprint(agentlib.work())\n")
    environment["PYTHONPATH"] = str(installed)
    here = tmp_path / "here"
    assert launched(here, environment, sys.executable, "app.py")[0].stdout == "[]\n"
    options = ["--package", "agentlib"]
    done, _ = launched(here, environment, sys.executable, "app.py", options=options)
    assert done.stdout == f"{DRIFTED_TASKS}\n"


def test_decorated_functions_run_under_the_launcher_with_their_own_settings(tmp_path, environment):
    source = HEADER + (
        "@knitbone.adapt(mode='observe')\ndef plan(goal):\n    return parse(ask(goal))\n"
        "def other(goal):\n    return parse(ask(goal))\n"
        "print(plan('x'), other('x'))\n"
    )
    write(tmp_path, app=source)
    done, report = launched(tmp_path, environment, sys.executable, "app.py")
    assert done.stdout == f"[] {DRIFTED_TASKS}\n", done.stderr
    assert report["untouched"] == {}


def test_a_module_with_a_syntax_error_fails_as_it_does_without_us(tmp_path, environment):
    write(tmp_path, app=HEADER + "parse(ask('x'))\nimport broken\n", broken="def f(:\n")
    plain = plainly(tmp_path, environment, sys.executable, "app.py")
    done, _ = launched(tmp_path, environment, sys.executable, "app.py")
    assert done.returncode == plain.returncode == 1
    assert done.stderr.startswith(plain.stderr)


def test_disabled_starts_the_program_as_it_is(tmp_path, environment):
    write(
        tmp_path,
        app=app_of("function") + "import os\nprint(main())\nprint(os.environ.get('PYTHONPATH'))\n",
    )
    environment["KNITBONE_DISABLED"] = "1"
    done, report = launched(tmp_path, environment, sys.executable, "app.py")
    assert (done.stdout, report) == ("[]\nNone\n", {})


def test_the_analysis_is_made_once_and_again_after_a_change(tmp_path, environment):
    write(tmp_path, app="import helper\nprint(helper.work())\n")
    write(tmp_path, helper=HEADER + "def work():\n    return parse(ask('x'))\n")
    origins = []
    for _ in range(2):
        _, report = launched(tmp_path, environment, sys.executable, "app.py")
        origins.append([unit["origin"] for unit in report["analysed"]])
    write(tmp_path, helper="\n\n" + HEADER + "def work():\n    return parse(ask('x'))\n")
    done, report = launched(tmp_path, environment, sys.executable, "app.py")
    origins.append([unit["origin"] for unit in report["analysed"]])
    assert origins == [["analysis"], ["cache"], ["analysis"]]
    assert done.stdout == f"{DRIFTED_TASKS}\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_signals_reach_the_program_and_its_end_is_ours(tmp_path, environment, number):
    write(
        tmp_path,
        app=HEADER
        + "import os, signal, sys, time\n"
        # The signal may come while "ready" is still being printed.
        + "def handle(n, f):\n    os.write(1, b'got %d\\n' % n)\n    sys.exit(7)\n"
        + "parse(ask('x'))\n"
        + f"signal.signal({int(number)}, handle)\nprint('ready', flush=True)\ntime.sleep(60)\n",
    )
    code = "from knitbone.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "run", "--", sys.executable, "app.py"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (out, process.returncode) == (f"got {int(number)}\n", 7)
    assert "1 repaired" in err


def test_a_program_that_a_signal_ends_ends_us_by_the_same(tmp_path, environment):
    kill = "import os, signal\nparse(ask('x'))\nos.kill(os.getpid(), signal.SIGKILL)\n"
    write(tmp_path, app=HEADER + kill)
    done, report = launched(tmp_path, environment, sys.executable, "app.py")
    assert sum(site["repaired"] for site in report["sites"]) == 1
    assert (done.returncode, report["exit_code"]) == (-signal.SIGKILL, -signal.SIGKILL)


AMONG_THREADS = """
import os, signal, sys, threading, time
from knitbone.adaptation.runtime.instrument.child_process import run_child
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # as a parent may have left it
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
program = [sys.executable, "-I", "-S", "-c", "raise SystemExit(3)"]
assert [run_child(program, os.environ) for _ in range(5)] == [3] * 5
assert signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
"""


def test_the_end_of_the_program_is_seen_whoever_else_takes_signals():
    subprocess.run([sys.executable, "-c", AMONG_THREADS], check=True, timeout=60)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["no-such-program"], "There is no program 'no-such-program'"),
        ([sys.executable, "-I", "app.py"], "python -I does not load"),
    ],
)
def test_what_cannot_be_launched_is_said(tmp_path, environment, command, words):
    done, _ = launched(tmp_path, environment, *command)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_script_in_place_of_a_program_is_told_how_to_run_it(tmp_path, environment):
    write(tmp_path, app=HEADER)
    done, _ = launched(tmp_path, environment, "app.py")
    assert done.returncode == 2
    assert "There is no program 'app.py': it is a script." in done.stderr
    assert f"knitbone run -- {sys.executable} app.py" in done.stderr


def test_an_interpreter_without_knitbone_is_said(tmp_path, environment):
    (tmp_path / "python").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "python").chmod(0o755)
    done, _ = launched(tmp_path, environment, str(tmp_path / "python"), "app.py")
    assert done.returncode == 2
    assert "does not have knitbone" in done.stderr


def test_an_interpreter_may_be_named_by_a_relative_path(tmp_path, environment):
    (tmp_path / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tmp_path / "python").chmod(0o755)
    write(tmp_path, app=HEADER + "print(parse(ask('x')))\n")
    done, _ = launched(tmp_path, environment, "./python", "app.py")
    assert done.stdout == f"{DRIFTED_TASKS}\n", done.stderr


def test_a_package_that_is_imported_through_a_link_is_adapted(tmp_path, environment):
    write(tmp_path / "real", pkg_in_INIT=HEADER + "def work():\n    return parse(ask('x'))\n")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    environment["PYTHONPATH"] = str(tmp_path / "link")
    command = [
        sys.executable,
        "-c",
        "import sys; del sys.path[0]; import pkg; print(pkg.work(), pkg.__file__)",
    ]
    done, _ = launched(tmp_path / "real", environment, *command)
    assert done.stdout == f"{DRIFTED_TASKS} {tmp_path}/link/pkg/__init__.py\n", done.stderr


def test_an_import_inside_an_event_loop_touches_no_file_of_others(tmp_path, environment):
    write(
        tmp_path,
        app=HEADER
        + """
def guard(*_, **__):
    raise OSError("blocking call")

async def main():
    os.path.realpath = os.path.abspath = os.stat = os.lstat = guard
    import wave

async def main_of_own():
    forbid = os.lstat
    def guard(*a, **k):
        if asyncio._get_running_loop() is not None:
            raise OSError("blocking call")
        return forbid(*a, **k)
    os.lstat = guard
    import own
    print(own.work())
    os.lstat = forbid

import os
asyncio.run(main_of_own())
asyncio.run(main())
print(parse(ask("x")))
""",
    )
    write(tmp_path, own=HEADER + "def work():\n    return parse(ask('x'))\n")
    done, report = launched(tmp_path, environment, sys.executable, "app.py")
    assert done.stdout == f"{DRIFTED_TASKS}\n" * 2, done.stderr
    assert report["untouched"] == {}


def test_the_reviewed_requirements_file_wins(tmp_path, environment):
    write(tmp_path, app=HEADER + "def work():\n    return parse(ask('x'))\nprint(work())\n")
    check = (sys.executable, "-c", "from knitbone.cli import main; main()", "check", ".")
    plainly(tmp_path, environment, *check, "--write")
    path = tmp_path / "knitbone.requirements.toml"
    text = path.read_text()
    assert launched(tmp_path, environment, sys.executable, "app.py")[0].stdout == (
        f"{DRIFTED_TASKS}\n"
    )
    path.write_text(text.replace("[[site]]", "[[site]]\nignore = true"))
    done, report = launched(tmp_path, environment, sys.executable, "app.py")
    assert (done.stdout, report["executed"]) == ("[]\n", {}), text
    path.write_text("broken")
    done, _ = launched(tmp_path, environment, sys.executable, "app.py")
    assert done.returncode == 2
    assert "knitbone.requirements.toml" in done.stderr


def test_a_long_running_thread_does_not_keep_the_launcher(tmp_path, environment):
    write(
        tmp_path,
        app="import threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n",
    )
    with no_hang():
        launched(tmp_path, environment, sys.executable, "app.py")
    assert Path(tmp_path, "report.json").exists()
