"""Setting clients up to use memstone, and taking it out of them again.

    wish → clients.targets → planning (files read, edits worked out) → carrying (receipt, files)

`jsontext` and `tomltext` edit texts, `editing` puts our values in and takes them out, `planning`
knows what a file was before us, `carrying` writes, `receipts` remembers. A client is a row of
data in `clients`. Nothing outside the data folder and the named client's own files is written,
nothing runs on after the command, and what is there after an uninstall is what was there before.
"""
