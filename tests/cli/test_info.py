"""`operax info` and the command line itself."""

import importlib.util
import subprocess
import sys

import pytest

import operax
from operax.cli import info, main


def test_info_shows_versions_devices_and_bridges(capsys):
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    for part in ("operax", operax.__version__, "jaxlib", "cpu", "64-bit mode", "bridges", "yes"):
        assert part in out


def test_an_absent_framework_is_named_with_its_cure():
    usable, why = info.usability("no_such_framework", "extra")
    assert not usable and "not installed; pip install 'operax" in why and "extra" in why


def test_a_broken_framework_is_named(tmp_path, monkeypatch):
    (tmp_path / "broken_framework.py").write_text("raise RuntimeError('half installed')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    usable, why = info.usability("broken_framework", "extra")
    assert not usable and why == "does not import: RuntimeError: half installed"


def test_a_sound_framework_is_usable():
    assert info.usability("scipy", "extra") == (True, "")
    assert importlib.util.find_spec("scipy") is not None


def test_version_and_help(capsys):
    for option, part in (("--version", operax.__version__), ("--help", "demo")):
        with pytest.raises(SystemExit) as stop:
            main([option])
        assert stop.value.code == 0
        assert part in capsys.readouterr().out
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 2


def test_a_run_that_is_stopped_ends_quietly(monkeypatch, capsys):
    def stop(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(info, "run", stop)
    assert main(["info"]) == 130
    assert capsys.readouterr().err == "stopped\n"


@pytest.mark.parametrize("module", ["operax", "operax.cli"])
def test_the_module_runs_as_the_command(module):
    found = subprocess.run([sys.executable, "-m", module, "--version"], capture_output=True, text=True, check=True)
    assert operax.__version__ in found.stdout


def test_a_reader_that_stops_early_is_no_error():
    code = "import sys; from operax.cli import main; sys.exit(main(['bench', '--list']))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        command.stdout.close()  # before the first line is written
        errors = command.stderr.read().decode()
        assert command.wait() == 128 + 13
    assert "Traceback" not in errors and "BrokenPipe" not in errors
