#!/usr/bin/env python3
"""The rules for Bazel over an installed gluonc: a bundle, which is built again when what its kernels import changes.

    bazel_test.py BUILD CHECKOUT

The cc_library is loaded, not built: for C++ Bazel downloads rules. Exit status 77: there is no bazel (Debian's is in bazel-bootstrap).
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

from deb_test import CONSUMER, COPY, KERNELS, run

WORKSPACE = """local_repository(name = "gluonc_rules", path = "CHECKOUT/bazel")
load("@gluonc_rules//:gluonc.bzl", "gluonc_installed")
gluonc_installed(name = "gluonc", prefix = "PREFIX")
"""
BUILD = """load("@gluonc_rules//:gluonc.bzl", "gluonc_kernels")
gluonc_kernels(name = "kernels", manifest = "kernels.toml", srcs = ["copy.py", "helper.py"], options = ["--ptx"])
cc_binary(name = "consumer", srcs = ["consumer.cpp"], copts = ["-std=c++17"], deps = [":kernels"], data = [":kernels_bundle"],
          local_defines = ['KERNELS_BUNDLE=\\\\"kernels_bundle_files/kernels.gluonpack\\\\"'])
"""


def main():
    build, checkout = sys.argv[1:]
    if not shutil.which("bazel"):
        print("skipped: there is no bazel")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        run("cmake", "--install", build, "--prefix", work / "prefix")
        project = work / "project"
        project.mkdir()
        copy = "from helper import one\n" + COPY.replace("tl.load(x)", "tl.load(x) + one()")
        helper = COPY.split("@")[0] + "@triton.jit\ndef one():\n    return 1.0\n"
        for name, text in (("WORKSPACE", WORKSPACE.replace("CHECKOUT", checkout).replace("PREFIX", str(work / "prefix"))), ("BUILD", BUILD),
                           ("kernels.toml", KERNELS), ("copy.py", copy), ("helper.py", helper), ("consumer.cpp", CONSUMER)):
            (project / name).write_text(text)

        def bazel(*words):
            return run("bazel", f"--output_user_root={work}/bazel", *words, cwd=project)

        try:
            bundle = project / "bazel-bin/kernels_bundle_files/kernels.gluonpack"
            build_bundle = "build", "//:kernels_bundle", "--output_groups=+header"
            bazel(*build_bundle)
            before = bundle.read_bytes()
            assert "class Bundle" in bundle.with_suffix(".h").read_text()
            program = run(work / "prefix/bin/gluonc", "build", project / "kernels.toml", "--ptx", "--no-cache", "-o", work / "plain")
            assert before == (work / "plain").read_bytes(), program
            (project / "helper.py").write_text(helper.replace("1.0", "2.0"))
            bazel(*build_bundle)
            assert bundle.read_bytes() != before
            kinds = bazel("query", "--output", "label_kind", "//:all")
            assert "cc_library rule //:kernels" in kinds and "gluonc_bundle rule //:kernels_bundle" in kinds, kinds
        finally:
            subprocess.run(["bazel", f"--output_user_root={work}/bazel", "shutdown"], cwd=project, check=False, capture_output=True)
            # Bazel takes the right to write from its own.
            subprocess.run(["chmod", "-R", "u+w", work / "bazel"], check=False)
    print("a bundle by Bazel")


if __name__ == "__main__":
    main()
