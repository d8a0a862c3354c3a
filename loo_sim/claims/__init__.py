"""Claims put to the test: what is measured for each, and the rule that makes a verdict of it."""
