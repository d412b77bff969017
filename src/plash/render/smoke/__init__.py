"""What smoke and flames do to light, for every renderer."""
