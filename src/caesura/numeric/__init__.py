"""Numbers: resampling and tests."""
