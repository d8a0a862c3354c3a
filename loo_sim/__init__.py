"""loosim analyses three-card Loo, a trick-taking gambling game for 5 to 16 players."""

__version__ = "0.1.0"
