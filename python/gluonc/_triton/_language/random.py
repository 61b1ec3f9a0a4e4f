"""triton.language.random: of Triton's own dialect; its names import and refuse to be used."""
