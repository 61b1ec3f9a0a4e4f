"""Whether products and sums become one instruction, fma, where a launch does not say.

They do, here as on the command line (`--no-fp-fusion`) and in the C API. As for Triton, the
environment has a say, and so has `triton.knobs.language`, once something has imported it.
"""

import os


def _is_set(name, otherwise):
    value = os.environ.get(name)
    return otherwise if value is None else value.lower() in ("1", "true", "yes", "on", "y")


class Settings:
    """What the environment says. A setting of triton.knobs takes its place."""

    @property
    def default_fp_fusion(self):
        return _is_set("TRITON_DEFAULT_FP_FUSION", True)

    @property
    def force_disable_fp_fusion(self):
        return _is_set("TRITON_FORCE_DISABLE_FP_FUSION", False)


settings = Settings()


def is_enabled(requested):
    """`requested` is what the launch says, None where it says nothing."""
    if settings.force_disable_fp_fusion:
        return False
    return bool(settings.default_fp_fusion if requested is None else requested)
