"""How true a simulation stays with longer steps: figures with known answers over a table of courant numbers.

    python -m validation.steps --courant 1 2 3 5 [--cases NAME ...] [--transfer apic flip] [--cells NUMBER]
                               [--solver KEY=VALUE ...] [--json FILE] [--markdown FILE]

A case is a function (courant, transfer, **solver) -> figures by name; its docstring says what is exact. Nothing but
what plash offers to everyone is used, and velocities are those of snapshots, so that any version can be measured.
"""
