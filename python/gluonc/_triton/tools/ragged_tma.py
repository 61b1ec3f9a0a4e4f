"""triton.tools.ragged_tma: written for Triton's own dialect; its names import and refuse to be used."""
