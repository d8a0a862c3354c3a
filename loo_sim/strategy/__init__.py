"""Strategy: advice for a hand, strategies near equilibrium, and what leaving one gains."""
