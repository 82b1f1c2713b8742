"""Work grows no faster than untrusted input: parsers, miners, expressions, questions.

What is measured is listed from the code, so that something new without an entry fails.
"""
