"""Rules for Bazel: kernels compiled ahead of time into a bundle, and what includes its header.

    # WORKSPACE (in MODULE.bazel: use_repo_rule)
    load("@gluonc_rules//:gluonc.bzl", "gluonc_installed")
    gluonc_installed(name = "gluonc", prefix = "/usr")

    # BUILD
    load("@gluonc_rules//:gluonc.bzl", "gluonc_kernels")
    gluonc_kernels(name = "kernels", manifest = "kernels.toml", srcs = ["matmul.py"], targets = ["cuda:90a"])
    cc_binary(name = "engine", srcs = ["engine.cc"], deps = [":kernels"], data = [":kernels_bundle"])

`kernels` is a cc_library: `#include <kernels.h>`, and gluonc's launcher. The bundle is kernels.gluonpack beside it.
"""

def _gluonc_bundle_impl(ctx):
    stem = ctx.file.manifest.basename.rsplit(".", 1)[0]
    bundle = ctx.actions.declare_file(ctx.label.name + "_files/" + stem + ".gluonpack")
    header = ctx.actions.declare_file(ctx.label.name + "_files/" + stem + ".h")
    arguments = ctx.actions.args()
    arguments.add("build")
    arguments.add(ctx.file.manifest)
    arguments.add("-o", bundle)
    arguments.add("--header", header)

    # Bazel keeps what was made, and shares it.
    arguments.add("--no-cache")
    arguments.add_all(ctx.attr.targets, before_each = "--target")
    arguments.add_all(ctx.attr.options)
    ctx.actions.run(
        executable = ctx.executable.gluonc,
        arguments = [arguments],
        inputs = [ctx.file.manifest] + ctx.files.srcs,
        outputs = [bundle, header],
        mnemonic = "GluoncBuild",
        progress_message = "Compiling the kernels of " + ctx.file.manifest.short_path,
        use_default_shell_env = True,
    )
    return [
        DefaultInfo(files = depset([bundle]), runfiles = ctx.runfiles([bundle])),
        OutputGroupInfo(header = depset([header])),
    ]

gluonc_bundle = rule(
    implementation = _gluonc_bundle_impl,
    doc = "A bundle (default output) and its header (output group `header`) of a manifest.",
    attrs = {
        "manifest": attr.label(mandatory = True, allow_single_file = [".toml"]),
        "srcs": attr.label_list(allow_files = True, doc = "All sources that the manifest names and what these import."),
        "targets": attr.string_list(doc = "In place of the manifest's own."),
        "options": attr.string_list(doc = "Further options of `gluonc build`, such as --ptx."),
        "gluonc": attr.label(default = "@gluonc//:program", executable = True, cfg = "exec", allow_files = True),
    },
)

def gluonc_kernels(name, manifest, srcs = [], targets = [], options = [], cc_library = None, runtime = "@gluonc//:rt", **kwargs):
    """A cc_library with the header of a bundle, which NAME_bundle is.

    Args:
      name: of the cc_library.
      manifest: kernels.toml.
      srcs: all sources that the manifest names and what these import.
      targets: in place of the manifest's own.
      options: further options of `gluonc build`.
      cc_library: that of rules_cc, where Bazel has none of its own (9 and later).
      runtime: a cc_library with gluonc_rt.
      **kwargs: of the cc_library.
    """
    gluonc_bundle(name = name + "_bundle", manifest = manifest, srcs = srcs, targets = targets, options = options)
    native.filegroup(name = name + "_header", srcs = [name + "_bundle"], output_group = "header")
    (cc_library or native.cc_library)(
        name = name,
        hdrs = [name + "_header"],
        includes = [name + "_bundle_files"],
        deps = [runtime],
        **kwargs
    )

_BUILD = """
package(default_visibility = ["//visibility:public"])
filegroup(name = "program", srcs = ["bin/gluonc"])
LOADcc_library(
    name = "rt",
    hdrs = glob(["include/gluonc/gluonc_rt.*"]),
    includes = ["include"],
    srcs = ["lib/libgluonc_rt.so.0"],
)
"""

def _gluonc_installed_impl(ctx):
    for name in ("bin/gluonc", "include/gluonc/gluonc_rt.h", "include/gluonc/gluonc_rt.hpp", "lib/libgluonc_rt.so.0"):
        ctx.symlink(ctx.attr.prefix + "/" + name, name)
    ctx.file("BUILD.bazel", _BUILD.replace("LOAD", "load(\"@rules_cc//cc:defs.bzl\", \"cc_library\")\n" if ctx.attr.rules_cc else ""))

gluonc_installed = repository_rule(
    implementation = _gluonc_installed_impl,
    doc = "A repository with `program` and `rt` of a gluonc that is installed, by `cmake --install` or as Debian packages.",
    attrs = {
        "prefix": attr.string(default = "/usr"),
        "rules_cc": attr.bool(doc = "Load cc_library from @rules_cc: for Bazel 9 and later."),
    },
    local = True,
)
