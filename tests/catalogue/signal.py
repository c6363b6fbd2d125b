"""Rows of the signal operators."""

from catalogue._row import Row

ROWS: list[Row] = []
