"""The engine that was built: made by setup.py."""

ENGINE_ID: str
