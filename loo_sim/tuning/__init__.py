"""Searches for a good threshold: successive halving on paired deals, the winner measured again."""
