"""The servers that messages are delivered to: a row each.

A store starts its server (with the starters of the system tests), says which message it refuses, how the cause is mended, and counts what it
has by message number."""
