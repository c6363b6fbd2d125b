"""Rows of the basic operators."""

from catalogue._row import Row

ROWS: list[Row] = []
