"""The command line: one thin file per command, each of which calls the function of its name.

What is computed belongs into `caesura.api` and the packages below it. Open `main.py` first: it
finds the command and turns errors into messages. `options.py` has the options that several
commands share, `scoring_options.py` those of the commands that measure.
"""

COMMANDS = {
    "segment": "Turn recognisers' files into sentences or captions.",
    "stream": "Write sentences while the words still arrive.",
    "convert": "Write transcripts in another format.",
    "score": "Score a segmentation against one or more references.",
    "compare": "Test whether systems differ on the same references.",
    "agree": "Measure how far annotators agree with each other.",
    "correlate": "Find which metrics predict the results of a later task.",
    "align": "Give recognised words the sentences of their punctuated script.",
    "project": "Find the recognised words of the entities in a reference.",
    "train": "Train a detector, a tagger or an entity model on transcripts.",
    "adapt": "Fit a model to a few hundred sentences of your own.",
    "models": "Show the models that ship with Caesura, or your own.",
    "list": "List formats, detectors, metrics and all else that can be named.",
    "reproduce": "Run the study of a paper on corpora you have.",
}
"""The commands in order of use, and what each does."""
