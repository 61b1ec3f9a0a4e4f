"""Parts of triton.language that are modules of their own in Triton only."""
