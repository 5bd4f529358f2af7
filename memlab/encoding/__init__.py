"""Turning texts into vectors through a cache, with their cost kept."""
