"""Stored models: how they are saved and loaded, and the models that ship with Caesura.

A model is a folder with a card (`card.json`: what it is, its training data, scores and checksums)
and arrays (`arrays.safetensors`). Open `store.py`: it has the card, and saves, loads and verifies
such a folder. The folders `en`, `fr`, `ja` and so on are models. How they were trained is in
`recipes/`, and training itself in `caesura.training`.
"""
