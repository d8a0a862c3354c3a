"""How fast deals are simulated here, beside scalar programs of the same game, all in one run."""
