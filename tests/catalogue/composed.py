"""Rows of the composed operators."""

from catalogue._row import Row

ROWS: list[Row] = []
