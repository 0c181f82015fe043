"""Deliberate faults, each as a function of a seed: what the tests do a few times, a campaign does by the hundred."""
