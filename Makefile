# make try    set up .venv and turn an example recording into sentences
# make test   set up .venv and run every check: format, lint, types, tests with coverage
# make bench  compare speed with other tools
# make models compare all models on the corpora in CAESURA_DATA and write docs/models.md (hours)
# make api    write docs/api.md from the docstrings
# make mutants  change the code in small ways and see whether the tests notice (several hours)
PYTHON ?= python3
BIN := .venv/bin

.PHONY: try test check api bench models mutants clean

.venv/try.stamp: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Caesura needs Python 3.11 or newer; name one with: make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/test.stamp: .venv/try.stamp studies/pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,peers,plot,train]' --editable studies
	touch $@

try: .venv/try.stamp
	$(BIN)/caesura segment examples/interview.whisper.json

test: check
	$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term

check: .venv/test.stamp
	$(BIN)/ruff format --check src studies tests benchmarks recipes docs/make_api.py
	$(BIN)/ruff check src studies tests benchmarks recipes docs/make_api.py
	$(BIN)/mypy

api: .venv/try.stamp
	$(BIN)/python docs/make_api.py

bench: .venv/test.stamp
	for question in benchmarks/*.py; do $(BIN)/python $$question || exit 1; done

models: .venv/test.stamp
	test -d "$(CAESURA_DATA)" || { echo "CAESURA_DATA names no folder of corpora" >&2; exit 1; }
	$(BIN)/python -m recipes.compare_models --data "$(CAESURA_DATA)" --output docs/models.md

mutants: .venv/test.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'mutmut>=3.8'
	CAESURA_TESTS=mutants $(BIN)/mutmut run --max-children 2 > mutants.log
	$(BIN)/mutmut export-cicd-stats
	cat mutants/mutmut-cicd-stats.json

clean:
	rm -rf mutants mutants.log .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
