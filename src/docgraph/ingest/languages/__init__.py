"""Code: one parser for all languages, and one small file for each.

`read_code` parses a file with tree-sitter, runs the language's query over the tree once, and
makes of its captures the file's parts (`definitions`), the scopes in which names are bound
(`scopes`, `variables`), and references for the names that are used (`uses`, `resolve`,
`references`). A name that is not bound to a definition, an import or a class that the text names
is counted as unresolved, never guessed.

The next language is one file with a `Language` (see `language`) and a function
`parse_x(path, text)` that calls `read_code`, and one line in `formats.registry.FORMATS`. What its
imports mean and which keys its files have may fill a second file. Its query captures by these
names:

a definition   `class`, `interface`, `function` or `table`, with its `name` and `body`;
               `detached` too where its name alone does not mean it
around it      `decorator` ahead of it; `outer` and `inner` where something wraps it
prose          `comment`; `doc`, a string that documents what it begins
scopes         `scope`, a block; `closure`, a function without a name; `object`, whose names are
               members; `rebinds`, a function with a `this` of its own
names          `bind` in the innermost scope, `hoist` in the function's, `outside` it (`global`);
               `assign` to a name that is bound already; `weak`, set to None; `receiver`, the
               object itself
classes        `typed`, a variable, or `field`, assigned to a `holder`; with the `type` it has,
               the call it was `made` by, the `alias` it is a copy of, or `nothing`
uses           `call`, `new`, `element`, `inherits`, `implements`, `base` (the language decides
               which of the two), `reads`, `writes`, `references`; `imports`, a type where it is
               first named
imports        `import` and any other that the language's own functions look for
"""
