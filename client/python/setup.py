# Makes groth16d/client_pb2.py and metrics_pb2.py from the one description of the messages, ipc/*.proto of this tree.
import pathlib
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parent.parent / "ipc"
FILES = ("client.proto", "metrics.proto")


class BuildWithMessages(build_py):
    def run(self):
        protoc = shutil.which("protoc")
        if protoc is None:
            raise SystemExit("protoc is needed to build this package: apt-get install protobuf-compiler")
        super().run()
        out = pathlib.Path(self.build_lib).resolve() / "groth16d"
        out.mkdir(parents=True, exist_ok=True)
        subprocess.run([protoc, f"-I{PROTO}", f"--python_out={out}", *FILES], cwd=PROTO, check=True)
        # protoc imports by file name; inside a package the neighbour is meant.
        metrics = out / "metrics_pb2.py"
        metrics.write_text(metrics.read_text().replace("import client_pb2", "from . import client_pb2"))


setup(cmdclass={"build_py": BuildWithMessages})
