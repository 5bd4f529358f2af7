"""Synthetic dialogues whose truth is known: a world, its ledger, and the talk that states it."""
