"""The command line: one table of commands, and a module for each concern that they share.

`table` and `commands` say what there is, `parser` reads it with argparse, `app` runs the verb;
`values`, `call` and `output` are how text comes in and answers go out; `hot`, `lineage`,
`looking`, `marking`, `transfer` and `setup` run the verbs; `tables` is what people see, and the
only module that loads Rich. Commands translate and print; every decision is the engine's.
"""
