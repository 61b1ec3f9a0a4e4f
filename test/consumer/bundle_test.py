#!/usr/bin/env python3
"""gluonc_add_kernels() in a project of its own, and launches through the header that it makes.

    bundle_test.py GLUONC_CMAKE_DIR CXX CUDA_CPU_FOLDER FAKE_HIP_FOLDER

The CUDA driver executes PTX on the CPU (src/cudacpu), that of HIP AMD's machine code.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def run(*words, **options):
    done = subprocess.run(list(map(str, words)), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


def configure(package, compiler, kernels, build):
    run("cmake", "-G", "Ninja", "-S", HERE / "bundle", "-B", build, f"-Dgluonc_DIR={package}",
        f"-DCMAKE_CXX_COMPILER={compiler}", f"-DKERNELS={kernels}")


def check_dependencies(kernels, build):
    """That a change of what is imported makes the bundle anew, and nothing else does."""
    bundle = build / "launch_kernels/kernels.gluonpack"
    before = bundle.read_bytes()
    assert "no work to do" in run("cmake", "--build", build)
    helper = kernels / "helper.py"
    helper.write_text(helper.read_text().replace("* BLOCK +", "* BLOCK * 2 +"))
    assert "Compiling the kernels" in run("cmake", "--build", build)
    assert bundle.read_bytes() != before
    (kernels / "unused.py").write_text("")
    assert "no work to do" in run("cmake", "--build", build)


def check_settings(program, folder, reports):
    """The CUDA driver's environment: where faults are reported, and what makes no sense."""
    env = {**os.environ, "LD_LIBRARY_PATH": folder, "GLUONC_CUDA_CPU_REPORTS": str(reports)}
    run(program, "cuda", env=env)
    text = reports.read_text()
    assert "CUDA_ERROR_ILLEGAL_ADDRESS: kernel axpy: 4 bytes at" in text, text
    assert "\n  at kernels.py:11:" in text and "\n  PTX line " in text, text
    for name, value in (("TARGET", "7"), ("DEVICES", "0"), ("THREADS", "many")):
        done = subprocess.run([program, "cuda"], env={**env, f"GLUONC_CUDA_CPU_{name}": value},
                              capture_output=True)
        assert done.returncode == 1
        assert f"CUDA_ERROR_NO_DEVICE: GLUONC_CUDA_CPU_{name}={value} is no" in reports.read_text()


def main():
    package, compiler, cuda, hip = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        kernels, build = pathlib.Path(work, "kernels"), pathlib.Path(work, "build")
        shutil.copytree(HERE / "bundle", kernels)
        os.environ["GLUONC_CACHE_DIR"] = str(pathlib.Path(work, "cache"))
        configure(package, compiler, kernels, build)
        run("cmake", "--build", build)
        os.environ["GLUONC_CUDA_CPU_DEVICES"] = "2"
        # By the loader, and by the bundle's options as well.
        for words in ([], [pathlib.Path(cuda, "libgluonc_cuda_cpu.so")]):
            run(build / "launch", "cuda", *words, env={**os.environ, "LD_LIBRARY_PATH": cuda})
        check_settings(build / "launch", cuda, pathlib.Path(work, "reports"))
        # Without CUDA's driver launches go to AMD's.
        run(build / "launch", "hip", env={**os.environ, "LD_LIBRARY_PATH": hip})
        run(build / "develop", kernels / "kernels.toml", env={**os.environ, "LD_LIBRARY_PATH": cuda})
        needed = run("readelf", "--dynamic", build / "launch")
        assert "libgluonc_rt.so.0" in needed and "libgluonc.so" not in needed, needed
        check_dependencies(kernels, build)
    print("kernels compiled ahead of time are launched by libgluonc_rt alone")


if __name__ == "__main__":
    main()
