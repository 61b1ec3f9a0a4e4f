"""Parts of triton.language that are modules of their own in Triton only. Called `_language` because
`triton.language`, an attribute of the package around, is gluonc.language."""
