"""Test suites for authors of plug-ins: `pip install docgraph[testing]`, then subclass one."""
