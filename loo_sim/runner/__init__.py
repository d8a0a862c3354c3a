"""Runs experiments: plan, threads, progress, signals, the result directory and its manifest."""
