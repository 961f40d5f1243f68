"""Analysed text: tokens with tags, dependency heads, named entities or punctuation labels.

`conllu` is CoNLL-U (`conllu_rows` reads its rows as columns), `bio` has entity tags in columns,
`iwslt` punctuation labels, `knp` is the output of Japanese analysers, `offsets` the JSON of spaCy
and Stanza. The models that analyse text are in `caesura.detectors`, not here.
"""
