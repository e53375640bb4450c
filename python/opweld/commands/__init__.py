"""What the commands of ``opweld`` are made of, and those that are long (opweld.cli)."""
